//! Texts about the findings of `oscillation`.

use crate::advice::{PLACE_VALUES, REFUSED, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`place`, `action`, `critic`",
    effect: "refuses a proposal",
    catches: "moves back and forth between two places",
    ignores: "one way there and back; walks through new rooms",
    guide: include_str!("guide.md"),
    templates: &[TO_AGENT, TO_CRITIC],
    reason,
    advice,
};

const TO_AGENT: &Template = &Template {
    name: "oscillation",
    audience: Audience::Agent,
    values: PLACE_VALUES,
    neutral: "You are moving back and forth between two places: {pattern_names}.
Exits not tried yet: {exits}",
    zork: Some(
        "⚠️ Oscillation Pattern: {pattern_names}
Unexplored directions: {exits}",
    ),
    hook: None,
};

const TO_CRITIC: &Template = &Template {
    name: "oscillation_critic",
    audience: Audience::Critic,
    values: PLACE_VALUES,
    neutral: "The agent moves back and forth between two places: {pattern_names}.",
    zork: Some("⚠️ Oscillation Pattern: {pattern_names}"),
    hook: None,
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "back and forth between {pattern_names}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.is_advice() { &[TO_AGENT, TO_CRITIC] } else { &[REFUSED] }
}
