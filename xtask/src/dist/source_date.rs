//! The time and the name of the commit that is released.

use std::env;
use std::process::Command;

use crate::process::root;

/// Returns `SOURCE_DATE_EPOCH`, or the time of the last commit, or, outside a repository, the beginning of 1980. In seconds
/// since 1970.
pub(super) fn source_date() -> u64 {
    let given = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    given.or_else(|| git(&["log", "-1", "--format=%ct"])?.parse().ok()).unwrap_or(315_532_800)
}

/// Returns the commit and its date, as `loopbreak --version` shows them. `None` outside a repository.
pub(super) fn commit() -> Option<String> {
    git(&["log", "-1", "--abbrev=9", "--format=%h %cs"])
}

/// Returns whether files differ from the commit.
pub(super) fn has_changes() -> bool {
    git(&["status", "--porcelain", "--untracked-files=no"]).is_some()
}

/// Returns what git prints, if it prints anything.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Renders a time in seconds since 1970, as RFC 3339 in UTC.
pub(super) fn rfc3339(seconds: u64) -> String {
    // The number of days since 0000-03-01: a leap day is then the last day of its year.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rendered_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (315_532_800, "1980-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
