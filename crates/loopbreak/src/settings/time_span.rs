//! Durations in settings, in a form that people write.

#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration: an integer in milliseconds, or a text such as `"15m"`, `"1h30m"`, `"90s"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeSpan {
    /// The duration in milliseconds.
    pub millis: u64,
}

/// An error for a text that is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid duration; use a form such as \"15m\", \"1h30m\" or \"90s\"")]
pub struct ParseTimeSpanError;

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl TimeSpan {
    /// Creates a duration from minutes.
    pub const fn from_minutes(minutes: u64) -> Self {
        TimeSpan { millis: minutes * 60_000 }
    }
}

impl FromStr for TimeSpan {
    type Err = ParseTimeSpanError;

    /// Parses `"1h30m"`, or a plain number of milliseconds.
    fn from_str(text: &str) -> Result<Self, ParseTimeSpanError> {
        let text = text.trim();
        if let Ok(millis) = text.parse() {
            return Ok(TimeSpan { millis });
        }
        parse_units(text).map(|millis| TimeSpan { millis }).ok_or(ParseTimeSpanError)
    }
}

fn parse_units(text: &str) -> Option<u64> {
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
    Some(millis)
}

impl fmt::Display for TimeSpan {
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

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MillisOrText;
        impl Visitor<'_> for MillisOrText {
            type Value = TimeSpan;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer in milliseconds or a text such as \"15m\"")
            }
            fn visit_u64<E: Error>(self, millis: u64) -> Result<TimeSpan, E> {
                Ok(TimeSpan { millis })
            }
            fn visit_i64<E: Error>(self, millis: i64) -> Result<TimeSpan, E> {
                u64::try_from(millis)
                    .map(|millis| TimeSpan { millis })
                    .map_err(|_| E::custom("a duration cannot be negative"))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<TimeSpan, E> {
                text.parse().map_err(|error| E::custom(format!("{text:?}: {error}")))
            }
        }
        deserializer.deserialize_any(MillisOrText)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for TimeSpan {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "An integer in milliseconds, or a text such as \"15m\", \"1h30m\", \"90s\".",
            "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_units_and_plain_milliseconds() {
        for (text, millis) in [
            ("15m", 900_000),
            ("1h30m", 5_400_000),
            ("90s", 90_000),
            ("3600000", 3_600_000),
            ("250ms", 250),
            ("1h 5m", 3_900_000),
            ("0", 0),
        ] {
            assert_eq!(text.parse(), Ok(TimeSpan { millis }), "{text}");
        }
        for text in ["", "m", "5 parsecs", "-3s", "1h30", "99999999999999999999h"] {
            assert_eq!(text.parse::<TimeSpan>(), Err(ParseTimeSpanError), "{text}");
        }
    }

    #[test]
    fn a_displayed_duration_parses_back() {
        for millis in [0, 1, 999, 60_000, 3_600_000, 5_400_250, 90_061_001] {
            let text = TimeSpan { millis }.to_string();
            assert_eq!(text.parse(), Ok(TimeSpan { millis }), "{text}");
        }
    }
}
