//! Texts about the findings of `failing_target`.

use crate::advice::{CALL_VALUES, ESCALATION, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`, `place`, `batch`",
    effect: "warns, then asks a human",
    catches: "{warn_at} failures at one file, address or thing, whatever is tried",
    ignores: "targets that work in between; batches; searches",
    guide: include_str!("guide.md"),
    templates: &[FAILING_TARGET],
    reason,
    advice,
};

const FAILING_TARGET: &Template = &Template {
    name: "failing_target",
    audience: Audience::Agent,
    values: CALL_VALUES,
    neutral: "{failures} attempts at {target} have failed since turn {since}. Last failure: {failure}
Find out why it fails, or leave it and continue elsewhere.",
    zork: None,
    hook: Some(
        "Loop guard: {failures} attempts at {target} have failed since turn {since}. Last failure: {failure}",
    ),
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "{failures} attempts at {target} failed, the last with: {failure}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[FAILING_TARGET, ESCALATION] } else { &[FAILING_TARGET] }
}
