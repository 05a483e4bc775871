//! Goals of the agent.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::StepText;
use super::task::null_as_empty;

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
