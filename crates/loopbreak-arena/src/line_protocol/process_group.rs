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
    use nix::unistd::{Pid, getpgrp, getpid};

    use super::{Child, Command, StopSignal};

    /// Gives the program its own process group. Ctrl-C on the terminal then no longer reaches it.
    pub fn isolate(command: &mut Command) {
        command.process_group(0);
    }

    /// Lets the program join the process group that another one leads.
    pub fn join(command: &mut Command, leader: &Child) {
        command.process_group(leader.id().cast_signed());
    }

    /// Stops all processes of the group.
    pub fn stop(child: &mut Child, force: StopSignal) {
        stop_group(child.id(), force);
    }

    /// Stops all processes of the group with this number.
    pub fn stop_group(id: u32, force: StopSignal) {
        let group = pid(id);
        let signal = if force == StopSignal::Kill { Signal::SIGKILL } else { Signal::SIGTERM };
        // A process that has ended needs no signal.
        let _ = killpg(group, signal);
        // A suspended process receives no signal until it continues.
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// Returns whether any process of the group is running, even after the first one has ended.
    pub fn is_running(child: &Child) -> bool {
        is_group_running(child.id())
    }

    /// Returns whether any process of the group with this number is running.
    pub fn is_group_running(id: u32) -> bool {
        killpg(pid(id), None).is_ok()
    }

    /// Returns whether this process leads its own process group.
    pub fn leads_group() -> bool {
        getpgrp() == getpid()
    }

    /// Stops all processes of the group of this process. The process itself survives if it handles the signal.
    pub fn stop_own_group(force: StopSignal) {
        stop_group(getpgrp().as_raw().cast_unsigned(), force);
    }

    fn pid(id: u32) -> Pid {
        // Process ids fit into the type of the system.
        Pid::from_raw(id.cast_signed())
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Child, Command, StopSignal};

    /// Does nothing: this system has no process groups.
    pub fn isolate(_: &mut Command) {}

    /// Does nothing: this system has no process groups.
    pub fn join(_: &mut Command, _: &Child) {}

    /// Does nothing: this system has no process groups.
    pub fn stop_group(_: u32, _: StopSignal) {}

    /// Always returns false: this system has no process groups.
    pub fn is_group_running(_: u32) -> bool {
        false
    }

    /// Always returns false: this system has no process groups.
    pub fn leads_group() -> bool {
        false
    }

    /// Does nothing: this system has no process groups.
    pub fn stop_own_group(_: StopSignal) {}

    /// Kills the program itself; this system has no process groups.
    pub fn stop(child: &mut Child, _: StopSignal) {
        let _ = child.kill();
    }

    /// Always returns false: this system has no process groups.
    pub fn is_running(_: &Child) -> bool {
        false
    }
}

pub use system::{
    is_group_running, is_running, isolate, join, leads_group, stop, stop_group, stop_own_group,
};
