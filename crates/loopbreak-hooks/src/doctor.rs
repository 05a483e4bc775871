//! Checks an installed hook: a made-up session through this program, to see that it answers as it should.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use loopbreak_store::now;
use serde_json::{Value, json};

use crate::HookAgent;

/// How often the made-up agent makes the same call.
const CALLS: u32 = 9;

/// One event of the made-up session, and the answer to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct TrialStep {
    /// The event, in words.
    pub event: String,
    /// The time the hook took.
    pub took: Duration,
    /// The answer; null if there was none.
    pub answer: Value,
    /// The exit status of the hook.
    pub status: ExitStatus,
    /// The output of the hook on standard error.
    pub stderr: String,
}

/// Runs a made-up session through the hook of this program, in a temporary folder. Calls `show` after each event.
/// Returns whether the agent was advised, then refused, and then free to do something else.
pub fn run_trial(dialect: HookAgent, show: &mut dyn FnMut(&TrialStep)) -> io::Result<bool> {
    let folder = TemporaryFolder::make()?;
    DoctorSession { agent: dialect, state: &folder.0, show }.session()
}

/// Whether an installed command is `PROGRAM hook AGENT` and nothing else, where PROGRAM leads to this program.
pub fn is_this_program(line: &str, agent: HookAgent) -> bool {
    let ending = format!(" hook {}", agent.name());
    let Some(program) = line.trim().strip_suffix(&ending) else { return false };
    let program = unquoted(program.trim_end());
    let this = std::env::current_exe().and_then(fs::canonicalize);
    let named = if program.contains(std::path::is_separator) {
        Some(PathBuf::from(&program))
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).map(|folder| folder.join(&program)).find(|path| path.is_file())
    };
    let named = named.and_then(|path| fs::canonicalize(path).ok());
    this.is_ok_and(|this| named.is_some_and(|named| named == this))
}

/// A word as [`hook_command`](crate::install::hook_command) quotes it for a shell. Anything else stays as it is, and then names no file of this program.
fn unquoted(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}

/// A folder that goes when it is not needed any more.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn make() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("loopbreak-doctor-{}-{}", std::process::id(), now()));
        fs::create_dir_all(&path)?;
        Ok(TemporaryFolder(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder for passing things that is left behind does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The hook that is tried.
struct DoctorSession<'p> {
    agent: HookAgent,
    state: &'p Path,
    show: &'p mut dyn FnMut(&TrialStep),
}

impl DoctorSession<'_> {
    /// Says whether the agent was advised, then refused, and then left to do something else.
    fn session(&mut self) -> io::Result<bool> {
        let (before, after, spoken) = match self.agent {
            HookAgent::Gemini => ("BeforeTool", "AfterTool", "BeforeAgent"),
            _ => ("PreToolUse", "PostToolUse", "UserPromptSubmit"),
        };
        let (mut advised, mut denied) = (false, false);
        self.tell("the user speaks", &json!({"hook_event_name": spoken, "prompt": "make it work"}))?;
        for call in 1..=CALLS {
            let event = self.tool(before, call, "make check");
            let answer = self.tell(&format!("call {call} is proposed"), &event)?;
            if is_denied(&answer) {
                denied = true;
                break;
            }
            let mut done = self.tool(after, call, "make check");
            done["tool_response"] = match self.agent {
                HookAgent::ClaudeCode => json!({"stdout": "1 of 20 checks failed", "stderr": ""}),
                HookAgent::Codex => json!("1 of 20 checks failed"),
                HookAgent::Gemini => json!({"llmContent": "1 of 20 checks failed"}),
            };
            let answer = self.tell(&format!("call {call} is done"), &done)?;
            advised |= answer["hookSpecificOutput"]["additionalContext"].is_string();
        }
        let other = self.tool(before, 99, "cat Makefile");
        let other = self.tell("another call is proposed", &other)?;
        Ok(advised && denied && other.is_null())
    }

    fn tool(&self, event: &str, call: u32, command: &str) -> Value {
        let name = if self.agent == HookAgent::Gemini { "run_shell_command" } else { "Bash" };
        json!({"hook_event_name": event, "tool_name": name, "tool_input": {"command": command},
               "tool_use_id": format!("call-{call}")})
    }

    /// Tells the hook of an event, as the agent would, and shows the answer.
    fn tell(&mut self, what: &str, event: &Value) -> io::Result<Value> {
        let mut event = event.clone();
        event["session_id"] = "loopbreak-doctor".into();
        event["cwd"] = std::env::current_dir().unwrap_or_default().to_string_lossy().into();
        let program = std::env::current_exe()?;
        let started = Instant::now();
        // Never through a shell, and never the program that the settings name.
        let mut child = Command::new(program)
            .args(["hook", self.agent.name()])
            .env("XDG_STATE_HOME", self.state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its input says why on standard error.
            let _ = stdin.write_all(event.to_string().as_bytes());
        }
        let done = child.wait_with_output()?;
        let answer: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
        (self.show)(&TrialStep {
            event: what.to_owned(),
            took: started.elapsed(),
            answer: answer.clone(),
            status: done.status,
            stderr: String::from_utf8_lossy(&done.stderr).trim().to_owned(),
        });
        Ok(answer)
    }
}

/// Whether a call was refused, in whatever words.
fn is_denied(answer: &Value) -> bool {
    answer["hookSpecificOutput"]["permissionDecision"] == "deny" || answer["decision"] == "deny"
}
