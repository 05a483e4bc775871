//! A guardian: a small process that ends the processes of a command if the runner is killed.
//!
//! The guardian leads a process group, and the command joins it. It reads from a pipe whose other end only the runner
//! holds. If the runner dies, for whatever reason, the pipe ends, and the guardian ends its group. As long as the guardian
//! lives, no other group can have its number.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use loopbreak_arena::line_protocol::process_group::{self, StopSignal};

use crate::error::RunError;

/// The time that the processes have to clean up before they are killed.
const GRACE: Duration = Duration::from_secs(2);
/// The longest wait for a guardian that was released.
const MAX_RELEASE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(2);
const GROUP_TICK: Duration = Duration::from_millis(50);

/// Starts guardians.
#[derive(Debug)]
pub(crate) struct GuardianStart {
    /// The command that calls [`guard_process_group`].
    pub(crate) words: Vec<OsString>,
    /// The lock of the run. A guardian holds it too, so nobody continues the run before its processes have ended.
    pub(crate) lock: Option<File>,
}

impl GuardianStart {
    /// Starts a guardian in a new process group.
    fn start(&self) -> io::Result<Child> {
        let (name, rest) = self.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let lock = self.lock.as_ref().map(File::try_clone).transpose()?;
        let mut command = Command::new(name);
        command.args(rest).stdin(Stdio::piped()).stderr(Stdio::null());
        command.stdout(lock.map_or_else(Stdio::null, Stdio::from));
        process_group::isolate(&mut command);
        command.spawn()
    }
}

/// The process group of a command, with its guardian if there is one.
#[derive(Debug)]
pub(crate) struct CommandGroup {
    guardian: Option<Child>,
}

impl CommandGroup {
    /// Starts the command in a group of its own. Ctrl-C on the terminal does not reach it, so it is passed on. If the
    /// guardian cannot be started, the command has none.
    pub(crate) fn spawn(command: &mut Command, start: Option<&GuardianStart>) -> io::Result<(Self, Child)> {
        let guardian = start.filter(|_| cfg!(unix)).and_then(|start| start.start().ok());
        if let Some(mut guardian) = guardian {
            process_group::join(command, &guardian);
            match command.spawn() {
                Ok(child) => return Ok((CommandGroup { guardian: Some(guardian) }, child)),
                Err(error) => {
                    let has_ended = guardian.try_wait().is_ok_and(|status| status.is_some());
                    release(guardian);
                    if !has_ended {
                        return Err(error);
                    }
                }
            }
        }
        process_group::isolate(command);
        let child = command.spawn()?;
        Ok((CommandGroup { guardian: None }, child))
    }

    /// Sends a signal to all processes of the group.
    pub(crate) fn stop(&mut self, child: &mut Child, signal: StopSignal) {
        process_group::stop(self.guardian.as_mut().unwrap_or(child), signal);
    }

    /// Ends the guardian after the command has ended, and returns the processes that the command left behind.
    pub(crate) fn into_leftovers(self, child: &Child) -> LeftoverGroup {
        let id = self.guardian.as_ref().unwrap_or(child).id();
        if let Some(guardian) = self.guardian {
            release(guardian);
        }
        LeftoverGroup { id }
    }
}

/// The processes of a group after the command has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftoverGroup {
    id: u32,
}

impl LeftoverGroup {
    /// Returns whether there are any.
    pub(crate) fn is_running(self) -> bool {
        process_group::is_group_running(self.id)
    }

    /// Sends a signal to all of them.
    pub(crate) fn stop(self, signal: StopSignal) {
        process_group::stop_group(self.id, signal);
    }
}

/// Tells a guardian that its command has ended, and waits for its end.
fn release(mut guardian: Child) {
    if let Some(mut pipe) = guardian.stdin.take() {
        // It may have been killed with the group.
        let _ = pipe.write_all(b"\n");
        let began = Instant::now();
        while matches!(guardian.try_wait(), Ok(None)) && began.elapsed() < MAX_RELEASE {
            thread::sleep(TICK);
        }
    }
    let _ = guardian.kill();
    let _ = guardian.wait();
}

/// Guards the process group that this process leads, until `input` has a byte. If `input` ends without one, the process that held
/// its other end is dead, and all processes of the group are ended, this one last.
///
/// A program calls this in a process of its own: see [`RunOptions::guardian`](crate::RunOptions::guardian).
pub fn guard_process_group(mut input: impl Read) -> Result<(), RunError> {
    if !process_group::leads_group() {
        return Err(RunError::usage("a guardian must lead its own process group")
            .hint("`loopbreak run` starts it; there is no need to start it by hand"));
    }
    // Requests to end are for the command.
    ctrlc::set_handler(|| {})
        .map_err(|error| RunError::failed(format!("cannot ignore interrupts: {error}")))?;
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(1..) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
        }
    }
    process_group::stop_own_group(StopSignal::Terminate);
    let began = Instant::now();
    while began.elapsed() < GRACE {
        if is_last_of_group() {
            return Ok(());
        }
        thread::sleep(GROUP_TICK);
    }
    process_group::stop_own_group(StopSignal::Kill);
    Ok(())
}

/// Returns whether no other process of the group of this process is left. Systems without `/proc` cannot tell.
fn is_last_of_group() -> bool {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let mut is_listed = false;
    for entry in entries.filter_map(Result::ok) {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // After the name in parentheses, which may contain anything: state, parent, group.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (state, group) = (fields.next(), fields.nth(1).and_then(|group| group.parse::<u32>().ok()));
        if group != Some(own) || state == Some("Z") {
            continue;
        }
        if id != own {
            return false;
        }
        is_listed = true;
    }
    is_listed
}
