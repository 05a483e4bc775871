//! Texts about the findings of `cycle`.

use crate::advice::{ESCALATION, REPEATED_CALLS, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::Intervention;

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`, `place`, `batch`, `say`",
    effect: "warns, then asks a human",
    catches: "the same calls with the same results: {warn_at} times in a row, or a repeated sequence of up to {max_period} calls",
    ignores: "new content for the same call; tests after a change; waiting",
    guide: include_str!("guide.md"),
    templates: &[REPEATED_CALLS],
    reason,
    advice,
};

fn reason(pattern: Pattern, values: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::Circuit => "the same {period} places in the same order, {rounds} times: {places}",
        _ if values.get("period") == Some("1") => {
            "the same call with the same result, {rounds} times (turns {turns}): {action}"
        }
        _ => "the same {period} calls with the same results, {rounds} times (turns {turns}): {action}",
    }
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[REPEATED_CALLS, ESCALATION] } else { &[REPEATED_CALLS] }
}
