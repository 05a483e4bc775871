//! pi: session files, and the output of its JSON mode. See docs/formats/pi.md.

use loopbreak::{
    Action, Outcome, Usage,
    step::{Denial, EpochMillis, HarnessEvent, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{
    AgentConversation, CallResult, LogPosition, MessageContent, arguments, is_guard_reason, unwrap_step_text,
};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Sessions of pi.
pub(crate) struct PiFormat;

/// Types of lines without content that matters.
const IGNORED: [&str; 20] = [
    "agent_end",
    "agent_start",
    "auto_retry_end",
    "auto_retry_start",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "leaf",
    "message_start",
    "message_update",
    "model_change",
    "session",
    "session_info",
    "thinking_level_change",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_update",
    "turn_end",
    "turn_start",
];

impl FormatDefinition for PiFormat {
    fn name(&self) -> &'static str {
        "pi"
    }
    fn title(&self) -> &'static str {
        "pi"
    }
    fn file_description(&self) -> &'static str {
        "session files and --mode json: JSON lines with a session header and messages"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        match value.text("type") {
            Some("session") => value.has_all(&["id", "timestamp", "cwd"]),
            Some("message") => value.text("message.role").is_some(),
            Some("message_end") => value.text("message.role").is_some() && value.has("message.content"),
            _ => false,
        }
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(PiSession::default())
    }
}

/// Reads a session.
#[derive(Debug, Default)]
struct PiSession {
    agent: AgentConversation,
    messages: u64,
}

/// A line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PiEntry<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    /// The folder that the agent works in; only in the first line.
    #[serde(borrow)]
    cwd: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PiMessage<'a> {
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<StepText<'a>>,
    usage: Option<PiUsage>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow, rename = "toolCallId")]
    call: Option<StepText<'a>>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
    #[serde(borrow)]
    command: Option<StepText<'a>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct PiUsage {
    input: Option<u64>,
    output: Option<u64>,
    #[serde(rename = "cacheRead")]
    cache_read: Option<u64>,
    #[serde(rename = "cacheWrite")]
    cache_write: Option<u64>,
    cost: Option<PiCost>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct PiCost {
    total: Option<f64>,
}

/// A block of a message of the model.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PiBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    text: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    name: Option<StepText<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl LogReader for PiSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let broken = |error: serde_json::Error| SkipReason::malformed(unit.text, &error);
        let entry: PiEntry<'_> = serde_json::from_str(unit.text).map_err(broken)?;
        let position = LogPosition { line: unit.line, at: entry.timestamp };
        match entry.kind.as_deref().unwrap_or_default() {
            "session" => {
                self.agent.end(sink);
                self.agent = AgentConversation::new(entry.id.as_deref(), None);
                if let Some(folder) = &entry.cwd {
                    sink.project(entry.id.as_deref(), folder);
                }
            }
            "message" | "message_end" => {
                let Some(message) = entry.message else { return Ok(()) };
                let message: PiMessage<'_> = serde_json::from_str(message.get()).map_err(broken)?;
                return self.message(&message, entry.id, position, sink);
            }
            "compaction" | "compaction_end" => {
                self.agent.event(HarnessEvent::Compaction, position, sink);
            }
            other if IGNORED.contains(&other) || other == "compaction_start" => {}
            other => sink.unread_item(&UnreadItem::new(unit.line, other)),
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.agent.end(sink);
    }
}

impl PiSession {
    fn message(
        &mut self,
        message: &PiMessage<'_>,
        id: Option<StepText<'_>>,
        position: LogPosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let position = LogPosition { at: position.at.or(message.timestamp), ..position };
        match message.role.as_deref().unwrap_or_default() {
            "user" => {
                if let Some(words) = text_of(message.content).filter(|words| !words.trim().is_empty()) {
                    if is_guard_reason(&words) {
                        self.agent.event(HarnessEvent::Continuation, position, sink);
                    } else {
                        self.agent.user(words, position, sink);
                    }
                }
            }
            "assistant" => self.assistant(message, id, position, sink),
            "toolResult" => {
                let result = result(text_of(message.content), message.is_error);
                return self.agent.result(message.call.as_deref(), result, position, sink);
            }
            // A command that the user typed.
            "bashExecution" => {
                let command = message.command.as_deref().unwrap_or_default();
                self.agent.user(format!("!{command}").into(), position, sink);
            }
            "custom" | "hookMessage" | "branchSummary" | "compactionSummary" | "system" => {}
            other => sink.unread_item(&UnreadItem::new(position.line, other)),
        }
        Ok(())
    }

    fn assistant(
        &mut self,
        message: &PiMessage<'_>,
        id: Option<StepText<'_>>,
        position: LogPosition,
        sink: &mut dyn RecordSink,
    ) {
        self.agent.end(sink);
        self.agent.set_model(message.model.as_deref());
        if let Some(usage) = message.usage {
            let read = [usage.cache_read, usage.cache_write].into_iter().flatten();
            self.agent.add_usage(Usage {
                input_tokens: usage.input.map(|input| read.fold(input, u64::saturating_add)),
                output_tokens: usage.output,
                cache_read_tokens: usage.cache_read,
                cache_write_tokens: usage.cache_write,
                cache_write_1h_tokens: None,
                cost_usd: usage.cost.and_then(|cost| cost.total).filter(|cost| *cost >= 0.0),
            });
        }
        self.messages += 1;
        let batch =
            id.map_or_else(|| Label::from(self.messages.to_string()), |id| Label::from(id.0.into_owned()));
        let Some(content) = message.content else { return };
        let Ok(blocks) = serde_json::from_str::<Vec<PiBlock<'_>>>(content.get()) else {
            self.agent.say(text_of(Some(content)).as_deref().unwrap_or_default(), position);
            return;
        };
        for block in blocks {
            match block.kind.as_deref().unwrap_or_default() {
                "text" => self.agent.say(block.text.as_deref().unwrap_or_default(), position),
                "toolCall" => {
                    let mut action = Action::new(block.name.map(StepText::into_owned).unwrap_or_default());
                    action.args = block.arguments.and_then(arguments);
                    self.agent.call(block.id, action, Some(batch.clone()), position, sink);
                }
                "thinking" | "image" => {}
                other => sink.unread_item(&UnreadItem::new(position.line, other)),
            }
        }
    }
}

fn text_of(content: Option<&RawValue>) -> Option<StepText<'_>> {
    serde_json::from_str::<MessageContent<'_>>(content?.get()).ok()?.into_text()
}

/// Returns the result of a call.
fn result(text: Option<StepText<'_>>, is_error: Option<bool>) -> CallResult<'_> {
    let (text, stated) = text.map(unwrap_step_text).map_or((None, None), |(text, exit)| (Some(text), exit));
    let failure = text.as_deref().filter(|_| is_error == Some(true)).unwrap_or_default();
    let code = failure.trim_end().lines().next_back().and_then(|line| {
        line.strip_prefix("Command exited with code ").and_then(|code| code.trim().parse().ok())
    });
    let denied = is_guard_reason(failure).then_some(Denial::Guard);
    let is_aborted =
        failure.trim_end().ends_with("Command aborted") || failure.starts_with("Operation aborted");
    let outcome = Outcome { text, error: is_error, exit: code.or(stated), denied };
    if is_aborted { CallResult::interrupted(outcome) } else { CallResult::new(outcome) }
}
