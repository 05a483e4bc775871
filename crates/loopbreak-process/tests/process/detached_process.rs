//! A process that is not related to the test, as an agent in another terminal.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use loopbreak_process::agent_from_pid;
use loopbreak_store::AgentProcess;

/// A time limit that no test reaches, even on a busy machine.
const LONG: Duration = Duration::from_mins(1);

/// The processes of one session, which ends when this is dropped.
pub(crate) struct DetachedProcess {
    /// The process that leads the session and its first process group.
    pub(crate) pid: u32,
}

impl DetachedProcess {
    /// Starts a shell command in a session of its own, without a parent.
    pub(crate) fn start(folder: &Path, command: &str) -> Self {
        DetachedProcess::start_as(folder, command, None)
    }

    /// Starts it as another user, if one is given.
    pub(crate) fn start_as(folder: &Path, command: &str, user: Option<u32>) -> Self {
        let line = format!("setsid {command} </dev/null >/dev/null 2>&1 & echo $!");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(folder).stderr(Stdio::null());
        if let Some(user) = user {
            shell.uid(user).gid(user);
        }
        let output = shell.output().unwrap();
        let pid: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let detached = DetachedProcess { pid };
        // It is a copy of the shell, and then `setsid`, until it has executed the command.
        let name = || fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        wait_for(|| stat(pid).is_some_and(|fields| fields.session == pid) && name().trim() != "setsid");
        detached
    }

    pub(crate) fn agent(&self) -> AgentProcess {
        agent_from_pid(self.pid).unwrap()
    }
}

impl Drop for DetachedProcess {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-9", "--", &format!("-{}", self.pid)]).output();
    }
}

/// Fields of `/proc/PID/stat`.
pub(crate) struct StatFields {
    pub(crate) state: char,
    pub(crate) session: u32,
}

pub(crate) fn stat(pid: u32) -> Option<StatFields> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit(") ").next()?.split(' ');
    let state = fields.next()?.chars().next()?;
    // After the parent and the group.
    let session = fields.nth(2)?.parse().ok()?;
    Some(StatFields { state, session })
}

/// Returns the state of a process, such as `S` or `T`; `Z` if it has ended.
pub(crate) fn state_of(pid: u32) -> char {
    stat(pid).map_or('Z', |fields| fields.state)
}

pub(crate) fn wait_for(mut is_reached: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_reached() {
        assert!(Instant::now() < end, "waited too long");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a file has this many numbers, and returns them.
pub(crate) fn numbers_in(path: &Path, count: usize) -> Vec<u32> {
    let read = || -> Vec<u32> {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            text.split_whitespace().map(|word| word.parse().unwrap()).collect()
        } else {
            Vec::new()
        }
    };
    wait_for(|| read().len() >= count);
    read()
}
