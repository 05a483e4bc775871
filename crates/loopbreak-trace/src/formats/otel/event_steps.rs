//! Turns events of coding agents into steps.

use loopbreak::step::{Denial, HarnessEvent, Label, StepText};
use loopbreak::{Action, Outcome, Step, Usage};
use serde::Deserialize;
use serde_json::json;

use super::log_event::LogEvent;
use super::run_progress::TelemetryRuns;
use super::span_walk::{TelemetrySink, hidden_call};
use crate::formats::codex::event_outcome;
use crate::message::{arguments, is_guard_reason};

/// The kinds of events that become steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentEvent {
    /// The user said something.
    Prompt,
    /// A tool was called.
    Tool,
    /// A call was allowed or denied.
    Decision,
    /// A model answered.
    Answer,
    /// The agent said something without making a call.
    Words,
    /// The conversation was compacted.
    Compaction,
}

/// The beginnings of the names of events of known agents.
const AGENTS: [&str; 4] = ["claude_code.", CODEX, "gemini_cli.", "qwen-code."];
const CODEX: &str = "codex.";
/// Text that some agents send in place of one that they may not send.
const REDACTED: &str = "<REDACTED>";
/// Error of every command that fails, in Claude Code.
const SHELL_FAILURE: &str = "Shell command failed";
/// Beginning of the error of a call that a hook denied, in Gemini CLI.
const BLOCKED: &str = "Tool execution blocked: ";
/// The name of the main agent in events of Codex.
const CODEX_MAIN: &str = "/root";

impl AgentEvent {
    /// Finds the kind of an event by its name.
    fn find(event: &LogEvent<'_>) -> Option<Self> {
        match agent_event(event)?.1 {
            "user_prompt" => Some(AgentEvent::Prompt),
            "tool_result" | "tool_call" => Some(AgentEvent::Tool),
            "tool_decision" => Some(AgentEvent::Decision),
            "api_request" | "api_response" => Some(AgentEvent::Answer),
            "sse_event" => {
                let kind = event.attributes.get(&["event.kind"])?;
                (&**kind == "response.completed").then_some(AgentEvent::Answer)
            }
            "assistant_response" => Some(AgentEvent::Words),
            "compaction" | "chat_compression" => Some(AgentEvent::Compaction),
            _ => None,
        }
    }
}

/// Returns the beginning that the events of an agent have, and the rest of the name of an event.
fn agent_event<'e>(event: &'e LogEvent<'_>) -> Option<(&'static str, &'e str)> {
    event.names().find_map(|name| AGENTS.iter().find_map(|agent| Some((*agent, name.strip_prefix(agent)?))))
}

/// Emits the steps of an event. Events that say nothing about the work of an agent have none.
pub(super) fn emit_event(
    event: &LogEvent<'_>,
    line: u64,
    key: impl FnOnce() -> Option<String>,
    runs: &mut TelemetryRuns,
    sink: &mut dyn TelemetrySink,
) {
    let (Some(kind), Some(run)) = (AgentEvent::find(event), event.run()) else { return };
    let text = |names: &[&str]| event.attributes.get(names).cloned();
    if let Some(model) = text(&["model"]) {
        runs.change(run, |progress| progress.model = Some(model.to_string()));
    }
    let step = match kind {
        AgentEvent::Answer => {
            if let Some(usage) = usage(event) {
                runs.change(run, |progress| {
                    progress.usage = Some(progress.usage.unwrap_or_default().plus(usage));
                });
            }
            return;
        }
        AgentEvent::Prompt => Step { user: Some(text(&["prompt"]).unwrap_or_default()), ..Step::default() },
        AgentEvent::Words => {
            match text(&["response"]).filter(|said| !said.trim().is_empty() && &**said != REDACTED) {
                Some(said) => Step { say: Some(said), ..Step::default() },
                None => return,
            }
        }
        AgentEvent::Compaction => Step { harness: Some(HarnessEvent::Compaction), ..Step::default() },
        AgentEvent::Tool => tool(event, sink),
        AgentEvent::Decision => match denied_call(event) {
            Some(step) => step,
            None => return,
        },
    };
    let (usage, model) = runs.change(run, |progress| (progress.usage.take(), progress.model.clone()));
    let step = Step {
        run: Some(Label::Text(run.into())),
        at: event.at(),
        agent: text(&["agent_id", "agent_name"]).filter(|agent| &**agent != CODEX_MAIN),
        model: model.map(StepText::from),
        usage,
        ..step
    };
    sink.telemetry_step(line, key(), step);
}

