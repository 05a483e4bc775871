//! Texts about the findings of `errors`.

use crate::advice::{LIMIT_VALUES, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`outcome`, `batch`",
    effect: "warns; stops in the profiles `iterations` and `documents`",
    catches: "{warn_at} errors of one kind in a row, or {any_warn_at} of any kind",
    ignores: "errors with a success between them",
    guide: include_str!("guide.md"),
    templates: &[ERRORS],
    reason,
    advice,
};

const ERRORS: &Template = &Template {
    name: "errors",
    audience: Audience::Agent,
    values: LIMIT_VALUES,
    neutral: "{errors} errors in a row since turn {since}. Last error: {last_error}
Last call: {action}
Do not retry yet. Name the cause of this error, check it with one call, then change what causes it.",
    zork: None,
    hook: Some(
        "Loop guard: {errors} errors in a row since turn {since}. Last error: {last_error}
Last call: {action}",
    ),
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "{errors} errors in a row"
}

fn advice(_: Pattern, _: Intervention) -> &'static [&'static Template] {
    &[ERRORS]
}
