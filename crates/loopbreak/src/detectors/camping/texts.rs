//! Texts about the findings of `camping`.

use crate::advice::{PLACE_VALUES, REFUSED, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`place`, `action`, `critic`",
    effect: "refuses a proposal",
    catches: "{threshold} of the last {window} turns at one place",
    ignores: "visits before that; proposals that lead elsewhere",
    guide: include_str!("guide.md"),
    templates: &[TO_AGENT, TO_CRITIC],
    reason,
    advice,
};

const TO_AGENT: &Template = &Template {
    name: "camping",
    audience: Audience::Agent,
    values: PLACE_VALUES,
    neutral: "You spent {visit_count} of the last {window_size} turns at {camped_location_name}.
Exits not tried yet: {exits}",
    zork: Some(
        "⚠️ Location Camping: {camped_location_name} ({visit_count} visits in {window_size} turns)
Unexplored directions: {exits}",
    ),
    hook: None,
};

const TO_CRITIC: &Template = &Template {
    name: "camping_critic",
    audience: Audience::Critic,
    values: PLACE_VALUES,
    neutral: "The agent spent {visit_count} of the last {window_size} turns at {camped_location_name}.",
    zork: Some("⚠️ Location Camping: {camped_location_name} ({visit_count} visits in {window_size} turns)"),
    hook: None,
};

fn reason(_: Pattern, _: &TemplateValues) -> &'static str {
    "{visit_count} of the last {window_size} turns at {camped_location_name}"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    if intervention.is_advice() { &[TO_AGENT, TO_CRITIC] } else { &[REFUSED] }
}
