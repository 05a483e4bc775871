//! The surroundings of all attacks, and the home in which one is made.

use std::env;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::limited_command::{LimitedCommand, LimitedProgram, ProgramEnd};
use crate::chore_failure::ChoreFailure;
use crate::trial::TrialHome;

/// The longest time of a program, if an attack does not say otherwise.
const TIME: Duration = Duration::from_mins(2);
/// The longest time of a hook: a second, and some time for starting and ending the process.
const HOOK_TIME: Duration = Duration::from_millis(1300);

/// The surroundings of all attacks.
#[derive(Debug)]
pub(super) struct AttackLab {
    pub(super) program: PathBuf,
    /// True if attacks have the sizes of the review.
    pub(super) is_full: bool,
    /// Multiplies all limits of time.
    patience: u32,
    pub(super) folder: PathBuf,
    homes: AtomicU64,
}

/// A home with a project, in which an attack is made.
#[derive(Debug)]
pub(super) struct AttackHome<'l> {
    pub(super) lab: &'l AttackLab,
    pub(super) home: TrialHome,
}

impl AttackLab {
    /// Creates the folder of all attacks.
    pub(super) fn open(program: PathBuf, is_full: bool, patience: u32) -> Result<Self, ChoreFailure> {
        static LABS: AtomicU64 = AtomicU64::new(0);
        let number = LABS.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("loopbreak-attack-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| ChoreFailure::io("create a folder", &error))?;
        Ok(AttackLab { program, is_full, patience, folder, homes: AtomicU64::new(0) })
    }

    /// Creates a home with an empty project.
    pub(super) fn home(&self) -> Result<AttackHome<'_>, ChoreFailure> {
        let folder = self.folder.join(format!("home-{}", self.homes.fetch_add(1, Ordering::Relaxed)));
        let home = TrialHome::create(folder).map_err(|error| ChoreFailure::io("create a home", &error))?;
        let home = AttackHome { lab: self, home };
        for name in ["project", "tmp"] {
            home.create_folder(name)?;
        }
        Ok(home)
    }

    /// Chooses between the size of the review and a quick one.
    pub(super) fn size(&self, full: usize, quick: usize) -> usize {
        if self.is_full { full } else { quick }
    }

    /// Returns a limit of time.
    pub(super) fn seconds(&self, seconds: u64) -> Duration {
        Duration::from_secs(seconds) * self.patience
    }

    pub(super) fn patience(&self) -> u32 {
        self.patience
    }

    /// Returns the longest time of a hook.
    pub(super) fn hook_time(&self) -> Duration {
        HOOK_TIME * self.patience
    }
}

