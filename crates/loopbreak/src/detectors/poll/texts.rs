//! Texts about the findings of `poll`.

use crate::advice::{ESCALATION, REPEATED_CALLS, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::Intervention;

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`, `at`",
    effect: "warns, then asks a human",
    catches: "{warn_at} identical polls with the same reply",
    ignores: "replies that change; a few checks of a running job",
    guide: include_str!("guide.md"),
    templates: &[],
    reason,
    advice,
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "{polls} polls with the same reply: {action}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[REPEATED_CALLS, ESCALATION] } else { &[REPEATED_CALLS] }
}
