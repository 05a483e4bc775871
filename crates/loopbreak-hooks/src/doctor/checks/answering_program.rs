//! Is the program that answers this one?

use crate::doctor::{CheckFinding, DoctorContext, HookProgram};
use crate::install::program_on_path;

/// Compares the program of the installed command, and `loopbreak` on the PATH, with this program.
pub(super) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let agent = context.agent;
    let mut findings = Vec::new();
    if let Some(found) = context.tested() {
        let program = HookProgram::identify(&found.command, agent);
        findings.push(match program.fault(agent, found.scope_option()) {
            None => CheckFinding::good(format!(
                "the command is this program, version {}",
                env!("CARGO_PKG_VERSION")
            )),
            Some((fault, advice)) => CheckFinding::problem(fault, advice),
        });
        if program != HookProgram::This {
            return findings;
        }
    }
    let on_path = HookProgram::identify(&format!("loopbreak hook {}", agent.name()), agent);
    let needs_path = context.tested().is_none() && !context.plugins().is_empty();
    match (on_path, program_on_path("loopbreak")) {
        (HookProgram::Other(path), _) => findings.push(CheckFinding::warning(
            format!("`loopbreak` on the PATH is another program, maybe another version: {}", path.display()),
            "hooks of projects and plugins call that one; remove it, or put the folder of this program first",
        )),
        (HookProgram::NotOnPath(_), _) if needs_path => findings.push(CheckFinding::problem(
            "`loopbreak` is not on the PATH, so the plugin cannot call it",
            "add the folder of this program to the PATH that the agent has",
        )),
        (HookProgram::This, Some(path)) if needs_path => {
            findings.push(CheckFinding::good(format!(
                "`loopbreak` on the PATH is this program: {}",
                path.display()
            )));
        }
        _ => {}
    }
    findings
}
