//! Tests a hook with a simulated session.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use loopbreak_store::now;
use serde_json::{Value, json};

use crate::hook_agent::HookAgent;
use crate::hook_event_kind::HookEventKind;

/// Number of identical calls in the simulated session.
const CALLS: u32 = 9;

/// One event of the simulated session, and the response to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct TrialStep {
    /// Description of the event.
    pub event: String,
    /// Duration of the hook.
    pub took: Duration,
    /// The response; null if there was none.
    pub answer: Value,
    /// Exit status of the hook.
    pub status: ExitStatus,
    /// Standard error of the hook.
    pub stderr: String,
}

/// Runs a simulated session through the hook of this program, in a temporary folder, and calls `show` after each event.
/// Returns whether the agent was warned, then refused, and allowed to make another call.
pub fn run_trial(agent: &dyn HookAgent, show: &mut dyn FnMut(&TrialStep)) -> io::Result<bool> {
    let folder = TemporaryFolder::new()?;
    DoctorSession { agent, state: &folder.0, show }.run()
}

/// Returns whether an installed command is `PROGRAM hook AGENT`, and PROGRAM is this program.
pub fn is_this_program(command: &str, agent: &dyn HookAgent) -> bool {
    let ending = format!(" hook {}", agent.name());
    let Some(program) = command.trim().strip_suffix(&ending) else { return false };
    let program = unquote(program.trim_end());
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

/// Explains why an installed command was not run, and what to do.
pub fn explain_other_program(command: &str, own: &str, agent: &dyn HookAgent) -> String {
    if command.trim() == own {
        return "`loopbreak` is not on the PATH, or it is another program there: add the folder of this program to the PATH"
            .to_owned();
    }
    let name = agent.name();
    format!(
        "this program would install: {own}\nif you wrote the line above, replace it with `loopbreak hook install {name}`"
    )
}

/// Removes the quotes that [`hook_command`](crate::install::hook_command) adds. Any other text is returned as it is.
fn unquote(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}

/// A folder that is removed when it is dropped.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("loopbreak-doctor-{}-{}", std::process::id(), now()));
        fs::create_dir_all(&path)?;
        Ok(TemporaryFolder(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // The system cleans its folder for temporary files, so a failure does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The simulated session.
struct DoctorSession<'p> {
    agent: &'p dyn HookAgent,
    state: &'p Path,
    show: &'p mut dyn FnMut(&TrialStep),
}

impl DoctorSession<'_> {
    fn run(&mut self) -> io::Result<bool> {
        let (mut warned, mut refused) = (false, false);
        let mut prompt = self.event(HookEventKind::UserPrompt);
        prompt["prompt"] = "make it work".into();
        self.send("message from the user", &prompt)?;
        for number in 1..=CALLS {
            let proposal = self.tool_event(HookEventKind::BeforeTool, number, "make check");
            let answer = self.send(&format!("before call {number}"), &proposal)?;
            match refusal(&answer) {
                Some(text) if text.starts_with(REFUSED) => {
                    refused = true;
                    break;
                }
                // Advice in place of the call, for agents that take none with a result.
                Some(_) => {
                    warned = true;
                    continue;
                }
                None => {}
            }
            let mut result = self.tool_event(HookEventKind::AfterTool, number, "make check");
            result["tool_response"] = self.agent.render_shell_output("1 of 20 checks failed");
            let answer = self.send(&format!("after call {number}"), &result)?;
            warned |= has_advice(&answer);
        }
        let other = self.tool_event(HookEventKind::BeforeTool, CALLS + 1, "cat Makefile");
        let other = self.send("before another call", &other)?;
        Ok(warned && refused && other.is_null())
    }

    fn event(&self, kind: HookEventKind) -> Value {
        let folder = std::env::current_dir().unwrap_or_default();
        json!({"hook_event_name": self.agent.event_name(kind), "session_id": "loopbreak-doctor",
               "cwd": folder.to_string_lossy()})
    }

    fn tool_event(&self, kind: HookEventKind, number: u32, command: &str) -> Value {
        let mut event = self.event(kind);
        event["tool_name"] = self.agent.shell_tool().into();
        event["tool_input"] = json!({ "command": command });
        event["tool_use_id"] = format!("call-{number}").into();
        event
    }

    /// Passes an event to the hook as the agent would, and shows the response.
    fn send(&mut self, description: &str, event: &Value) -> io::Result<Value> {
        let program = std::env::current_exe()?;
        let started = Instant::now();
        // No shell, and not the program that the settings name: they may come with a cloned repository.
        let mut child = Command::new(program)
            .args(["hook", self.agent.name()])
            .env("XDG_STATE_HOME", self.state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // If the hook does not read its input, standard error says why.
            let _ = stdin.write_all(event.to_string().as_bytes());
        }
        let output = child.wait_with_output()?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (self.show)(&TrialStep {
            event: description.to_owned(),
            took: started.elapsed(),
            answer: answer.clone(),
            status: output.status,
            stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
        Ok(answer)
    }
}

/// The beginning of a refusal.
const REFUSED: &str = "Loop guard: refused";

/// Returns whether a response has advice, in the form of any agent.
fn has_advice(answer: &Value) -> bool {
    let advice = [
        &answer["hookSpecificOutput"]["additionalContext"],
        &answer["additionalContext"],
        &answer["additional_context"],
    ];
    advice.into_iter().any(Value::is_string)
}

/// Returns the reason if a response refuses a call, in the form of any agent.
fn refusal(answer: &Value) -> Option<&str> {
    let specific = &answer["hookSpecificOutput"];
    let forms = [
        (&specific["permissionDecision"], &specific["permissionDecisionReason"]),
        (&answer["decision"], &answer["reason"]),
        (&answer["permission"], &answer["agent_message"]),
    ];
    let (_, reason) = forms.into_iter().find(|(decision, _)| **decision == "deny")?;
    reason.as_str()
}
