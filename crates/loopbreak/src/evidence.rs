//! What a finding rests on: small, bounded, without secrets.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::text::{clip::clip, secret::mask_secrets};

/// The longest text in a piece of evidence, in bytes.
pub const EVIDENCE_BYTES: usize = 200;

/// Named facts behind a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Evidence(Map<String, Value>);

impl Evidence {
    /// Adds a fact that is no text of the agent's.
    pub(crate) fn note(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a text of the agent's: secrets masked, cut to [`EVIDENCE_BYTES`].
    pub(crate) fn quote(&mut self, name: &str, text: &str) -> &mut Self {
        self.note(name, quoted(text))
    }

    /// A fact by its name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// A text by its name.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    /// A list of texts by its name.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.0
            .get(name)?
            .as_array()
            .map(|items| items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// A number by its name.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// All facts as one JSON object.
    pub(crate) fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All facts.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }
}

/// Facts that were evidence before, and were put away: texts come back as they are.
impl FromIterator<(String, Value)> for Evidence {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(facts: I) -> Self {
        Evidence(facts.into_iter().collect())
    }
}

/// A text fit for evidence: secrets masked, then cut.
pub(crate) fn quoted(text: &str) -> String {
    // Masking looks at a little more than is kept, so that a secret that straddles the cut is seen whole.
    let text = clip(text, 4 * EVIDENCE_BYTES);
    clip(&mask_secrets(text), EVIDENCE_BYTES).to_owned()
}
