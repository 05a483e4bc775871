//! Events of the agent SDK, which OpenHands writes since its second generation. They name their kind.

use loopbreak::{
    Action, Outcome, Step,
    step::{EpochMillis, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::OpenHandsReader;
use crate::log_record::{LogRecord, RecordSink};
use crate::message::MessageContent;
use crate::message::PendingCall;
use crate::message::arguments;
use crate::sniff::JsonOutline;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SdkEvent<'a> {
    #[serde(borrow)]
    pub(super) kind: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    pub(super) timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    pub(super) source: Option<StepText<'a>>,
    #[serde(borrow)]
    thought: MessageContent<'a>,
    #[serde(borrow)]
    tool_name: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_call_id: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_call: Option<SdkToolCall<'a>>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    observation: Option<SdkObservation<'a>>,
    #[serde(borrow)]
    llm_message: Option<SdkMessage<'a>>,
    #[serde(borrow)]
    error: Option<StepText<'a>>,
    #[serde(borrow)]
    rejection_reason: Option<StepText<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SdkToolCall<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SdkObservation<'a> {
    #[serde(borrow)]
    content: MessageContent<'a>,
    #[serde(borrow)]
    output: MessageContent<'a>,
    is_error: Option<bool>,
    exit_code: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SdkMessage<'a> {
    #[serde(borrow)]
    content: MessageContent<'a>,
}

/// Kinds of events by which a log is recognized.
const KINDS: [&str; 7] = [
    "ActionEvent",
    "AgentErrorEvent",
    "ConversationStateUpdateEvent",
    "MessageEvent",
    "ObservationEvent",
    "SystemPromptEvent",
    "UserRejectObservation",
];

/// Returns whether there is an event of the SDK at this path.
pub(super) fn recognizes(value: &JsonOutline<'_>, at: &str) -> bool {
    value.text(&format!("{at}kind")).is_some_and(|kind| KINDS.contains(&kind))
        && value.has(&format!("{at}source"))
}

/// Parses an event of the SDK. Returns `None` for other events.
pub(super) fn parse(text: &str) -> Option<SdkEvent<'_>> {
    // Most events are not of the SDK, so this check is cheap.
    memchr::memmem::find(text.as_bytes(), b"\"kind\"")?;
    let event: SdkEvent<'_> = serde_json::from_str(text).ok()?;
    // Unknown kinds are events of the SDK too, and ignored.
    (event.kind.is_some() && event.source.is_some()).then_some(event)
}

impl OpenHandsReader {
    /// Reads an event of the SDK.
    pub(super) fn read_sdk_event(&mut self, event: SdkEvent<'_>, line: u64, sink: &mut dyn RecordSink) {
        let at = event.timestamp;
        // The id of the call pairs it with its result; without one, the id of the event does.
        let id =
            event.tool_call_id.as_ref().or(event.id.as_ref()).map(ToString::to_string).unwrap_or_default();
        let filled = |text: &StepText<'_>| !text.trim().is_empty();
        match event.kind.as_deref() {
            Some("MessageEvent") => {
                let text = event.llm_message.and_then(|message| message.content.into_text()).filter(filled);
                let Some(text) = text else { return };
                self.flush_calls(sink);
                if event.source.as_deref() == Some("user") {
                    let run = self.run.as_deref().map(Label::from);
                    let step = Step { run, at, user: Some(text), ..Step::default() };
                    sink.record(&LogRecord { line, step });
                } else {
                    self.emit(line, Step { at, say: Some(text), ..Step::default() }, sink);
                }
            }
            Some("ActionEvent") => {
                let mut action = Action::new(event.tool_name.map(StepText::into_owned).unwrap_or_default());
                let args = event.tool_call.and_then(|call| call.arguments).or(event.action);
                action.args = args.and_then(arguments);
                let say = event.thought.into_text().filter(filled).map(|say| say.0.into_owned());
                for lost in self.pending.push(PendingCall { id, line, at, batch: None, action, say }) {
                    self.emit_unanswered(lost, sink);
                }
            }
            Some("ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation") => {
                let Some(call) = self.pending.take(Some(&id)) else { return };
                let seen = event.observation.unwrap_or_default();
                let rejected = event.kind.as_deref() == Some("UserRejectObservation");
                let error = event.error.is_some()
                    || seen.is_error == Some(true)
                    || seen.exit_code.is_some_and(|code| code > 0);
                let text = event.error.or(event.rejection_reason).or_else(|| seen.content.into_text());
                let text = text.or_else(|| seen.output.into_text());
                let step = Step {
                    at: at.or(call.at),
                    action: Some(call.action),
                    outcome: Some(Outcome {
                        text,
                        error: (error || rejected).then_some(true),
                        ..Outcome::default()
                    }),
                    say: call.say.map(StepText::from),
                    refused: rejected,
                    user: rejected.then(|| "refused the call".into()),
                    ..Step::default()
                };
                self.emit(line, step, sink);
            }
            _ => {}
        }
    }
}
