//! The results of checks.

use std::fmt;

use anstyle::AnsiColor;
use loopbreak::text::printable;

/// The result of a check, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckFinding {
    /// The weight of the result.
    pub level: CheckLevel,
    /// The result. It may contain texts of a settings file.
    pub text: String,
    /// Instructions for the user.
    pub advice: Option<String>,
}

/// The weight of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CheckLevel {
    /// Everything is as it should be.
    Good,
    /// The hook works, but not everywhere or not as intended.
    Warning,
    /// The hook does not work.
    Problem,
}

impl CheckFinding {
    /// Creates the result of a check that found nothing wrong.
    pub fn good(text: impl Into<String>) -> Self {
        CheckFinding { level: CheckLevel::Good, text: text.into(), advice: None }
    }

    /// Creates a warning, with instructions for the user.
    pub fn warning(text: impl Into<String>, advice: impl Into<String>) -> Self {
        CheckFinding { level: CheckLevel::Warning, text: text.into(), advice: Some(advice.into()) }
    }

    /// Creates a problem, with instructions for the user.
    pub fn problem(text: impl Into<String>, advice: impl Into<String>) -> Self {
        CheckFinding { level: CheckLevel::Problem, ..CheckFinding::warning(text, advice) }
    }

    /// Renders the result for a terminal, with the advice on a line of its own.
    pub fn render(&self) -> String {
        let style = match self.level {
            CheckLevel::Good => AnsiColor::Green.on_default(),
            CheckLevel::Warning => AnsiColor::Yellow.on_default().bold(),
            CheckLevel::Problem => AnsiColor::Red.on_default().bold(),
        };
        let advice = self.advice.iter().map(|advice| format!("           {}\n", printable(advice)));
        let advice: String = advice.collect();
        format!("  {style}{:<8}{style:#} {}\n{advice}", self.level, printable(&self.text))
    }
}

impl fmt::Display for CheckLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CheckLevel::Good => "ok",
            CheckLevel::Warning => "warning",
            CheckLevel::Problem => "problem",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_in_a_finding_stays_on_its_line() {
        let finding = CheckFinding::problem("calls \u{1b}[2Jevil\nok", "remove it");
        let red = AnsiColor::Red.on_default().bold();
        let expected = format!("  {red}problem {red:#} calls  [2Jevil ok\n           remove it\n");
        assert_eq!(finding.render(), expected);
        assert_eq!(CheckFinding::good("fine").render().lines().count(), 1);
    }
}
