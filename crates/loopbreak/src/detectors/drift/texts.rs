//! Texts about the findings of `drift`.

use crate::advice::{ESCALATION, REPEATED_CALLS, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::Intervention;

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`, `batch`, `say`",
    effect: "warns, then asks a human",
    catches: "{warn_at} identical failures of one tool; reworded searches; a number that only grows",
    ignores: "batches over many files; different searches without a match",
    guide: include_str!("guide.md"),
    templates: &[],
    reason,
    advice,
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::Rephrased => "{questions} searches in a row ask the same question in other words",
        Pattern::SameAnswer => "the same answer to {questions} different questions: {action}",
        Pattern::SameField => "{calls} different values in a row for one field: {action}",
        Pattern::SameAnnouncement => "{calls} calls of one tool in a row, announced in nearly the same words: {message}",
        Pattern::RejectedRounds => "the same {period} calls with new text each time, {rounds} times, and an edit rejected in each: {action}",
        Pattern::Sweep => "{calls} calls in which only `{argument}` changes: {action}",
        Pattern::VainEdits => "the same failure {failures} times, after a change each time: {failure}",
        _ => "{failures} calls of one tool failed in the same way: {failure}",
    }
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[REPEATED_CALLS, ESCALATION] } else { &[REPEATED_CALLS] }
}
