//! Checks files that other programs read: the workflows and the action of GitHub, the Compose file, and the alert rules of
//! Prometheus.

use std::fs;
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run};
use crate::programs::RULE_CHECKER;
use crate::python::WORKFLOW_SCHEMAS;

/// The folder of the workflows.
const WORKFLOWS: &str = ".github/workflows";

/// The folder of the alert rules.
const RULES: &str = "integrations/prometheus";

/// Checks every workflow, the action, the Compose file and the alert rules. Installs what it needs if it is missing.
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
    run(check("vendor.github-actions").arg("action.yml"))?;
    run(check("vendor.compose-spec").arg("integrations/compose/compose.yaml"))?;
    check_rules()
}

/// Checks the alert rules, and runs their tests.
fn check_rules() -> Result<(), ChoreFailure> {
    RULE_CHECKER.install()?;
    let promtool = |arguments: &[&str]| {
        let mut command = Command::new("promtool");
        run(command.args(arguments).current_dir(root().join(RULES)))
    };
    promtool(&["check", "rules", "alerts.yml"])?;
    promtool(&["test", "rules", "alerts_test.yml"])
}
