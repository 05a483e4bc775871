//! A program with all that it started: a process group, where the system has such a thing.

use std::process::{Child, Command};

/// How strongly a group is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// It may tidy up.
    Terminate,
    /// At once.
    Kill,
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt as _;

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    use super::{Child, Command, StopSignal};

    /// The program will have a group of its own. A Ctrl-C on the terminal does not reach it then.
    pub fn isolate(command: &mut Command) {
        command.process_group(0);
    }

    /// Asks all of the group to end, or ends it.
    pub fn stop(child: &mut Child, force: StopSignal) {
        let group = pid(child);
        let signal = if force == StopSignal::Kill { Signal::SIGKILL } else { Signal::SIGTERM };
        // Whoever is gone needs no signal.
        let _ = killpg(group, signal);
        // One that was stopped hears nothing before it goes on.
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// Whether any process of the group is there, also after its first one is gone.
    pub fn is_running(child: &Child) -> bool {
        killpg(pid(child), None).is_ok()
    }

    fn pid(child: &Child) -> Pid {
        // Process ids fit: the system's own type is this one.
        Pid::from_raw(child.id().cast_signed())
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Child, Command, StopSignal};

    /// There are no groups here.
    pub fn isolate(_: &mut Command) {}

    /// Only the program itself can be ended here, and not gently.
    pub fn stop(child: &mut Child, _: StopSignal) {
        let _ = child.kill();
    }

    /// Nobody knows.
    pub fn is_running(_: &Child) -> bool {
        false
    }
}

pub use system::{is_running, isolate, stop};
