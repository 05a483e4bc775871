//! Lengths of time, as people write them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A length of time: whole milliseconds, or a text such as `"15m"`, `"1h30m"`, `"90s"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration {
    /// In milliseconds.
    pub millis: u64,
}

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl Duration {
    /// So many minutes.
    pub const fn minutes(minutes: u64) -> Self {
        Duration { millis: minutes * 60_000 }
    }

    /// Reads `"1h30m"` and the like.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(millis) = text.parse() {
            return Some(Duration { millis });
        }
        let (mut rest, mut millis) = (text, 0_u64);
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let number: u64 = rest[..digits].parse().ok()?;
            rest = &rest[digits..];
            let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let (_, unit) = UNITS.iter().find(|(name, _)| *name == &rest[..letters])?;
            millis = millis.checked_add(number.checked_mul(*unit)?)?;
            rest = rest[letters..].trim_start();
        }
        Some(Duration { millis })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.millis == 0 {
            return f.write_str("0");
        }
        let mut left = self.millis;
        for (name, unit) in UNITS {
            if left >= unit {
                write!(f, "{}{name}", left / unit)?;
                left %= unit;
            }
        }
        Ok(())
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Duration;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("whole milliseconds or a text such as \"15m\"")
            }
            fn visit_u64<E: Error>(self, millis: u64) -> Result<Duration, E> {
                Ok(Duration { millis })
            }
            fn visit_i64<E: Error>(self, millis: i64) -> Result<Duration, E> {
                u64::try_from(millis)
                    .map(|millis| Duration { millis })
                    .map_err(|_| E::custom("a length of time is not negative"))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
                Duration::parse(text).ok_or_else(|| {
                    E::custom(format!(
                        "not a length of time: {text:?}; write it like \"15m\", \"1h30m\" or \"90s\""
                    ))
                })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Whole milliseconds, or a text such as \"15m\", \"1h30m\", \"90s\".",
            "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_and_programs_both_can_write_a_length_of_time() {
        for (text, millis) in [
            ("15m", 900_000),
            ("1h30m", 5_400_000),
            ("90s", 90_000),
            ("3600000", 3_600_000),
            ("250ms", 250),
            ("1h 5m", 3_900_000),
            ("0", 0),
        ] {
            assert_eq!(Duration::parse(text), Some(Duration { millis }), "{text}");
        }
        for text in ["", "m", "5 parsecs", "-3s", "1h30", "99999999999999999999h"] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for millis in [0, 1, 999, 60_000, 3_600_000, 5_400_250, 90_061_001] {
            let shown = Duration { millis }.to_string();
            assert_eq!(Duration::parse(&shown), Some(Duration { millis }), "{shown}");
        }
    }
}
