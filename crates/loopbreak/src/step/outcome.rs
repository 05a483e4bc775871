//! Outcomes of actions.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Denial, StepText};

/// The outcome of an action.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = super::schema::allow_text))]
pub struct Outcome<'a> {
    /// Output of the action, as the agent saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<StepText<'a>>,
    /// True if the action failed, false if it succeeded. If this, the exit code and the denial are all absent, the words
    /// of the text decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
    /// Exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// The party that denied the action, if it was not carried out: `user`, `guard` or `policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<Denial>,
}

impl<'a> Outcome<'a> {
    /// Creates an outcome that is not marked as a success or a failure.
    pub fn new(text: impl Into<StepText<'a>>) -> Self {
        Outcome { text: Some(text.into()), ..Outcome::default() }
    }

    /// Marks the outcome as a failure or a success.
    #[must_use]
    pub fn with_error(mut self, error: bool) -> Self {
        self.error = Some(error);
        self
    }

    /// Returns whether the outcome is marked as a failure.
    pub fn is_error(&self) -> bool {
        self.error == Some(true)
    }
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
                Ok(Outcome::new(text))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Outcome<'de>, E> {
                Ok(Outcome::new(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outcome<'de>, A::Error> {
                let mut outcome = Outcome::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        "text" => outcome.text = map.next_value()?,
                        "error" => outcome.error = map.next_value()?,
                        "exit" => outcome.exit = map.next_value()?,
                        "denied" => {
                            let name: Option<StepText<'de>> = map.next_value()?;
                            outcome.denied = Denial::from_name(name.as_deref());
                        }
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(outcome)
            }
        }
        deserializer.deserialize_any(OutcomeVisitor)
    }
}
