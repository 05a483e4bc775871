//! Checks the workflows and the action of GitHub against the schemas of their formats.

use std::fs;
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run};
use crate::python::WORKFLOW_SCHEMAS;

/// The folder of the workflows.
const WORKFLOWS: &str = ".github/workflows";

/// Checks every workflow and the action. Installs the schemas if they are missing.
pub(crate) fn check() -> Result<(), ChoreFailure> {
    WORKFLOW_SCHEMAS.install()?;
    let entries = fs::read_dir(root().join(WORKFLOWS))
        .map_err(|error| ChoreFailure::io(format_args!("list {WORKFLOWS}"), &error))?;
    let mut workflows: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    workflows.sort();
    let check = |schema: &str| {
        let mut command = Command::new(WORKFLOW_SCHEMAS.program("check-jsonschema"));
        command.args(["--builtin-schema", schema]).current_dir(root());
        command
    };
    run(check("vendor.github-workflows").args(workflows))?;
    run(check("vendor.github-actions").arg("action.yml"))
}
