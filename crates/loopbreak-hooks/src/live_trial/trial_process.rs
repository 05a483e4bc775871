//! The process of an agent.

use std::io;
use std::process::{Child, Command};

/// A running agent. When it is dropped, the agent and all processes that it started are ended.
pub(super) struct TrialProcess(Child);

impl TrialProcess {
    /// Starts an agent in a process group of its own, so that what it starts ends with it.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(TrialProcess)
    }

    /// Returns whether the agent has ended by itself.
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        self.0.try_wait().map(|status| status.is_some())
    }
}

impl Drop for TrialProcess {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            use nix::unistd::Pid;

            // Process ids fit into the type of the system. A group that has ended needs no signal.
            let _ = killpg(Pid::from_raw(self.0.id().cast_signed()), Signal::SIGKILL);
        }
        #[cfg(not(unix))]
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
