//! One conversation: pairs calls with their results.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, HarnessEvent, Label, StepText},
};

use super::message::{ChatFunction, ChatMessage};
use crate::log_format::LogUnit;
use crate::log_record::{LogRecord, RecordSink, UnreadItem};
use crate::message::{ContentBlock, MessageContent};
use crate::message::{PendingCall, PendingCalls};
use crate::message::{arguments, is_call_kind};
use crate::skip_reason::SkipReason;

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct ChatConversation {
    run: Option<String>,
    model: Option<String>,
    usage: Option<Usage>,
    pending: PendingCalls,
    /// Number of calls without an id.
    unnamed: u64,
    /// Number of messages with several calls.
    batches: i64,
}

/// Line number and time of a message.
#[derive(Clone, Copy)]
struct ChatPosition {
    line: u64,
    at: Option<EpochMillis>,
}

impl ChatConversation {
    pub(super) fn new(run: Option<String>, model: Option<String>) -> Self {
        ChatConversation { run, model, ..ChatConversation::default() }
    }

    /// Reads the next message. With `several` agents, a name is the name of an agent in every role.
    pub(super) fn message(
        &mut self,
        unit: LogUnit<'_>,
        several: bool,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let message: ChatMessage<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let position = ChatPosition { line: unit.line, at: message.timestamp };
        if let Some(model) = &message.model
            && self.model.as_deref() != Some(model)
        {
            self.model = Some(model.to_string());
        }
        if let Some(tokens) = message.usage {
            self.usage = Some(Usage {
                input_tokens: tokens.prompt_tokens,
                output_tokens: tokens.completion_tokens,
                cache_read_tokens: tokens.prompt_tokens_details.and_then(|details| details.cached_tokens),
                ..Usage::default()
            });
        }
        match message.role.as_deref().unwrap_or_default() {
            "system" | "developer" => Ok(()),
            "tool" | "function" => {
                let error = message.is_failure();
                if let MessageContent::Blocks(blocks) = &message.content {
                    let is_unread = |block: &&ContentBlock<'_>| {
                        block.text.is_none()
                            && matches!(block.content, MessageContent::None)
                            && is_call_kind(&block.kind)
                    };
                    for block in blocks.iter().filter(is_unread) {
                        sink.unread_item(&UnreadItem::new(position.line, &block.kind));
                    }
                }
                let text = message.content.into_text();
                self.result(message.tool_call_id.as_deref(), text, error, position, sink)
            }
            "user" | "human" if !(several && message.name.is_some()) => self.user(message, position, sink),
            "assistant" | "ai" | "model" | "user" => {
                let agent = message.name.clone().filter(|_| several);
                self.assistant(message, agent, position, sink);
                Ok(())
            }
            // Orchestrators write the speaker into the role, sometimes with the addressee or the manner.
            role => {
                let agent = role.split(" (").next().unwrap_or(role).to_owned();
                self.assistant(message, Some(agent.into()), position, sink);
                Ok(())
            }
        }
    }

    fn user(
        &mut self,
        message: ChatMessage<'_>,
        position: ChatPosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let is_written = !matches!(message.content, MessageContent::None);
        let (results, rest): (Vec<ContentBlock<'_>>, Vec<ContentBlock<'_>>) =
            message.content.into_blocks().into_iter().partition(|block| &*block.kind == "tool_result");
        // Nobody writes an empty message. Frameworks do, to send the agent on.
        let is_empty = is_written
            && results.is_empty()
            && rest.iter().all(|block| block.text.as_deref().is_some_and(|text| text.trim().is_empty()));
        if is_empty {
            self.end(sink);
            let step = Step { harness: Some(HarnessEvent::Continuation), ..Step::default() };
            self.emit_for_others(step, position, sink);
            return Ok(());
        }
        let mut heard = Ok(());
        for block in results {
            let text = block.content.into_text();
            let one = self.result(block.tool_use_id.as_deref(), text, block.is_error, position, sink);
            heard = heard.and(one);
        }
        let words: Vec<StepText<'_>> = rest.into_iter().filter_map(|block| block.text).collect();
        let words = words.iter().map(|words| &**words).collect::<Vec<_>>().join("\n");
        if !words.trim().is_empty() {
            self.end(sink);
            self.emit_for_others(Step { user: Some(words.into()), ..Step::default() }, position, sink);
        }
        heard
    }

    /// Emits a step that no agent took, so it has neither a model nor a usage.
    fn emit_for_others(&self, step: Step<'_>, position: ChatPosition, sink: &mut dyn RecordSink) {
        let run = self.run.as_deref().map(Label::from);
        sink.record(&LogRecord { line: position.line, step: Step { run, at: position.at, ..step } });
    }

    fn assistant(
        &mut self,
        message: ChatMessage<'_>,
        agent: Option<StepText<'_>>,
        position: ChatPosition,
        sink: &mut dyn RecordSink,
    ) {
        // Earlier calls no longer get a result.
        self.end(sink);
        let (mut calls, mut say) = (Vec::new(), String::new());
        for block in message.content.into_blocks() {
            if &*block.kind == "tool_use" {
                calls.push((block.id, block.name, block.input));
            } else if block.text.is_none() && is_call_kind(&block.kind) {
                sink.unread_item(&UnreadItem::new(position.line, &block.kind));
            } else if let Some(text) = block.text.filter(|text| !text.trim().is_empty()) {
                say.push_str(if say.is_empty() { "" } else { "\n" });
                say.push_str(&text);
            }
        }
        for mut call in message.tool_calls.unwrap_or_default() {
            match call.take_function() {
                Some(ChatFunction { name, arguments }) => calls.push((call.id, name, arguments)),
                None => sink.unread_item(&UnreadItem::new(position.line, "tool_calls")),
            }
        }
        calls.extend(message.function_call.map(|ChatFunction { name, arguments }| (None, name, arguments)));
        let mut say = (!say.is_empty()).then_some(say);
        if calls.is_empty() {
            if say.is_some() {
                let step = Step { agent, at: position.at, say: say.map(StepText::from), ..Step::default() };
                self.emit(position.line, step, sink);
            }
            return;
        }
        let batch = (calls.len() > 1).then(|| {
            self.batches += 1;
            Label::Number(self.batches)
        });
        for (id, name, args) in calls {
            let mut action = Action::new(name.map(StepText::into_owned).unwrap_or_default());
            action.args = args.and_then(arguments);
            let id = id.map_or_else(
                || {
                    self.unnamed += 1;
                    format!("\0{}", self.unnamed)
                },
                |id| id.0.into_owned(),
            );
            let (line, at, batch) = (position.line, position.at, batch.clone());
            let call = PendingCall { id, line, at, batch, action, say: say.take() };
            for lost in self.pending.push(call) {
                self.emit_unanswered(lost, sink);
            }
        }
    }

    fn result(
        &mut self,
        id: Option<&str>,
        text: Option<StepText<'_>>,
        error: Option<bool>,
        position: ChatPosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        // Some services write no ids, or different ones; then the order decides.
        let call = self.pending.take(id).or_else(|| self.pending.pop());
        let Some(call) = call else {
            return Err(SkipReason::new("the result of a call that is not in the log"));
        };
        let step = Step {
            at: position.at.or(call.at),
            batch: call.batch,
            action: Some(call.action),
            outcome: Some(Outcome { text, error, ..Outcome::default() }),
            say: call.say.map(StepText::from),
            ..Step::default()
        };
        self.emit(position.line, step, sink);
        Ok(())
    }

    fn emit_unanswered(&mut self, call: PendingCall, sink: &mut dyn RecordSink) {
        self.emit(call.line, call.into_step(), sink);
    }

    /// Emits the calls that have no results.
    pub(super) fn end(&mut self, sink: &mut dyn RecordSink) {
        while let Some(call) = self.pending.pop() {
            self.emit_unanswered(call, sink);
        }
    }

    fn emit(&mut self, line: u64, step: Step<'_>, sink: &mut dyn RecordSink) {
        let step = Step {
            run: self.run.as_deref().map(Label::from),
            model: self.model.as_deref().map(StepText::from),
            usage: self.usage.take(),
            ..step
        };
        sink.record(&LogRecord { line, step });
    }
}
