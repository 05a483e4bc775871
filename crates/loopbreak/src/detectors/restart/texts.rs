//! Texts about the findings of `restart`.

use crate::advice::{Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "many runs: the first `user` text, and how each run ended",
    effect: "warns the user",
    catches: "{warn_at} runs in a row with the same prompt that ended early",
    ignores: "short successful runs; other prompts",
    guide: include_str!("guide.md"),
    templates: &[RESTART],
    reason,
    advice,
};

const VALUES: &[&str] = &["count", "runs", "seconds", "prompt", "last_run", "ended_with", "reason"];

const RESTART: &Template = &Template {
    name: "restart",
    audience: Audience::User,
    values: VALUES,
    neutral: "{reason}
The last run was {last_run}.
It ended with: {ended_with}
Starting it again will not help. Find out why the runs end.",
    zork: None,
    hook: None,
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::Spawning => {
            "{runs} runs with the same prompt were started within {seconds} s without a result: {prompt}"
        }
        _ => "{runs} runs in a row with the same prompt ended early: {prompt}",
    }
}

fn advice(_: Pattern, _: Intervention) -> &'static [&'static Template] {
    &[RESTART]
}
