//! Texts about the findings of `novelty`.

use crate::advice::{RULING_VALUES, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `critic`, `place.exits`",
    effect: "gives a hint",
    catches: "a proposal that is among the last {window} actions; exits that were not tried",
    ignores: "agents that act without proposing",
    guide: include_str!("guide.md"),
    templates: &[REPEATED_ACTION, REPEATED_ACTION_CRITIC, UNEXPLORED_EXITS, UNEXPLORED_EXITS_CRITIC],
    reason,
    advice,
};

const REPEATED_ACTION: &Template = &Template {
    name: "repeated_action",
    audience: Audience::Agent,
    values: RULING_VALUES,
    neutral: r#""{action}" was already done at turn {last_turn}."#,
    zork: Some("You have tried this action recently with no progress."),
    hook: None,
};

const REPEATED_ACTION_CRITIC: &Template = &Template {
    name: "repeated_action_critic",
    audience: Audience::Critic,
    values: RULING_VALUES,
    neutral: r#"The agent already did "{action}" at turn {last_turn}."#,
    zork: Some("The agent has tried this action recently with no progress."),
    hook: None,
};

const UNEXPLORED_EXITS: &Template = &Template {
    name: "unexplored_exits",
    audience: Audience::Agent,
    values: RULING_VALUES,
    neutral: "Exits not tried yet: {exits}",
    zork: Some("Unexplored directions: {exits}"),
    hook: None,
};

const UNEXPLORED_EXITS_CRITIC: &Template = &Template {
    name: "unexplored_exits_critic",
    audience: Audience::Critic,
    values: RULING_VALUES,
    neutral: "Exits that the agent has not tried yet: {exits}",
    zork: Some("Unexplored directions: {exits}"),
    hook: None,
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::UnexploredExits => "exits not tried yet: {exits}",
        _ => "the action was already done at turn {last_turn}",
    }
}

fn advice(pattern: Pattern, _: Intervention) -> &'static [&'static Template] {
    match pattern {
        Pattern::UnexploredExits => &[UNEXPLORED_EXITS, UNEXPLORED_EXITS_CRITIC],
        _ => &[REPEATED_ACTION, REPEATED_ACTION_CRITIC],
    }
}
