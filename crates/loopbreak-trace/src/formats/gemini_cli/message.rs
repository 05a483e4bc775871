//! One message of a session with its calls.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{Denial, EpochMillis, HarnessEvent, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::LogUnit;
use crate::log_record::{LogRecord, RecordSink, UnreadItem};
use crate::message::{MessageContent, arguments, is_guard_reason, result_text, unwrap_step_text};
use crate::model_call::ModelCall;
use crate::skip_reason::SkipReason;

/// Beginning of the summary of a compacted conversation.
pub(super) const SNAPSHOT: &str = "<state_snapshot>";
/// Beginning of the result of a call that a hook denied.
const BY_HOOK: &str = "Tool execution blocked: ";
/// Beginning of the result of a call that the rules denied.
const BY_RULE: &str = "Tool execution denied by policy";
/// Beginnings of texts that the program writes as the user.
const MACHINE: [&str; 1] = ["<session_context>"];

/// A message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GeminiMessage<'a> {
    #[serde(borrow)]
    pub(super) id: Option<StepText<'a>>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    content: MessageContent<'a>,
    /// The words of the user, if the content differs from them.
    #[serde(borrow, rename = "displayContent")]
    display_content: MessageContent<'a>,
    #[serde(borrow)]
    model: Option<StepText<'a>>,
    tokens: Option<GeminiTokens>,
    #[serde(borrow, rename = "toolCalls")]
    calls: Option<Vec<GeminiToolCall<'a>>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct GeminiTokens {
    input: Option<u64>,
    output: Option<u64>,
    thoughts: Option<u64>,
    /// Part of the input.
    cached: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GeminiToolCall<'a> {
    #[serde(borrow)]
    name: Option<StepText<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow, rename = "agentId")]
    agent: Option<StepText<'a>>,
}

/// The session and the agent that a message belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct GeminiOwner<'o> {
    pub(super) run: Option<&'o str>,
    /// `None` for the main agent.
    pub(super) agent: Option<&'o str>,
}

impl GeminiMessage<'_> {
    /// Emits a message with its calls.
    pub(super) fn emit(
        unit: LogUnit<'_>,
        owner: GeminiOwner<'_>,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let message: GeminiMessage<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let mut emit = |step: Step<'_>| {
            let run = owner.run.map(Label::from);
            let agent = owner.agent.map(StepText::from).or(step.agent);
            sink.record(&LogRecord { line: unit.line, step: Step { run, agent, ..step } });
        };
        match message.kind.as_deref() {
            Some("user") => {
                if let Some(step) = message.into_user_step(owner) {
                    emit(step);
                }
            }
            Some("gemini") => message.emit_calls(&mut emit),
            Some("info" | "warning" | "error") | None => {}
            Some(other) => sink.unread_item(&UnreadItem::new(unit.line, other)),
        }
        Ok(())
    }
}

impl From<GeminiTokens> for Usage {
    fn from(tokens: GeminiTokens) -> Self {
        Usage {
            input_tokens: tokens.input,
            output_tokens: tokens.output.map(|output| output.saturating_add(tokens.thoughts.unwrap_or(0))),
            cache_read_tokens: tokens.cached,
            ..Usage::default()
        }
    }
}

/// Reads the usage of a model from one line. A message that grows is written again with its id.
pub(super) fn model_call(line: &str) -> Option<ModelCall> {
    let message: GeminiMessage<'_> = serde_json::from_str(line).ok()?;
    let usage = Some(message.tokens?.into());
    let (id, model) = (message.id.map(|id| id.to_string()), message.model.map(|model| model.to_string()));
    Some(ModelCall { id, model, usage })
}

