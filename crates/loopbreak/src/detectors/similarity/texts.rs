//! Texts about the findings of `similarity`.

use crate::advice::{ESCALATION, REPEATED_OUTPUT, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::Intervention;

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`outcome` of steps without an action",
    effect: "asks a human",
    catches: "outputs of iterations that are nearly identical: a similarity of at least {threshold}, where 1 is identical",
    ignores: "outputs that differ in more than a tenth; one retry",
    guide: include_str!("guide.md"),
    templates: &[],
    reason,
    advice,
};

fn reason(_: Pattern, values: &TemplateValues) -> &'static str {
    if values.get("identical").is_some() {
        return "{identical} identical outputs in a row";
    }
    if values.get("similarity") == Some("1") {
        return "the output is identical to that of turn {like_turn}";
    }
    "the output repeats that of turn {like_turn} (similarity {similarity})"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[REPEATED_OUTPUT, ESCALATION] } else { &[REPEATED_OUTPUT] }
}
