//! Texts about the findings of `signature`.

use crate::advice::{ESCALATION, REPEATED_OUTPUT, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::Intervention;

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`outcome` of steps without an action",
    effect: "asks a human",
    catches: "iterations that end with the same error, failing tests, file change or search",
    ignores: "other changes to the same file; a falling number of failures",
    guide: include_str!("guide.md"),
    templates: &[REPEATED_OUTPUT],
    reason,
    advice,
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "the same output signature {repeats} times: {signature}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[REPEATED_OUTPUT, ESCALATION] } else { &[REPEATED_OUTPUT] }
}