impl<'a> GeminiMessage<'a> {
    /// Returns the step of a message of the type `user`.
    fn into_user_step(self, owner: GeminiOwner<'_>) -> Option<Step<'a>> {
        let at = self.timestamp;
        let text = self.content.into_text()?;
        let displayed = self.display_content.into_text();
        // Hooks add their texts to the prompt.
        let (words, _) = unwrap_step_text(text);
        let event = |event| Some(Step { at, harness: Some(event), ..Step::default() });
        let trimmed = words.trim();
        if trimmed.starts_with(SNAPSHOT) {
            return event(HarnessEvent::Compaction);
        }
        // A hook that keeps the agent from ending its turn sends its reason. The user sees the prompt of the turn instead. Files
        // that a prompt mentions are added to it.
        let is_replaced = displayed.is_some_and(|displayed| !trimmed.contains(displayed.trim()));
        if is_guard_reason(trimmed) || is_replaced {
            return event(HarnessEvent::Continuation);
        }
        // The caller of a subagent is not a human.
        let is_human = owner.agent.is_none() && !MACHINE.iter().any(|start| trimmed.starts_with(start));
        (is_human && !trimmed.is_empty()).then_some(Step { at, user: Some(words), ..Step::default() })
    }

    /// Emits a message of the model.
    fn emit_calls(self, emit: &mut dyn FnMut(Step<'_>)) {
        let mut say = self.content.into_text().filter(|text| !text.trim().is_empty());
        let mut usage = self.tokens.map(Usage::from);
        let (at, model) = (self.timestamp, self.model);
        let calls = self.calls.unwrap_or_default();
        if calls.is_empty() && say.is_some() {
            emit(Step { at, model, say, usage, ..Step::default() });
            return;
        }
        for mut call in calls {
            let mut action = Action::new(call.name.take().unwrap_or_default());
            action.args = call.args.and_then(arguments);
            let (outcome, refused) = call.outcome();
            let by_user = outcome.as_ref().is_some_and(|outcome| outcome.denied == Some(Denial::User));
            emit(Step {
                at: call.timestamp.or(at),
                agent: call.agent,
                model: model.clone(),
                action: Some(action),
                outcome,
                say: say.take(),
                usage: usage.take(),
                refused,
                user: by_user.then(|| "refused the call".into()),
                ..Step::default()
            });
        }
    }
}

impl<'a> GeminiToolCall<'a> {
    /// Returns the outcome of the call, and whether it was refused.
    fn outcome(&self) -> (Option<Outcome<'a>>, bool) {
        let is_cancelled = self.status.as_deref() == Some("cancelled");
        let is_error = is_cancelled || self.status.as_deref() == Some("error");
        let unwrapped = self.result.and_then(result_text).map(unwrap_step_text);
        let (text, exit) = unwrapped.map_or((None, None), |(text, exit)| (Some(text), exit));
        let denied = match text.as_deref() {
            Some(text) if is_error && text.starts_with(BY_HOOK) => {
                Some(if is_guard_reason(text) { Denial::Guard } else { Denial::Policy })
            }
            Some(text) if is_error && text.starts_with(BY_RULE) => Some(Denial::Policy),
            _ => is_cancelled.then_some(Denial::User),
        };
        let error = match exit {
            Some(code) => Some(code != 0 || is_error),
            None => is_error.then_some(true),
        };
        let is_logged = text.is_some() || error.is_some();
        let outcome = is_logged.then_some(Outcome { text, error, exit, denied });
        (outcome, denied.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_takes_the_place_of_the_users_words_is_a_continuation() {
        let owner = GeminiOwner { run: None, agent: None };
        for (content, displayed, expected) in [
            ("Not done yet.", Some("Fix the test"), Some(HarnessEvent::Continuation)),
            ("Fix @a.txt\n--- Content of a.txt ---\nx", Some("Fix @a.txt"), None),
            ("Fix the test", None, None),
        ] {
            let mut message = serde_json::json!({"type": "user", "content": [{"text": content}]});
            if let Some(displayed) = displayed {
                message["displayContent"] = serde_json::json!([{"text": displayed}]);
            }
            let text = message.to_string();
            let step =
                serde_json::from_str::<GeminiMessage<'_>>(&text).unwrap().into_user_step(owner).unwrap();
            assert_eq!((step.harness, step.user.is_some()), (expected, expected.is_none()), "{content}");
        }
    }
}
