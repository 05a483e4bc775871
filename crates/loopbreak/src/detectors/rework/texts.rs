//! Texts about the findings of `rework`.

use crate::advice::{CALL_VALUES, ESCALATION, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`harness`, `action`, `outcome`",
    effect: "warns, then asks a human",
    catches: "{warn_at} calls after a compaction that were made before it with the same result",
    ignores: "a few files read again; files that changed; tests after an edit",
    guide: include_str!("guide.md"),
    templates: &[REWORK],
    reason,
    advice,
};

const REWORK: &Template = &Template {
    name: "rework",
    audience: Audience::Agent,
    values: CALL_VALUES,
    neutral: "Since turn {since}: {reason}.
You already have these results: {outcome} (turn {first_turn}). Do not collect them again. Make the next change of the task, or \
write down what is known and report it.",
    zork: None,
    hook: Some("Loop guard: since turn {since}: {reason}."),
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::CompactionSpin => "{rounds} compactions in a row with nothing done between them",
        _ => "{repeats} calls since the compaction were made before it, with the same results: {action}",
    }
}

fn advice(pattern: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    match (pattern, intervention.ends_run()) {
        (Pattern::CompactionSpin, _) => &[ESCALATION],
        (_, true) => &[REWORK, ESCALATION],
        (_, false) => &[REWORK],
    }
}
