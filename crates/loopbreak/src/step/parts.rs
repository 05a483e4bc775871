//! The parts of a step other than its action.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Label, StepText};

/// The outcome of an action.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct Outcome<'a> {
    /// Output of the action, as the agent saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<StepText<'a>>,
    /// Whether the action failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub error: bool,
}

/// The place of the agent after the step.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct Place<'a> {
    /// Stable id of the place. If it is absent, the name identifies the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Label<'a>>,
    /// Name of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<StepText<'a>>,
    /// Exits of the place that are known to the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    pub exits: Vec<StepText<'a>>,
}

/// Goals of the agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Objectives<'a> {
    /// Goals that are still open.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub active: Vec<StepText<'a>>,
    /// Goals that were completed in this step.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<CompletedObjective<'a>>>"))]
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub completed: Vec<CompletedObjective<'a>>,
}

/// A completed objective: a text, or a record with six keys as some game agents write it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct CompletedObjective<'a> {
    /// The objective.
    pub objective: StepText<'a>,
    /// Turn in which it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_turn: Option<u64>,
    /// Action that completed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_action: Option<StepText<'a>>,
    /// Output that showed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_response: Option<StepText<'a>>,
    /// Place where it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_location: Option<StepText<'a>>,
    /// Score at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_score: Option<f64>,
}

/// One attempt at a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task<'a> {
    /// Id of the task.
    #[serde(borrow)]
    pub id: Label<'a>,
    /// Status after the attempt: `pending`, `in_progress`, `blocked` or `done` (`completed` means `done`).
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StepText<'a>>,
    /// Blockers of the task.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub blockers: Vec<StepText<'a>>,
    /// Work done in the attempt.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub work: Vec<StepText<'a>>,
    /// Session of the attempt.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Label<'a>>,
}

/// A critic's assessment of the action, from before it was carried out.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Critic {
    /// Score from 0 (bad) to 1 (good).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Cost of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Number of tokens read by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Number of tokens written by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Reads `null` as an empty list, because many logs write it that way.
fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl<'de: 'a, 'a> Deserialize<'de> for Outcome<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OutcomeVisitor;
        impl<'de> Visitor<'de> for OutcomeVisitor {
            type Value = Outcome<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with a text")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Outcome<'de>, E> {
                Ok(Outcome { text: Some(text.into()), error: false })
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Outcome<'de>, E> {
                Ok(Outcome { text: Some(text.to_owned().into()), error: false })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outcome<'de>, A::Error> {
                let mut outcome = Outcome::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "text" => outcome.text = map.next_value()?,
                        "error" => outcome.error = map.next_value::<Option<bool>>()?.unwrap_or(false),
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(outcome)
            }
        }
        deserializer.deserialize_any(OutcomeVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Place<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlaceVisitor;
        impl<'de> Visitor<'de> for PlaceVisitor {
            type Value = Place<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with an id or a name")
            }
            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Place<'de>, E> {
                Ok(Place { name: Some(name.into()), ..Place::default() })
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Place<'de>, E> {
                Ok(Place { name: Some(name.to_owned().into()), ..Place::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Place<'de>, A::Error> {
                let mut place = Place::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "id" => place.id = map.next_value()?,
                        "name" => place.name = map.next_value()?,
                        "exits" => {
                            place.exits = map.next_value::<Option<Vec<StepText<'de>>>>()?.unwrap_or_default();
                        }
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(place)
            }
        }
        deserializer.deserialize_any(PlaceVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CompletedObjective<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CompletedObjectiveVisitor;
        impl<'de> Visitor<'de> for CompletedObjectiveVisitor {
            type Value = CompletedObjective<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with an objective")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<CompletedObjective<'de>, E> {
                Ok(CompletedObjective { objective: text.into(), ..CompletedObjective::default() })
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<CompletedObjective<'de>, E> {
                Ok(CompletedObjective { objective: text.to_owned().into(), ..CompletedObjective::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CompletedObjective<'de>, A::Error> {
                let mut completed = CompletedObjective::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "objective" => {
                            completed.objective = map.next_value::<Option<_>>()?.unwrap_or_default();
                        }
                        "completed_turn" => completed.completed_turn = map.next_value()?,
                        "completion_action" => completed.completion_action = map.next_value()?,
                        "completion_response" => completed.completion_response = map.next_value()?,
                        "completion_location" => completed.completion_location = map.next_value()?,
                        "completion_score" => completed.completion_score = map.next_value()?,
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(completed)
            }
        }
        deserializer.deserialize_any(CompletedObjectiveVisitor)
    }
}
