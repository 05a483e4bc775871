//! Tests a hook with a simulated session.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use loopbreak::text::printable;
use loopbreak_client::SERVER_VARIABLE;
use serde_json::{Value, json};

use crate::guard_text::{GuardText, guard_texts_in};
use crate::hook_agent::HookAgent;
use crate::hook_event_kind::HookEventKind;
use crate::limited_process::run_limited;
use crate::temporary_folder::TemporaryFolder;

/// Number of identical calls in the simulated session.
const CALLS: u32 = 9;
/// The longest time of one event. Agents wait no longer.
const TIME_LIMIT: Duration = Duration::from_secs(10);

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

impl TrialStep {
    /// Renders the event and the response on one line, and the errors of the hook on another.
    pub fn render(&self) -> String {
        let took = self.took.as_secs_f64() * 1000.0;
        let answer =
            if self.answer.is_null() { "continues".to_owned() } else { printable(&self.answer.to_string()) };
        let text = format!("  {:<26} {took:5.1} ms  {answer}\n", self.event);
        if self.status.success() && self.stderr.is_empty() {
            return text;
        }
        format!("{text}    {}: {}\n", self.status, printable(&self.stderr))
    }
}

/// The answers in a simulated session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrialAnswers {
    /// The call after which the agent was first warned.
    pub warned: Option<u32>,
    /// The call that was refused.
    pub refused: Option<u32>,
    /// Another call was allowed after that.
    pub allows_another_call: bool,
}

impl TrialAnswers {
    /// Returns whether the agent was warned, then refused, and allowed to make another call.
    pub fn are_correct(&self) -> bool {
        self.warned.is_some() && self.refused.is_some() && self.allows_another_call
    }

    /// Returns whether the hook let everything pass and said nothing, as it should if the guard only observes.
    pub fn are_silent(&self) -> bool {
        self.warned.is_none() && self.refused.is_none() && self.allows_another_call
    }
}

impl fmt::Display for TrialAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |call: Option<u32>| call.map_or("never".to_owned(), |call| format!("at call {call}"));
        write!(f, "warned {}, refused {}", number(self.warned), number(self.refused))
    }
}

/// Runs a simulated session through the hook of this program, in a temporary folder, and calls `show` after each event.
pub fn run_trial(agent: &dyn HookAgent, show: &mut dyn FnMut(&TrialStep)) -> io::Result<TrialAnswers> {
    let folder = TemporaryFolder::new("doctor")?;
    SimulatedSession { agent, state: folder.path(), show }.run()
}

/// The simulated session.
struct SimulatedSession<'p> {
    agent: &'p dyn HookAgent,
    state: &'p Path,
    show: &'p mut dyn FnMut(&TrialStep),
}

impl SimulatedSession<'_> {
    fn run(&mut self) -> io::Result<TrialAnswers> {
        let mut answers = TrialAnswers::default();
        let mut prompt = self.event(HookEventKind::UserPrompt);
        prompt["prompt"] = "make it work".into();
        self.send("message from the user", &prompt)?;
        for number in 1..=CALLS {
            let proposal = self.tool_event(HookEventKind::BeforeTool, number, "make check");
            let answer = self.send(&format!("before call {number}"), &proposal)?;
            if is_refusal(&answer) {
                answers.refused = Some(number);
                break;
            }
            if is_denied(&answer) {
                // Advice in place of the call, for agents that take none with a result.
                answers.warned.get_or_insert(number);
                continue;
            }
            let mut result = self.tool_event(HookEventKind::AfterTool, number, "make check");
            result["tool_response"] = self.agent.render_shell_output("1 of 20 checks failed");
            let answer = self.send(&format!("after call {number}"), &result)?;
            if answers.warned.is_none() && is_advice(&answer) {
                answers.warned = Some(number);
            }
        }
        let other = self.tool_event(HookEventKind::BeforeTool, CALLS + 1, "cat Makefile");
        let other = self.send("before another call", &other)?;
        answers.allows_another_call = other.is_null();
        Ok(answers)
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
        let mut command = Command::new(program);
        command.args(["hook", self.agent.name()]).env("XDG_STATE_HOME", self.state);
        // Nobody else is to see a session that is only simulated.
        command.env(SERVER_VARIABLE, "");
        let output = run_limited(&mut command, event.to_string().as_bytes(), TIME_LIMIT)?;
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

/// Returns whether a response gives advice, in the form of any agent. The user may have replaced the texts of the guard.
fn is_advice(answer: &Value) -> bool {
    let forms = [
        &answer["hookSpecificOutput"]["additionalContext"],
        &answer["additionalContext"],
        &answer["additional_context"],
    ];
    forms.into_iter().any(Value::is_string) || guard_texts_in(answer).contains(&GuardText::Advice)
}

/// Returns whether a response keeps a call from being made, in the form of any agent.
fn is_denied(answer: &Value) -> bool {
    let forms = [
        &answer["hookSpecificOutput"]["permissionDecision"],
        &answer["permissionDecision"],
        &answer["decision"],
        &answer["permission"],
    ];
    forms.into_iter().any(|decision| decision == "deny")
}

/// Returns whether a response refuses a call.
fn is_refusal(answer: &Value) -> bool {
    guard_texts_in(answer).contains(&GuardText::Refusal)
}
