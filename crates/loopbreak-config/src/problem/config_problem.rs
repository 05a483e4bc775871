//! Problems as data. The caller decides how to display them.

use std::fmt;

use crate::source::{SourceLocation, ValueOrigin};

/// The largest number of problems that are reported. It bounds the time for a file with a million wrong keys.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// An invalid configuration, with all its problems.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// The problems: first those of the file in the order of its lines, then environment variables and flags.
    pub problems: Vec<ConfigProblem>,
}

/// One problem with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// Description of the problem, with the name of the option.
    pub message: String,
    /// Advice on how to fix it.
    pub hint: String,
    /// The option, such as `stagnation.max_turns`, if the problem is about a known one.
    pub option: Option<String>,
    /// The places that cause the problem. The first is the main one; there is at least one.
    pub labels: Vec<ProblemLabel>,
    /// Additional facts, such as a default that is involved.
    pub notes: Vec<String>,
}

/// A place that is involved in a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemLabel {
    /// The place.
    pub origin: ValueOrigin,
    /// A text to show there; empty if the message is enough.
    pub text: String,
}

impl ConfigProblem {
    /// Creates a problem with one place.
    pub fn new(message: impl Into<String>, hint: impl Into<String>, origin: ValueOrigin) -> Self {
        ConfigProblem {
            message: message.into(),
            hint: hint.into(),
            option: None,
            labels: vec![ProblemLabel { origin, text: String::new() }],
            notes: Vec::new(),
        }
    }

    /// Names the option that the problem is about.
    #[must_use]
    pub fn with_option(mut self, option: &str) -> Self {
        self.option = Some(option.to_owned());
        self
    }

    /// Replaces the places of the problem.
    #[must_use]
    pub fn with_labels(mut self, labels: Vec<ProblemLabel>) -> Self {
        self.labels = labels;
        self
    }

    /// Returns the main location in the file, if the problem is in a file.
    pub fn location(&self) -> Option<&SourceLocation> {
        self.labels.first().and_then(|label| label.origin.location())
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = self.labels.first().filter(|label| label.origin.is_set()) {
            write!(f, "{}: ", label.origin)?;
        }
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl ConfigError {
    /// Creates an error. Sorts the problems in the order of the file.
    pub fn new(mut problems: Vec<ConfigProblem>) -> Self {
        problems.sort_by_key(|problem| problem.location().map_or(usize::MAX, |location| location.span.start));
        problems.truncate(MAX_PROBLEMS);
        ConfigError { problems }
    }

    /// Returns whether the limit of problems is reached.
    pub(crate) fn is_full(problems: &[ConfigProblem]) -> bool {
        problems.len() >= MAX_PROBLEMS
    }
}

/// Quotes a text from the user: control characters are escaped, and a long text is shortened.
pub(crate) fn quote(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    if text.chars().count() <= MAX_CHARS {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(MAX_CHARS).collect();
    format!("{:?}", head + "…")
}
