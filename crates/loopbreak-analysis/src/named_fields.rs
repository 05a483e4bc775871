//! Values with optional fields, inside a record whose other fields are stored by position.
//!
//! Records are stored in the `postcard` format without the names of their fields, because a log may hold a million runs.
//! A value that leaves out empty fields needs the names to be read back: it is stored as a piece of JSON. Use it with
//! `#[serde(with = "named_fields")]`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::ser::Error as _;
use serde::{Deserializer, Serialize, Serializer};

/// Writes a value with the names of its fields.
pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(&serde_json::to_vec(value).map_err(S::Error::custom)?)
}

/// Reads a value that was written with the names of its fields.
pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct PieceVisitor<T>(PhantomData<T>);

    impl<T: DeserializeOwned> Visitor<'_> for PieceVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value with named fields")
        }

        fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
            serde_json::from_slice(bytes).map_err(E::custom)
        }
    }

    deserializer.deserialize_bytes(PieceVisitor(PhantomData)).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use loopbreak::verdict::LoopId;
    use loopbreak::{DetectorName, Finding, Intervention, Pattern, Severity, evidence::Evidence};
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct StoredFindings {
        #[serde(with = "super")]
        findings: Vec<Finding>,
        count: u64,
    }

    fn finding(pattern: Pattern, intervention: Option<Intervention>) -> Finding {
        let facts = json!({
            "count": 3, "most": u64::MAX, "least": i64::MIN, "score": 0.1, "whole": 1.0, "zero": -0.0,
            "text": "dark \u{e9}", "none": null, "yes": true, "list": [1, "a", [], {}], "deep": {"a": {"b": [null]}},
        });
        let evidence: Evidence = facts.as_object().unwrap().clone().into_iter().collect();
        Finding {
            turn: 7,
            since: 3,
            detector: DetectorName::Cycle,
            pattern,
            severity: Severity::Hard,
            intervention,
            loop_id: LoopId(u64::MAX),
            agent: "main".to_owned(),
            enforced: true,
            count: 3,
            evidence,
        }
    }

    #[test]
    fn findings_are_read_back_with_and_without_their_optional_fields() {
        let custom: Pattern = "deploy_loop".parse().unwrap();
        let findings = vec![finding(Pattern::Cycle, Some(Intervention::Stop)), finding(custom, None)];
        let stored = StoredFindings { findings, count: 2 };
        let bytes = postcard::to_allocvec(&stored).unwrap();
        let read: StoredFindings = postcard::from_bytes(&bytes).unwrap();
        assert_eq!((&read.findings, read.count), (&stored.findings, 2));
        let json = |findings: &[Finding]| serde_json::to_string(findings).unwrap();
        assert_eq!(json(&read.findings), json(&stored.findings));
        let is_error = |length| postcard::from_bytes::<StoredFindings>(&bytes[..length]).is_err();
        assert!((0..bytes.len()).all(is_error));
    }
}
