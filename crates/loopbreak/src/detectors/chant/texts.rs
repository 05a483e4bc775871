//! Texts about the findings of `chant`.

use crate::advice::{ESCALATION, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`say`; `outcome` of steps without an action",
    effect: "warns, then asks a human",
    catches: "a text that repeats itself; a message that is sent {warn_at} times while nothing new is done",
    ignores: "lists, tables, code, logs; short acknowledgements; conversations",
    guide: include_str!("guide.md"),
    templates: &[CHANT],
    reason,
    advice,
};

const VALUES: &[&str] =
    &["turn", "since", "count", "rounds", "words", "bytes", "unit", "times", "message", "reason"];

const CHANT: &Template = &Template {
    name: "chant",
    audience: Audience::Agent,
    values: VALUES,
    neutral: "Since turn {since}: {reason}.
Stop here. State in one sentence what is left to do, then do it.",
    zork: None,
    hook: Some("Loop guard: since turn {since}: {reason}."),
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::RepeatedMessage => "the same message {times} times: {message}",
        _ => "the text repeats itself {rounds} times: {unit}",
    }
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[CHANT, ESCALATION] } else { &[CHANT] }
}
