//! Points in time: milliseconds since 1970-01-01T00:00:00Z, parsed from RFC 3339 or an integer.
//!
//! The engine needs no other calendar functions, and this is fast enough for logs of millions of lines.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EpochMillis(pub i64);

/// An error for a text that is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid time: use RFC 3339 such as 2025-11-04T09:35:24Z, or an integer in milliseconds since 1970")]
pub struct TimeError;

impl EpochMillis {
    /// Parses an RFC 3339 time. A time without a zone is UTC. The `T` may be a space, and the seconds may be missing.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        parse(text.trim().as_bytes()).map(EpochMillis).ok_or(TimeError)
    }

    /// Formats the time as RFC 3339 in UTC: `2025-11-04T09:35:24.000Z`. Returns `None` if the year does not have four digits.
    pub fn rfc3339(self) -> Option<String> {
        let (days, rest) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = date(days);
        if !(0..=9999).contains(&year) {
            return None;
        }
        let (second, millis) = (rest / 1000, rest % 1000);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"))
    }
}

/// Returns year, month and day of a day since 1970 in the Gregorian calendar. Counts in eras of 400 years that begin in
/// March, so that a leap day comes last.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

fn parse(text: &[u8]) -> Option<i64> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix(b"-")?, 2)?;
    let (day, rest) = digits(rest.strip_prefix(b"-")?, 2)?;
    let days = days_since_epoch(year, month, day)?;
    if rest.is_empty() {
        return Some(days * 86_400_000);
    }
    let [b'T' | b't' | b' ', rest @ ..] = rest else { return None };
    let (hour, rest) = digits(rest, 2)?;
    let (minute, mut rest) = digits(rest.strip_prefix(b":")?, 2)?;
    let (mut second, mut millis) = (0, 0);
    if let Some(after) = rest.strip_prefix(b":") {
        (second, rest) = digits(after, 2)?;
        if let [b'.' | b',', after @ ..] = rest {
            let count = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if count == 0 {
                return None;
            }
            for place in 0..3 {
                millis = millis * 10 + after[..count].get(place).map_or(0, |digit| i64::from(digit - b'0'));
            }
            rest = &after[count..];
        }
    }
    // 60 is a leap second. It counts as the start of the next minute.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match rest {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let (hours, rest) = digits(rest, 2)?;
            let (minutes, rest) = digits(rest.strip_prefix(b":").unwrap_or(rest), 2)?;
            if !rest.is_empty() || hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = hours * 60 + minutes;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    Some(days * 86_400_000 + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis)
}

fn digits(text: &[u8], count: usize) -> Option<(i64, &[u8])> {
    let (head, rest) = text.split_at_checked(count)?;
    let mut number = 0;
    for byte in head {
        number = number * 10 + i64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
    }
    Some((number, rest))
}

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar. Counts years from March, so that a leap day comes last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
}

impl Serialize for EpochMillis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<'de> Deserialize<'de> for EpochMillis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EpochMillisVisitor;
        impl Visitor<'_> for EpochMillisVisitor {
            type Value = EpochMillis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 time or an integer in milliseconds")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<EpochMillis, E> {
                EpochMillis::parse(text).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, millis: i64) -> Result<EpochMillis, E> {
                Ok(EpochMillis(millis))
            }
            fn visit_u64<E: Error>(self, millis: u64) -> Result<EpochMillis, E> {
                i64::try_from(millis).map(EpochMillis).map_err(|_| E::custom(TimeError))
            }
        }
        deserializer.deserialize_any(EpochMillisVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants_are_parsed_correctly() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2025-11-04T09:35:24Z", 1_762_248_924_000),
            ("2025-11-04T09:35:24", 1_762_248_924_000),
            ("2025-11-04 09:35:24.5+01:00", 1_762_245_324_500),
            ("2024-02-29T23:59:60Z", 1_709_251_200_000),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2025-06-09T20:06:51.173431", 1_749_499_611_173),
            ("2000-01-01", 946_684_800_000),
        ] {
            assert_eq!(EpochMillis::parse(text), Ok(EpochMillis(millis)), "{text}");
        }
    }

    #[test]
    fn a_formatted_time_parses_back() {
        for millis in [0, 1, -1, 1_762_248_924_000, 951_782_400_000, 951_868_799_999, -62_135_596_800_000] {
            let text = EpochMillis(millis).rfc3339().unwrap();
            assert_eq!(EpochMillis::parse(&text).unwrap().0, millis, "{text}");
        }
        assert_eq!(EpochMillis(1_762_248_924_000).rfc3339().as_deref(), Some("2025-11-04T09:35:24.000Z"));
        assert_eq!(EpochMillis(i64::MAX).rfc3339(), None);
    }

    #[test]
    fn invalid_times_are_errors() {
        for text in [
            "",
            "yesterday",
            "2025-13-01T00:00:00Z",
            "2025-02-29",
            "2025-01-01T24:00:00Z",
            "2025-01-01T00:00:00+1",
            "2025-01-01T00:00:00.Z",
            "2025-01-01T00",
        ] {
            assert_eq!(EpochMillis::parse(text), Err(TimeError), "{text}");
        }
    }
}
