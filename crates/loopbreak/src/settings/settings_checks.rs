//! Checks of settings.

use std::fmt;
use std::ops::RangeInclusive;

use super::SettingsProblem;

/// Collects problems, each with the option it is about.
#[derive(Default)]
pub(crate) struct SettingsChecks {
    table: String,
    problems: Vec<SettingsProblem>,
}

impl SettingsChecks {
    /// Returns the problems that were found.
    pub(super) fn into_problems(self) -> Vec<SettingsProblem> {
        self.problems
    }

    pub(super) fn table(&mut self, name: &str, check: impl FnOnce(&mut SettingsChecks)) {
        name.clone_into(&mut self.table);
        check(self);
        self.table.clear();
    }

    /// Requires a value within a range.
    pub(crate) fn within<T: PartialOrd + fmt::Display + Copy>(
        &mut self,
        option: &str,
        value: T,
        range: &RangeInclusive<T>,
    ) {
        self.that(range.contains(&value), option, || {
            (
                format!("{value} is out of range"),
                format!("give a value from {} to {}", range.start(), range.end()),
            )
        });
    }

    /// Requires a penalty: a value from -1 to below 0.
    pub(crate) fn penalty(&mut self, option: &str, value: f64) {
        self.that((-1.0..0.0).contains(&value), option, || {
            (
                format!("{value} is out of range"),
                "give a value from -1 to below 0; to take nothing away, switch the detector off".into(),
            )
        });
    }

    /// Requires that the warning comes before the intervention.
    pub(crate) fn warns_first(&mut self, warn_at: u32, hard_at: u32) {
        self.warns_first_by(("warn_at", warn_at), ("hard_at", hard_at));
    }

    /// Requires that the warning comes before the intervention, for options with other names.
    pub(crate) fn warns_first_by(&mut self, (warn, warn_at): (&str, u32), (hard, hard_at): (&str, u32)) {
        self.within(warn, warn_at, &(2..=1000));
        self.that(hard_at == 0 || warn_at < hard_at, hard, || {
            (
                format!("{hard} ({hard_at}) must be above {warn} ({warn_at})"),
                format!("the warning must come before the intervention: raise {hard}, lower {warn}, or set {hard} = 0 to disable it"),
            )
        });
    }

    /// Requires a condition. If it does not hold, `say` gives the message and the hint.
    pub(crate) fn that(&mut self, holds: bool, option: &str, say: impl FnOnce() -> (String, String)) {
        if !holds {
            let (message, hint) = say();
            let path =
                if self.table.is_empty() { option.to_owned() } else { format!("{}.{option}", self.table) };
            self.problems.push(SettingsProblem { path, message, hint });
        }
    }
}
