//! Texts about the findings of `continuation`.

use crate::advice::{ESCALATION, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`harness`, `action`, `outcome`, `say`",
    effect: "warns, then asks a human",
    catches: "{warn_at} turns in a row that the harness started and in which nothing new was done",
    ignores: "turns with any new call; pauses while a job runs; messages from the user",
    guide: include_str!("guide.md"),
    templates: &[CONTINUATION],
    reason,
    advice,
};

const CONTINUATION: &Template = &Template {
    name: "continuation",
    audience: Audience::Agent,
    values: &["turn", "since", "count", "rounds", "reason"],
    neutral: "Since turn {since}: {reason}.
State in one sentence what you wait for or what blocks you. If only a person can resolve it, say so and end the task. \
Otherwise take the next step now.",
    zork: None,
    hook: Some("Loop guard: since turn {since}: {reason}."),
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "sent on {rounds} times in a row, and nothing new was done"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[CONTINUATION, ESCALATION] } else { &[CONTINUATION] }
}
