//! Texts about the findings of `noop`.

use crate::advice::{ESCALATION, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`action`, `outcome`, `say`",
    effect: "warns, then asks a human",
    catches: "{warn_at} edits without effect; {idle_warn_at} messages without a tool call",
    ignores: "one unneeded edit; a reverted change; conversations; a final summary",
    guide: include_str!("guide.md"),
    templates: &[NOOP],
    reason,
    advice,
};

const VALUES: &[&str] =
    &["turn", "since", "count", "edits", "messages", "message", "action", "outcome", "reason"];

const NOOP: &Template = &Template {
    name: "noop",
    audience: Audience::Agent,
    values: VALUES,
    neutral: "Since turn {since}: {reason}.
Nothing has changed since then. Check the actual state, then make a change that has an effect, or state that the work is done.",
    zork: None,
    hook: Some(
        "Loop guard: since turn {since}: {reason}.
Nothing has changed since then.",
    ),
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::Idle => "{messages} messages in a row without a tool call",
        Pattern::NoEffect => "{edits} edits reported success and had no effect: {action}",
        Pattern::Undone => "{edits} edits that undo each other: {action}",
        _ => "{edits} edits that change nothing: {action}",
    }
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.ends_run() { &[NOOP, ESCALATION] } else { &[NOOP] }
}
