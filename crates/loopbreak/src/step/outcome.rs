//! Outcomes of actions.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::StepText;

/// The outcome of an action.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct Outcome<'a> {
    /// Output of the action, as the agent saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<StepText<'a>>,
    /// True if the action failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub error: bool,
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
