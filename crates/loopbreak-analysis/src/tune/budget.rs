//! The budget of a search: a number of trials, or a time.

use std::str::FromStr;
use std::time::Duration;

/// The budget of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TuneBudget {
    /// A number of trials.
    Trials(usize),
    /// A time.
    Time(Duration),
}

/// Maximum number of trials.
const MOST: usize = 1_000_000;

impl FromStr for TuneBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is neither a number of trials (from 1 to {MOST}) nor a time such as 90s, 10m or 2h"
            )
        };
        let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        let seconds = match &text[digits.len()..] {
            "" => {
                let trials = usize::try_from(number).ok().filter(|trials| (1..=MOST).contains(trials));
                return trials.map(TuneBudget::Trials).ok_or_else(wrong);
            }
            "s" => number.checked_mul(1),
            "m" | "min" => number.checked_mul(60),
            "h" => number.checked_mul(3600),
            _ => None,
        };
        seconds
            .filter(|seconds| *seconds > 0)
            .map(|seconds| TuneBudget::Time(Duration::from_secs(seconds)))
            .ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_number_or_a_time() {
        assert_eq!("200".parse(), Ok(TuneBudget::Trials(200)));
        for (text, seconds) in [("90s", 90), ("10m", 600), ("2h", 7200), ("1min", 60)] {
            assert_eq!(text.parse(), Ok(TuneBudget::Time(Duration::from_secs(seconds))));
        }
        for text in
            ["", "0", "0s", "-1", "1.5h", "h", "10 m", "5d", "99999999999999999999", "9999999999999999999h"]
        {
            assert!(text.parse::<TuneBudget>().is_err(), "{text}");
        }
    }
}
