//! Texts about the findings of `revisit`.

use crate::advice::{PLACE_VALUES, REFUSED, Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`place`, `action`, `critic`, `score`, `objectives`, `progress`",
    effect: "refuses a proposal",
    catches: "a return to one of the last {window} places; {dead_end_at} visits to a place that never led to progress",
    ignores: "staying at one place; moves to unknown places; hubs and corridors that led to something",
    guide: include_str!("guide.md"),
    templates: &[TO_CRITIC, DEAD_END, DEAD_END_CRITIC],
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

const DEAD_END: &Template = &Template {
    name: "dead_end",
    audience: Audience::Agent,
    values: PLACE_VALUES,
    neutral: "This is visit {visits} to {location_name} since turn {since}. None of them led to progress, there or within {reach} turns after it. Try something new here, or another place.
Exits not tried yet: {exits}",
    zork: Some(
        "Possible dead end: {location_name} ({visits} visits since turn {since}, no progress there or within {reach} turns after it)
Unexplored directions: {exits}",
    ),
    hook: None,
};

const DEAD_END_CRITIC: &Template = &Template {
    name: "dead_end_critic",
    audience: Audience::Critic,
    values: PLACE_VALUES,
    neutral: "The agent visited {location_name} {visits} times since turn {since}. None of the visits led to progress.",
    zork: Some("Possible dead end: {location_name} ({visits} visits since turn {since} without progress)"),
    hook: None,
};

fn reason(pattern: Pattern, _: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::DeadEnd => "{visits} visits to {location_name} without progress",
        _ => "back at {location_name}",
    }
}

fn advice(pattern: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    match (pattern, intervention) {
        (Pattern::DeadEnd, _) => &[DEAD_END, DEAD_END_CRITIC],
        (_, Intervention::Hint) => &[TO_CRITIC],
        _ => &[REFUSED],
    }
}
