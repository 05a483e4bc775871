//! Evidence: the facts behind a finding. Small, bounded, and without secrets.

mod key;
mod redaction;
mod value;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use key::EvidenceKey;
pub use redaction::EVIDENCE_BYTES;
pub(crate) use redaction::redact_and_truncate;
pub use value::EvidenceValue;
pub(crate) use value::whole_or_float;

/// Named facts behind a finding: a flat JSON object, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Sorted by key. There are only a few facts, so a vector is the fastest map.
    facts: Vec<(EvidenceKey, EvidenceValue)>,
}

impl Evidence {
    /// Creates evidence without any facts.
    pub const fn new() -> Self {
        Evidence { facts: Vec::new() }
    }

    /// Adds a fact, or replaces the one of the same name. Use [`Evidence::quote`] for texts of the agent.
    pub fn note(&mut self, key: impl Into<EvidenceKey>, value: impl Into<EvidenceValue>) -> &mut Self {
        let (key, value) = (key.into(), value.into());
        match self.position(key.as_str()) {
            Ok(index) => self.facts[index].1 = value,
            Err(index) => self.facts.insert(index, (key, value)),
        }
        self
    }

    /// Adds a text of the agent: secrets are masked, and the text is cut to [`EVIDENCE_BYTES`].
    pub fn quote(&mut self, key: impl Into<EvidenceKey>, text: &str) -> &mut Self {
        self.note(key, redact_and_truncate(text))
    }

    /// Returns a fact by its name.
    pub fn get(&self, key: impl AsRef<str>) -> Option<&EvidenceValue> {
        self.position(key.as_ref()).ok().map(|index| &self.facts[index].1)
    }

    /// Returns a fact that is a text.
    pub fn text(&self, key: impl AsRef<str>) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// Returns a fact that is a whole number and not negative.
    pub fn number(&self, key: impl AsRef<str>) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    /// Returns a fact that is a number of any kind.
    pub fn float(&self, key: impl AsRef<str>) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    /// Returns the texts of a fact that is a list. Other values in the list are skipped.
    pub fn texts(&self, key: impl AsRef<str>) -> Option<Vec<&str>> {
        self.get(key)?.as_list().map(|items| items.iter().filter_map(EvidenceValue::as_text).collect())
    }

    /// Iterates over all facts, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&EvidenceKey, &EvidenceValue)> {
        self.facts.iter().map(|(key, value)| (key, value))
    }

    /// Returns whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Finds the index of a key, or the index at which to insert it.
    fn position(&self, key: &str) -> Result<usize, usize> {
        self.facts.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }
}

impl<K: Into<EvidenceKey>, V: Into<EvidenceValue>> FromIterator<(K, V)> for Evidence {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(facts: I) -> Self {
        let mut evidence = Evidence::new();
        for (key, value) in facts {
            evidence.note(key, value);
        }
        evidence
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Evidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FactVisitor;

        impl<'de> Visitor<'de> for FactVisitor {
            type Value = Evidence;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of facts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Evidence, A::Error> {
                let mut evidence = Evidence::new();
                while let Some((key, value)) = map.next_entry::<EvidenceKey, EvidenceValue>()? {
                    evidence.note(key, value);
                }
                Ok(evidence)
            }
        }

        deserializer.deserialize_map(FactVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_written_in_the_order_of_their_names() {
        let mut evidence = Evidence::new();
        evidence.note(EvidenceKey::ROUNDS, 3_u32).note("aisle", "left").note(EvidenceKey::PERIOD, 2_u32);
        assert_eq!(serde_json::to_string(&evidence).unwrap(), r#"{"aisle":"left","period":2,"rounds":3}"#);
        evidence.note(EvidenceKey::PERIOD, 4_u32);
        assert_eq!(evidence.number(EvidenceKey::PERIOD), Some(4));
    }

    #[test]
    fn evidence_is_read_back_from_its_json() {
        let json = r#"{"exits":["north","up"],"finds":null,"penalty":-0.5,"score":-3,"task":{"id":"T1"},"used":900.0,"words":18446744073709551615}"#;
        let evidence: Evidence = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&evidence).unwrap(), json);
        assert_eq!(evidence.texts(EvidenceKey::EXITS), Some(vec!["north", "up"]));
        assert_eq!(evidence.number(EvidenceKey::WORDS), Some(u64::MAX));
        assert_eq!(evidence.float(EvidenceKey::SCORE), Some(-3.0));
        assert_eq!(evidence.number(EvidenceKey::USED), None);
        assert!(evidence.get("finds").is_some_and(EvidenceValue::is_absent));
    }
}
