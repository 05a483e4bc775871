//! Texts about the findings of `budget`.

use crate::advice::{LIMIT_VALUES, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "turns, `at`, `usage`",
    effect: "nothing until you set a limit; then stops the run",
    catches: "a limit of turns, time or money that you set",
    ignores: "anything without a limit",
    guide: include_str!("guide.md"),
    templates: &[BUDGET],
    reason,
    advice,
};

const BUDGET: &Template = &Template {
    name: "budget",
    audience: Audience::User,
    values: LIMIT_VALUES,
    neutral: "{reason}.",
    zork: None,
    hook: None,
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::MaxRuntime => "{pattern}: {runtime} of {max_runtime} used",
        Pattern::MaxCost => "{pattern}: ${used} of ${limit} used",
        Pattern::MaxCostSession
        | Pattern::MaxCostHour
        | Pattern::MaxCostDay
        | Pattern::MaxCostTotal
        | Pattern::MaxCostPerMinute => "{pattern}: ${used} of ${limit} used {spent_in}",
        _ => "{pattern}: {used} of {limit} used",
    }
}

fn advice(_: Pattern, _: Intervention) -> &'static [&'static Template] {
    &[BUDGET]
}
