//! A hook under faulty conditions, and how it ended.

use std::io::{Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::trial::{MachineStall, TrialHome, kill_group};

/// Time after which a hook counts as hung and is killed, without the time that the machine took for other work.
const HANG: Duration = Duration::from_secs(20);
/// The same for a machine that is always busy.
const LONGEST: Duration = Duration::from_mins(2);
/// Pause between two looks at a process.
const PAUSE: Duration = Duration::from_micros(500);
/// Texts of hooks that could not handle the event.
const FAILED: [&str; 2] = ["continues without the guard", "did not finish in time"];
/// Text of hooks that could not record the step yet.
const QUEUED: &str = "the step is queued";
const SIGKILL: i32 = 9;

/// The event that a hook gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentEvent<'e> {
    pub(super) session: &'e str,
    /// The command of the tool call. It identifies the step.
    pub(super) call: &'e str,
    /// The name of the event.
    pub(super) name: &'e str,
}

/// The conditions of a hook.
#[derive(Clone, Debug, Default)]
pub(super) struct HookConditions {
    /// A program that starts the hook, with its arguments.
    pub(super) wrapper: Vec<String>,
    /// Additional environment variables.
    pub(super) variables: Vec<(&'static str, String)>,
}

impl HookConditions {
    pub(super) fn with_wrapper(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        HookConditions { wrapper: words.into_iter().map(Into::into).collect(), ..HookConditions::default() }
    }

    pub(super) fn with_variables(variables: Vec<(&'static str, String)>) -> Self {
        HookConditions { variables, ..HookConditions::default() }
    }
}

/// A hook that runs.
pub(super) struct HookProcess {
    child: Child,
    started: Instant,
    stall: MachineStall,
    end: Option<HookEnd>,
}

/// The end of the process, before its output is read.
#[derive(Clone, Copy, Debug)]
struct HookEnd {
    status: ExitStatus,
    elapsed: Duration,
    stalled: Duration,
    hung: bool,
}

/// The end of a hook.
#[derive(Debug)]
pub(super) struct HookReply {
    pub(super) status: ExitStatus,
    pub(super) err: String,
    pub(super) elapsed: Duration,
    /// Time that the machine may have taken for other work meanwhile.
    pub(super) stalled: Duration,
    /// True if it did not end by itself.
    pub(super) hung: bool,
}

impl HookProcess {
    /// Starts a hook and gives it the event.
    pub(super) fn start(
        program: &Path,
        home: &TrialHome,
        event: SentEvent<'_>,
        conditions: &HookConditions,
    ) -> Result<Self, String> {
        let words: Vec<PathBuf> =
            conditions.wrapper.iter().map(PathBuf::from).chain([program.to_owned()]).collect();
        let Some((first, rest)) = words.split_first() else { return Err("no program".to_owned()) };
        let (started, stall) = (Instant::now(), MachineStall::now());
        let mut child = home
            .command(first)
            .args(rest)
            .args(["hook", "claude-code"])
            .envs(conditions.variables.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A tracer that is killed alone would leave the hook behind.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", first.display()))?;
        if let Some(mut input) = child.stdin.take() {
            let SentEvent { session, call, name } = event;
            let event = json!({"session_id": session, "hook_event_name": name, "cwd": home.path(), "tool_name": "Bash",
                               "tool_input": {"command": call}, "tool_use_id": format!("{session}-{call}"),
                               "tool_response": {"stdout": call}});
            // A process that was killed does not read it.
            let _ = input.write_all(event.to_string().as_bytes());
        }
        Ok(HookProcess { child, started, stall, end: None })
    }

    /// Kills the hook with everything it started.
    pub(super) fn kill(&mut self) {
        kill_group(&mut self.child);
    }

    /// Kills the hook alone, which is quicker.
    pub(super) fn kill_at_once(&mut self) {
        let _ = self.child.kill();
    }

    /// Notes the end if the hook has ended. Returns whether it has. A hook that hangs is killed.
    pub(super) fn has_ended(&mut self) -> Result<bool, String> {
        let failed = |error: std::io::Error| format!("cannot wait for the hook: {error}");
        if self.end.is_some() {
            return Ok(true);
        }
        let mut status = self.child.try_wait().map_err(failed)?;
        let elapsed = self.started.elapsed();
        let is_hanging = || elapsed > LONGEST || elapsed > HANG + MachineStall::now().since(self.stall);
        let hung = status.is_none() && elapsed > HANG && is_hanging();
        if hung {
            self.kill();
            status = Some(self.child.wait().map_err(failed)?);
        }
        let Some(status) = status else { return Ok(false) };
        let (elapsed, stalled) = (self.started.elapsed(), MachineStall::now().since(self.stall));
        self.end = Some(HookEnd { status, elapsed, stalled, hung });
        Ok(true)
    }

    /// Waits for the end.
    pub(super) fn wait(mut self) -> Result<HookReply, String> {
        while !self.has_ended()? {
            thread::sleep(PAUSE);
        }
        let mut err = Vec::new();
        if let Some(mut stream) = self.child.stderr.take() {
            stream
                .read_to_end(&mut err)
                .map_err(|error| format!("cannot read what the hook said: {error}"))?;
        }
        let err = String::from_utf8_lossy(&err).into_owned();
        match self.end {
            Some(HookEnd { status, elapsed, stalled, hung }) => {
                Ok(HookReply { status, err, elapsed, stalled, hung })
            }
            None => Err("the hook did not end".to_owned()),
        }
    }
}

impl HookReply {
    /// Returns whether the hook has taken over the responsibility for the step: it is stored or kept for later.
    pub(super) fn is_acknowledged(&self) -> bool {
        let has_failed = FAILED.iter().any(|text| self.err.contains(text));
        self.status.success() && (!has_failed || self.err.contains(QUEUED))
    }

    pub(super) fn was_killed(&self) -> bool {
        !self.hung && self.status.signal() == Some(SIGKILL)
    }

    /// Returns whether the process ended as the loader and the runtime of C do if they fail.
    pub(super) fn ended_as_loaders_do(&self) -> bool {
        self.status.code() == Some(127) || self.status.signal().is_some_and(|signal| signal != SIGKILL)
    }

    /// Returns the time that the hook took itself, without what the machine took for other work.
    pub(super) fn own_time(&self) -> Duration {
        self.elapsed.saturating_sub(self.stalled)
    }

    /// Describes the end for a person.
    pub(super) fn describe(&self) -> String {
        let err: String = self.err.trim().chars().take(300).collect();
        let hung = if self.hung { ", did not end by itself" } else { "" };
        let (elapsed, stalled) = (self.elapsed.as_secs_f64(), self.stalled.as_secs_f64());
        let status = self.status;
        format!(
            "{status}{hung} after {elapsed:.2} s (machine busy for {stalled:.2} s), standard error: {err:?}"
        )
    }
}