impl Drop for AttackLab {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl AttackHome<'_> {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.path("project")
    }

    pub(super) fn create_folder(&self, name: &str) -> Result<PathBuf, ChoreFailure> {
        let path = self.path(name);
        fs::create_dir_all(&path).map_err(|error| ChoreFailure::io(format_args!("create {name}"), &error))?;
        Ok(path)
    }

    /// Writes a file of the home, with its folders.
    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, ChoreFailure> {
        let path = self.path(name);
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and_then(|()| fs::write(&path, content))
            .map_err(|error| ChoreFailure::io(format_args!("write {name}"), &error))?;
        Ok(path)
    }

    /// Creates a link in the home.
    pub(super) fn link(&self, target: &str, name: &str) -> Result<(), ChoreFailure> {
        std::os::unix::fs::symlink(target, self.path(name))
            .map_err(|error| ChoreFailure::io(format_args!("link {name}"), &error))
    }

    /// Reads a file of the home. One that is missing is empty.
    pub(super) fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).unwrap_or_default()).into_owned()
    }

    /// Returns the permissions of a file, such as 600 in octal.
    pub(super) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).map_or(0, |metadata| metadata.permissions().mode() & 0o777)
    }

    pub(super) fn owner(&self, name: &str) -> Option<u32> {
        fs::metadata(self.path(name)).ok().map(|metadata| metadata.uid())
    }

    /// Returns a command of any program in the project.
    pub(super) fn command(&self, program: &Path) -> LimitedCommand {
        LimitedCommand::new(program, &self.project(), TIME * self.lab.patience)
            .env("HOME", self.home.path())
            .env("XDG_STATE_HOME", self.home.state())
            .env("TMPDIR", self.path("tmp"))
    }

    /// Returns a command of the program in the project.
    pub(super) fn loopbreak(&self, line: &str) -> LimitedCommand {
        self.command(&self.lab.program).args(line.split_whitespace())
    }

    /// Runs a shell with a line. `$LB` is the program.
    pub(super) fn shell(&self, line: &str) -> Result<ProgramEnd, ChoreFailure> {
        self.command(Path::new("sh")).args(["-c", line]).env("LB", &self.lab.program).run()
    }

    /// Runs a shell that prepares something, which must succeed.
    pub(super) fn prepare(&self, line: &str) -> Result<(), ChoreFailure> {
        let end = self.shell(line)?;
        if end.code() == Some(0) {
            return Ok(());
        }
        Err(ChoreFailure::Failed(format!("{}: {}", end.describe(), end.err.trim())))
    }

    /// Returns an event of Claude Code about a call of a shell.
    pub(super) fn event(&self, session: &str, name: &str) -> Value {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = format!("toolu_{}", CALLS.fetch_add(1, Ordering::Relaxed));
        json!({"session_id": session, "hook_event_name": name, "cwd": self.project(), "tool_name": "Bash",
               "tool_input": {"command": "ls"}, "tool_response": "x", "tool_use_id": call})
    }

    /// Returns a hook that gets an event.
    pub(super) fn hook_command(&self, event: &Value) -> LimitedCommand {
        self.loopbreak("hook claude-code").input(event.to_string())
    }

    /// Runs a hook with an event.
    pub(super) fn hook(&self, event: &Value) -> Result<ProgramEnd, ChoreFailure> {
        self.hook_command(event).run()
    }

    /// Runs a hook with a step of a session, or with the call before it.
    pub(super) fn step(&self, session: &str, name: &str) -> Result<ProgramEnd, ChoreFailure> {
        self.hook(&self.event(session, name))
    }

    /// Returns the number of steps in the log of a session.
    pub(super) fn logged_steps(&self, session: &str) -> Result<usize, ChoreFailure> {
        let log = self.home.log(&self.lab.program, session).map_err(ChoreFailure::Failed)?;
        let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(events.filter(|event| event["kind"] == "step").count())
    }

    /// Starts a hook with a step of a session.
    pub(super) fn start_step(&self, session: &str) -> Result<LimitedProgram, ChoreFailure> {
        self.hook_command(&self.event(session, "PostToolUse")).start()
    }

    /// Records the same call with the same outcome until the guard refuses the next one.
    pub(super) fn loop_until_refused(&self, session: &str) -> Result<ProgramEnd, ChoreFailure> {
        for _ in 0..8 {
            self.step(session, "PostToolUse")?;
        }
        self.step(session, "PreToolUse")
    }
}

/// Returns whether the answer of a hook refuses a call.
pub(super) fn is_refusal(end: &ProgramEnd) -> bool {
    let answer: Value = serde_json::from_str(&end.out).unwrap_or_default();
    end.code() == Some(0) && answer["hookSpecificOutput"]["permissionDecision"] == "deny"
}

/// Returns whether the answer of a hook keeps a call back: it refuses the call, or asks the user.
pub(super) fn is_kept_back(end: &ProgramEnd) -> bool {
    let answer: Value = serde_json::from_str(&end.out).unwrap_or_default();
    is_refusal(end) || end.code() == Some(0) && answer["hookSpecificOutput"]["permissionDecision"] == "ask"
}

/// Returns whether this process may become another user.
pub(super) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}
