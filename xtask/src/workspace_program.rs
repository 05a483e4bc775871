//! The programs of the workspace that chores run.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::chore_failure::ChoreFailure;
use crate::process::{WITH_AGENTS, root, stdout_of};

/// A program that chores run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WorkspaceProgram {
    /// The binary `loopbreak`.
    Loopbreak,
    /// The example that prints the documentation of the detectors.
    DetectorDocs,
}

impl WorkspaceProgram {
    fn name(self) -> &'static str {
        match self {
            Self::Loopbreak => "loopbreak",
            Self::DetectorDocs => "detector_docs",
        }
    }

    /// Returns the command that runs the program at the root of the workspace, after building it.
    pub(crate) fn command(self) -> Result<Command, ChoreFailure> {
        let mut command = Command::new(self.build_in(&root(), &["--quiet"])?);
        command.current_dir(root());
        Ok(command)
    }

    /// Builds the program of a checkout into the target folder of this one, and returns its path.
    ///
    /// All crates and an example are selected. Cargo then chooses the features of dependencies as it does for the tests,
    /// so that nothing is compiled twice.
    pub(crate) fn build_in(self, checkout: &Path, options: &[&str]) -> Result<PathBuf, ChoreFailure> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(["build", "--locked", "--workspace"])
            .args(WITH_AGENTS)
            .args(["--bin", Self::Loopbreak.name(), "--example", Self::DetectorDocs.name()])
            .arg("--message-format=json-render-diagnostics")
            .args(options)
            .current_dir(checkout)
            .env("CARGO_TARGET_DIR", target);
        self.find_in(&stdout_of(&mut command)?)
    }

    /// Returns the path of the program in the JSON messages of cargo.
    pub(crate) fn find_in(self, messages: &[u8]) -> Result<PathBuf, ChoreFailure> {
        String::from_utf8_lossy(messages)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message["target"]["name"] == self.name())
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .ok_or_else(|| ChoreFailure::Failed(format!("cargo did not build `{}`", self.name())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_the_messages_of_cargo() {
        let messages =
            br#"{"reason":"compiler-artifact","target":{"name":"loopbreak","kind":["lib"]},"executable":null}
warning: not JSON
{"reason":"compiler-artifact","target":{"name":"detector_docs"},"executable":"/t/detector_docs"}
{"reason":"compiler-artifact","target":{"name":"loopbreak","kind":["bin"]},"executable":"/t/loopbreak"}"#;
        let found = |program: WorkspaceProgram| program.find_in(messages).ok();
        assert_eq!(found(WorkspaceProgram::Loopbreak), Some("/t/loopbreak".into()));
        assert_eq!(found(WorkspaceProgram::DetectorDocs), Some("/t/detector_docs".into()));
        assert!(WorkspaceProgram::Loopbreak.find_in(b"{}").is_err());
    }
}
