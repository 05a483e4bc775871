//! Texts about the findings of `side_effect`.

use crate::advice::{CALL_VALUES, ESCALATION, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`",
    effect: "warns, refuses the call, then asks a human",
    catches: "a call with a side effect, such as sending a message, made {warn_at} times on the same object",
    ignores: "commits after changes; other recipients or titles; retries after errors; idempotent writes",
    guide: include_str!("guide.md"),
    templates: &[SIDE_EFFECT],
    reason,
    advice,
};

const SIDE_EFFECT: &Template = &Template {
    name: "side_effect",
    audience: Audience::Agent,
    values: CALL_VALUES,
    neutral: "{reason}.
It already took effect at turn {first_turn}. Do not repeat it. Continue with the next part of the task, or report that this \
part is done.",
    zork: None,
    hook: Some(
        "Loop guard: {reason}.
It already took effect at turn {first_turn}.",
    ),
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "the same side effect {times} times: {action}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[SIDE_EFFECT, ESCALATION] } else { &[SIDE_EFFECT] }
}
