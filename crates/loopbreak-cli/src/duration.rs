//! Durations on the command line.

use std::time::Duration;

/// Parses a duration: a number of seconds, or a number with units.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| format!("invalid duration {text:?}"));
    }
    text.parse::<loopbreak::settings::TimeSpan>()
        .map(|time| Duration::from_millis(time.millis))
        .map_err(|_| format!("invalid duration {text:?}: use a form such as 5, 90s or 1h30m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_unit_is_seconds() {
        assert_eq!(parse_duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_mins(90)));
        assert!(
            parse_duration("-1").is_err()
                && parse_duration("soon").is_err()
                && parse_duration("1e99").is_err()
        );
    }
}
