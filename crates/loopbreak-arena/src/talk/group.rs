//! A program with all that it started: a process group, where the system has such a thing.

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    /// The program will have a group of its own.
    pub(crate) fn own(command: &mut Command) {
        command.process_group(0);
    }

    /// Ends all of the group, at once.
    pub(crate) fn kill(child: &mut Child) {
        // Process ids fit: the system's own type is this one. Whoever is gone needs no signal.
        let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Child, Command};

    pub(crate) fn own(_: &mut Command) {}

    /// Only the program itself can be ended here.
    pub(crate) fn kill(child: &mut Child) {
        let _ = child.kill();
    }
}

pub(super) use system::{kill, own};
