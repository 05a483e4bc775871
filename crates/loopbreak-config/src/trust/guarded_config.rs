//! The configuration of a guard whose agent can write files.

use std::fmt::Write as _;
use std::path::PathBuf;

use loopbreak::text::printable;
use loopbreak::{Mode, Settings};
use serde_json::{Value, json};

use super::{IgnoredOption, UnusedVariable};
use crate::source::ValueOrigin;

/// Largest number of options that a notice names.
const NAMED_OPTIONS: usize = 5;

/// The configuration of a guard whose agent can write files, and what the user should know about it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GuardedConfig {
    /// The settings.
    pub settings: Settings,
    /// The origin of the mode, if it was set.
    pub mode_origin: Option<ValueOrigin>,
    /// The file of the project, if one was read.
    pub project_file: Option<ProjectFile>,
    /// Files that were found and are not used.
    pub unused: Vec<UnusedFile>,
    /// Environment variables that are wrong and not used.
    pub unused_variables: Vec<UnusedVariable>,
}

/// The configuration file of a project.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProjectFile {
    /// Its path.
    pub path: PathBuf,
    /// The user has trusted it with its present content.
    pub is_trusted: bool,
    /// The options that were not applied because the file is not trusted.
    pub ignored: Vec<IgnoredOption>,
}

/// A configuration file that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedFile {
    /// Its path.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

impl GuardedConfig {
    /// Returns what a user has to know about the guard of a session, if it is off, only observes because a file says so, or does
    /// not use everything that the files and the environment say.
    pub fn notice(&self) -> Option<String> {
        let mut lines = Vec::new();
        let origin = self.mode_origin.as_ref();
        let from = origin.map(|origin| format!(" ({origin})")).unwrap_or_default();
        match self.settings.mode {
            Mode::Off => lines.push(format!("the guard is off: mode = \"off\"{from}")),
            Mode::Observe if origin.is_some_and(|origin| origin.location().is_some()) => {
                lines.push(format!("the guard only observes: mode = \"observe\"{from}"));
            }
            _ => {}
        }
        if let Some(file) = self.project_file.as_ref().filter(|file| !file.ignored.is_empty()) {
            lines.push(file.describe_ignored());
        }
        for UnusedFile { path, reason } in &self.unused {
            lines.push(format!("{} is not used: {reason}", path.display()));
        }
        for UnusedVariable { name, reason } in &self.unused_variables {
            lines.push(format!("the environment variable {name} is not used: {reason}"));
        }
        (!lines.is_empty()).then(|| format!("Loopbreak: {}", lines.join("\nLoopbreak: ")))
    }

    /// Renders the notice with every option that is not used. Empty if there is nothing to say.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for line in self.notice().iter().flat_map(|notice| notice.lines()) {
            // Writing to a text cannot fail.
            _ = writeln!(text, "{}", printable(line));
        }
        for ignored in self.project_file.iter().flat_map(|file| &file.ignored) {
            _ = writeln!(text, "  not used: {}", printable(&ignored.to_string()));
        }
        text
    }

    /// Returns whether everything that the files say is used.
    pub fn uses_everything(&self) -> bool {
        self.unused.is_empty() && self.project_file.as_ref().is_none_or(|file| file.ignored.is_empty())
    }

    /// Returns the same as JSON, for programs.
    pub fn to_json(&self) -> Value {
        let ignored = |ignored: &IgnoredOption| json!({"option": ignored.option, "reason": ignored.reason});
        json!({
            "mode": self.settings.mode,
            "modeFrom": self.mode_origin.as_ref().map(ToString::to_string),
            "file": self.project_file.as_ref().map(|file| file.path.display().to_string()),
            "trusted": self.project_file.as_ref().map(|file| file.is_trusted),
            "ignored": self.project_file.iter().flat_map(|file| &file.ignored).map(ignored).collect::<Vec<_>>(),
            "unused": self.unused.iter().map(|file| {
                json!({"file": file.path.display().to_string(), "reason": file.reason})
            }).collect::<Vec<_>>(),
            "unusedVariables": self.unused_variables.iter().map(|variable| {
                json!({"variable": variable.name, "reason": variable.reason})
            }).collect::<Vec<_>>(),
        })
    }
}

impl ProjectFile {
    fn describe_ignored(&self) -> String {
        let names: Vec<&str> =
            self.ignored.iter().take(NAMED_OPTIONS).map(|ignored| ignored.option.as_str()).collect();
        let mut text = format!(
            "{} is not trusted, so this part of it is not used: {}",
            self.path.display(),
            names.join(", ")
        );
        if let Some(more) = self.ignored.len().checked_sub(names.len()).filter(|more| *more > 0) {
            // Writing to a text cannot fail.
            _ = write!(text, " and {more} more");
        }
        text + ". If you want it, look at the file and run `loopbreak config trust` in its folder"
    }
}
