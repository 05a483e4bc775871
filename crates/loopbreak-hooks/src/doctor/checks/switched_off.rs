//! Is the guard switched off, or does it not use everything that its files say?

use loopbreak::Mode;

use crate::doctor::{CheckFinding, DoctorContext};

/// Looks at the environment and at the mode of the configuration.
pub(super) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    if context.is_disabled {
        findings.push(CheckFinding::problem(
            "the guard is switched off: LOOPBREAK=off is set",
            "unset the variable; agents that are started from here have it too",
        ));
    }
    match &context.mode {
        Ok(Mode::Off) => findings.push(CheckFinding::problem(
            "the guard is switched off: the configuration says mode = \"off\"",
            "`loopbreak status` and `loopbreak config check` name the file",
        )),
        Ok(Mode::Observe) => findings.push(CheckFinding::warning(
            "the guard says nothing to the agent: the configuration says mode = \"observe\"",
            "`loopbreak config check` names the file",
        )),
        Ok(_) => {}
        Err(error) => findings.push(CheckFinding::problem(
            format!("the configuration cannot be loaded: {error}"),
            "run `loopbreak config check`",
        )),
    }
    for line in
        context.notice.iter().flat_map(|notice| notice.lines()).filter(|line| line.contains("not used"))
    {
        let line = line.trim_start_matches("Loopbreak: ");
        findings.push(CheckFinding::warning(line, "`loopbreak status` lists what is not used, and why"));
    }
    findings
}
