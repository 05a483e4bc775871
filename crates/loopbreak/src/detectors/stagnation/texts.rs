//! Texts about the findings of `stagnation`.

use crate::advice::{Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`score`, `objectives`, `progress`",
    effect: "stops the run",
    catches: "no progress for {max_turns} turns; warns at {warn_at}",
    ignores: "runs without score, objectives or marks; runs that still discover new things",
    guide: include_str!("guide.md"),
    templates: &[WARNING, STOP],
    reason,
    advice,
};

const VALUES: &[&str] = &[
    "turn",
    "since",
    "turns_stuck",
    "turns_left",
    "urgency",
    "score",
    "objectives",
    "exits",
    "loops",
    "max_turns_stuck",
    "last_score_change_turn",
    "last_objective_completion_turn",
    "repeated",
    "reason",
];

const WARNING: &Template = &Template {
    name: "stagnation",
    audience: Audience::Agent,
    values: VALUES,
    neutral: r#"[{urgency}] No progress for {turns_stuck} turns.
The score is {score}.
{?objectives}The run ends in {turns_left} turns unless the score changes or an objective is completed.
{!objectives}The run ends in {turns_left} turns unless there is progress.

Open objectives:
{objectives}

Recent loops:
{loops}

Suggestions:
- Work on another open objective, or on another part of the problem.
- Try something that has not been tried here.
- "{repeated}" has been tried before.
- Exits not tried yet: {exits}"#,
    zork: Some(
        "⚠️ WARNING: No progress for {turns_stuck} turns!
{?objectives}You will DIE in {turns_left} turns unless you increase your score or complete an objective.
{!objectives}You will DIE in {turns_left} turns unless you increase your score.

CURRENT OBJECTIVES:
{objectives}

LOOPS SEEN:
{loops}

SUGGESTIONS:
{?objectives}- Try working on the objectives listed above
{?objectives}- Prioritize actions that might increase your score
{?repeated}- You have tried this action recently with no progress.
- Unexplored directions: {exits}",
    ),
    hook: None,
};

const STOP: &Template = &Template {
    name: "stagnation_stop",
    audience: Audience::User,
    values: VALUES,
    neutral: "Stopped: no progress for {turns_stuck} turns, since turn {since} (limit {max_turns_stuck}).
The score was {score}.

Recent loops:
{loops}",
    zork: Some("Terminating episode: no progress for {turns_stuck} turns (score stuck at {score})"),
    hook: None,
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "no progress for {turns_stuck} turns"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    // The human is told why the run ends. The agent was warned before.
    if intervention == Intervention::Stop { &[STOP] } else { &[WARNING] }
}
