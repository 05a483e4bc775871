//! Problems of settings.

use std::fmt;

/// One problem of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The option, such as `stagnation.max_turns`.
    pub path: String,
    /// The problem.
    pub message: String,
    /// A hint that says what to do.
    pub hint: String,
}

/// All problems of the settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SettingsProblems(pub Vec<SettingsProblem>);

impl fmt::Display for SettingsProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {}; {}", problem.path, problem.message, problem.hint)?;
        }
        Ok(())
    }
}
