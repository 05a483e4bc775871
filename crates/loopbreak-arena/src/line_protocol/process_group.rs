//! Stops a program together with all processes it started, on systems with process groups.

use std::process::{Child, Command};

/// The way in which a process group is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopSignal {
    /// Asks the processes to end; they may clean up.
    Terminate,
    /// Ends the processes immediately.
    Kill,
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt as _;

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    use super::{Child, Command, StopSignal};

    /// Gives the program its own process group. Ctrl-C on the terminal then no longer reaches it.
    pub fn isolate(command: &mut Command) {
        command.process_group(0);
    }

    /// Stops all processes of the group.
    pub fn stop(child: &mut Child, force: StopSignal) {
        let group = pid(child);
        let signal = if force == StopSignal::Kill { Signal::SIGKILL } else { Signal::SIGTERM };
        // A process that has ended needs no signal.
        let _ = killpg(group, signal);
        // A suspended process receives no signal until it continues.
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// Returns whether any process of the group is running, even after the first one has ended.
    pub fn is_running(child: &Child) -> bool {
        killpg(pid(child), None).is_ok()
    }

    fn pid(child: &Child) -> Pid {
        // Process ids fit into the type of the system.
        Pid::from_raw(child.id().cast_signed())
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Child, Command, StopSignal};

    /// Does nothing: this system has no process groups.
    pub fn isolate(_: &mut Command) {}

    /// Kills the program itself; this system has no process groups.
    pub fn stop(child: &mut Child, _: StopSignal) {
        let _ = child.kill();
    }

    /// Always returns false: this system has no process groups.
    pub fn is_running(_: &Child) -> bool {
        false
    }
}

pub use system::{is_running, isolate, stop};