/// Returns the step of a call that was made.
fn tool<'a>(event: &LogEvent<'a>, sink: &mut dyn TelemetrySink) -> Step<'a> {
    let outcome = outcome(event);
    let Some(action) = action(event) else {
        sink.hidden_call();
        return hidden_call(outcome.error == Some(true));
    };
    Step { action: Some(action), outcome: Some(outcome), ..Step::default() }
}

fn outcome<'a>(event: &LogEvent<'a>) -> Outcome<'a> {
    let attributes = &event.attributes;
    let has_failed = attributes.get(&["success"]).map(|success| &**success == "false");
    let output = attributes.get(&["output", "tool_output"]);
    if let Some(output) = output
        && agent_event(event).is_some_and(|(agent, _)| agent == CODEX)
    {
        return event_outcome(output, has_failed);
    }
    let error = attributes.get(&["error", "error_message"]).filter(|_| has_failed == Some(true));
    // Claude Code says this of every command that fails. Taken for an output, different failures would look equal.
    let error = error.filter(|error| &***error != SHELL_FAILURE);
    if error.and_then(|error| error.strip_prefix(BLOCKED)).is_some_and(is_guard_reason) {
        return Outcome { text: error.cloned(), denied: Some(Denial::Guard), ..Outcome::default() };
    }
    let exit = attributes.get(&["metadata"]).and_then(|metadata| ToolMetadata::parse(metadata).exit);
    // Gemini CLI calls a command a success whatever its exit code is.
    let has_failed = if exit.is_some_and(|code| code != 0) { Some(true) } else { has_failed };
    Outcome { text: error.or(output).cloned(), error: has_failed, exit, ..Outcome::default() }
}

/// More about a call of Gemini CLI.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolMetadata {
    #[serde(rename = "exitCode")]
    exit: Option<i64>,
}

impl ToolMetadata {
    fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

/// Returns the action of a call, if its arguments were sent. Calls that look equal without them may be different calls.
fn action<'a>(event: &LogEvent<'a>) -> Option<Action<'a>> {
    let name = event.attributes.get(&["tool_name", "function_name"])?;
    let mut action = Action::new(name.clone());
    if let Some(input) = event.attributes.get(&["tool_input", "arguments", "function_args"]) {
        let quoted = serde_json::value::to_raw_value(&**input).ok()?;
        action.args = arguments(&quoted);
        return Some(action);
    }
    // A decision of Claude Code has the command, but not the other arguments.
    let parameters: CommandParameters<'_> =
        serde_json::from_str(event.attributes.get(&["tool_parameters"])?).ok()?;
    let mut input = json!({"command": parameters.command});
    if let Some(description) = parameters.description {
        input["description"] = description.to_string().into();
    }
    Some(action.with_args(&input))
}

/// The parameters of a command of Claude Code.
#[derive(Deserialize)]
struct CommandParameters<'a> {
    #[serde(borrow, rename = "full_command")]
    command: StepText<'a>,
    #[serde(borrow)]
    description: Option<StepText<'a>>,
}

/// Returns the step of a call that was not made, because it was denied.
fn denied_call<'a>(event: &LogEvent<'a>) -> Option<Step<'a>> {
    let decision = event.attributes.get(&["decision"])?.to_ascii_lowercase();
    if !["reject", "denied", "abort"].iter().any(|word| decision.starts_with(word)) {
        return None;
    }
    let source = event.attributes.get(&["source"]).map(|source| source.to_ascii_lowercase());
    let is_user = source.is_none_or(|source| source.starts_with("user"));
    let denied = Some(if is_user { Denial::User } else { Denial::Policy });
    let outcome = Some(Outcome { denied, ..Outcome::default() });
    Some(Step { action: action(event), outcome, ..Step::default() })
}

/// Returns the usage of an answer, if it is told.
fn usage(event: &LogEvent<'_>) -> Option<Usage> {
    let count = |names: &[&str]| event.attributes.count(names);
    let cache_read = count(&["cache_read_tokens", "cached_token_count", "cached_content_token_count"]);
    let cache_write = count(&["cache_creation_tokens", "cache_write_token_count"]);
    // Claude Code counts the tokens of the cache apart.
    let input = match count(&["input_tokens"]) {
        Some(new) => {
            Some(new.saturating_add(cache_read.unwrap_or(0)).saturating_add(cache_write.unwrap_or(0)))
        }
        None => count(&["input_token_count"]),
    };
    let output = count(&["output_tokens", "output_token_count"]);
    let cost = event.attributes.get(&["cost_usd"]).and_then(|cost| cost.trim().parse::<f64>().ok());
    let usage = Usage {
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cache_read,
        cache_write_tokens: cache_write,
        cache_write_1h_tokens: count(&["cache_creation_1h_tokens"]),
        cost_usd: cost.filter(|cost| cost.is_finite() && *cost >= 0.0),
    };
    (usage != Usage::default()).then_some(usage)
}
