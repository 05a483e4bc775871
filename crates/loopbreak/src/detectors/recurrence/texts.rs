//! Texts about the findings of `recurrence`.

use crate::advice::{ESCALATION, REPEATED_CALLS, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::Intervention;

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`, `batch`, `harness`, `say`",
    effect: "warns, then asks a human",
    catches: "a call made {again_warn_at} times with the same result and other calls between; many calls in a row that were all made before",
    ignores: "a few repeats in a long run; calls after a change",
    guide: include_str!("guide.md"),
    templates: &[],
    reason,
    advice,
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::Again => "the same call with the same result, {times} times with others between: {action}",
        _ => "{repeats} of the last {window} calls were made before, with the same results",
    }
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[REPEATED_CALLS, ESCALATION] } else { &[REPEATED_CALLS] }
}
