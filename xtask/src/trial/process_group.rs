//! Ends a process with everything it started.

use std::process::{Child, Command, Stdio};

/// Kills the process group that a child leads, or the child alone if that fails.
pub(crate) fn kill_group(child: &mut Child) {
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    if !killed.is_ok_and(|status| status.success()) {
        let _ = child.kill();
    }
}
