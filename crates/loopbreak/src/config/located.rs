//! Problems with a configuration, each with the place it comes from. Data only: how they look is for the caller.

use std::fmt;

use super::origin::{Origin, Spot};

/// More problems than this help nobody, and a file of a million wrong keys shall not take minutes.
pub(crate) const MOST: usize = 100;

/// A configuration that cannot be used, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// What is wrong: first the file's problems in the order of its lines, then environment and flags.
    pub problems: Vec<Located>,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What is wrong, with the option's name.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// The option, as in `stagnation.max_turns`, where the problem is about a known one.
    pub option: Option<String>,
    /// Where it was set; the first is the place to look at, and there is at least one.
    pub marks: Vec<Mark>,
    /// What else plays a part, such as a default.
    pub notes: Vec<String>,
}

/// A place that plays a part in a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The place.
    pub origin: Origin,
    /// What is there; empty where the message says all.
    pub label: String,
}

impl Located {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>, origin: Origin) -> Self {
        Located {
            message: message.into(),
            hint: hint.into(),
            option: None,
            marks: vec![Mark { origin, label: String::new() }],
            notes: Vec::new(),
        }
    }

    pub(crate) fn about(mut self, option: &str) -> Self {
        self.option = Some(option.to_owned());
        self
    }

    /// The place in the file to look at, if the problem is in one.
    pub fn spot(&self) -> Option<&Spot> {
        self.marks.first().and_then(|mark| mark.origin.spot())
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(mark) = self.marks.first().filter(|mark| mark.origin.is_set()) {
            write!(f, "{}: ", mark.origin)?;
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
    /// Puts problems in the order of the file.
    pub(crate) fn of(mut problems: Vec<Located>) -> Self {
        problems.sort_by_key(|problem| problem.spot().map_or(usize::MAX, |spot| spot.span.start));
        problems.truncate(MOST);
        ConfigError { problems }
    }

    /// Whether more problems are worth looking for.
    pub(crate) fn enough(problems: &[Located]) -> bool {
        problems.len() >= MOST
    }
}

/// A text of the user's in quotes, without anything a terminal would obey, and not too long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{:?}", head + "…")
}
