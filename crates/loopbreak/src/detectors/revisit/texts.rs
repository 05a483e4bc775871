//! Texts about the findings of `revisit`.

use crate::advice::{PLACE_VALUES, REFUSED, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`place`, `action`, `critic`",
    effect: "refuses a proposal",
    catches: "a return to one of the last {window} places",
    ignores: "staying at one place; moves to unknown places",
    guide: include_str!("guide.md"),
    templates: &[TO_CRITIC],
    reason,
    advice,
};

const TO_CRITIC: &Template = &Template {
    name: "revisit",
    audience: Audience::Critic,
    values: PLACE_VALUES,
    neutral: "The agent returned to {location_name}, where it spent {recent_visits} of the last turns.",
    zork: None,
    hook: None,
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "back at {location_name}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention == Intervention::Hint { &[TO_CRITIC] } else { &[REFUSED] }
}
