//! Are hooks installed?

use crate::doctor::{CheckFinding, DoctorContext};

/// Reports the installation that is tested.
pub(super) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let name = context.agent.name();
    let faults = context.faults.iter().map(|fault| {
        CheckFinding::warning(
            fault.clone(),
            "its hooks were not checked; make it plain JSON without comments",
        )
    });
    let mut findings: Vec<CheckFinding> = faults.collect();
    findings.push(match (context.tested(), context.plugins().first()) {
        (Some(found), _) => {
            CheckFinding::good(format!("installed in {}: {}", found.file.display(), found.command))
        }
        (None, Some(plugin)) if context.is_installed() => {
            CheckFinding::good(format!("installed as a plugin: {}", plugin.place))
        }
        (None, _) => CheckFinding::problem("not installed", format!("run `loopbreak hook install {name}`")),
    });
    findings
}
