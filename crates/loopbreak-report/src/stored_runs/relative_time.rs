//! Times relative to now, and measures, in words.

use loopbreak::step::EpochMillis;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Formats a duration in milliseconds with one unit: `40 s`, `3 min`, `2 h`, `5 days`.
pub(super) fn duration(millis: i64) -> String {
    match millis.max(0) {
        short @ ..MINUTE => format!("{} s", short / SECOND),
        minutes @ ..HOUR => format!("{} min", minutes / MINUTE),
        hours @ ..DAY => format!("{} h", hours / HOUR),
        days if days < 2 * DAY => "1 day".to_owned(),
        days => format!("{} days", days / DAY),
    }
}

/// Formats a time in the past: `3 min ago`.
pub(super) fn ago(at: i64, now: i64) -> String {
    format!("{} ago", duration(now.saturating_sub(at)))
}

/// Returns the date and the time of day in UTC: `2025-11-04` and `09:35:24`.
pub(super) fn date_and_time(at: i64) -> (String, String) {
    let text = EpochMillis(at).rfc3339().unwrap_or_default();
    let (date, time) = text.split_once('T').unwrap_or_default();
    (date.to_owned(), time.get(..8).unwrap_or_default().to_owned())
}

/// Formats how often something happened: `refused once`, `refused 9 times`. Returns `None` if it did not.
pub(super) fn times(what: &str, count: u64) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("{what} once")),
        count => Some(format!("{what} {} times", crate::number::grouped(count))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_one_unit() {
        let of = |millis| duration(millis);
        assert_eq!([of(-5), of(59_999), of(MINUTE), of(HOUR - 1)], ["0 s", "59 s", "1 min", "59 min"]);
        assert_eq!([of(HOUR), of(DAY - 1), of(DAY), of(2 * DAY)], ["1 h", "23 h", "1 day", "2 days"]);
        assert_eq!(ago(i64::MIN, i64::MAX), format!("{} days ago", i64::MAX / DAY));
    }

    #[test]
    fn a_time_is_split_into_date_and_time_of_day() {
        assert_eq!(date_and_time(1_762_248_924_123), ("2025-11-04".to_owned(), "09:35:24".to_owned()));
        assert_eq!(date_and_time(i64::MAX), (String::new(), String::new()));
    }
}
