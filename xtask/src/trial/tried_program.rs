//! The program that is tried.

use std::fs;
use std::path::{Path, PathBuf};

use crate::chore_failure::ChoreFailure;
use crate::process::root;
use crate::workspace_program::WorkspaceProgram;

/// Returns the program that was named on the command line of a chore, or builds one.
pub(crate) fn tried_program(
    chore: &str,
    named: Option<&Path>,
    release: bool,
) -> Result<PathBuf, ChoreFailure> {
    if let Some(program) = named {
        return fs::canonicalize(program)
            .map_err(|error| ChoreFailure::io(format_args!("find {}", program.display()), &error));
    }
    eprintln!("xtask: {chore}: building loopbreak …");
    let options: &[&str] = if release { &["--quiet", "--release"] } else { &["--quiet"] };
    WorkspaceProgram::Loopbreak.build_in(&root(), options)
}
