//! One agent of a session: its texts, its calls, its usage.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, HarnessEvent, Label, StepText},
};

use super::call_fate::{CallFate, exit_code, fate, rejection_reason};
use super::entry::{ClaudeDenial, ClaudeTokens};
use crate::log_record::{LogRecord, RecordSink, RejectedCall, UnreadItem};
use crate::message::{ContentBlock, MessageContent};
use crate::message::{PendingCall, PendingCalls};
use crate::skip_reason::SkipReason;

/// Number of bytes kept of the text before a call.
const SAID: usize = 256 * 1024;

/// An agent: the main one or a subagent.
#[derive(Debug, Default)]
pub(super) struct ClaudeAgent {
    session: Option<String>,
    /// `None` for the main agent.
    name: Option<String>,
    model: Option<String>,
    /// The current message: its id, its text, its usage so far.
    message: Option<String>,
    said: String,
    said_at: (u64, Option<EpochMillis>),
    counted: ClaudeTokens,
    /// Usage since the last step.
    taken: Usage,
    pending: PendingCalls,
}

/// Line number and time of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaudePosition {
    pub(super) line: u64,
    pub(super) at: Option<EpochMillis>,
}

impl ClaudeAgent {
    pub(super) fn new(session: Option<&str>, name: Option<&str>) -> Self {
        ClaudeAgent {
            session: session.map(str::to_owned),
            name: name.map(str::to_owned),
            ..ClaudeAgent::default()
        }
    }

    pub(super) fn is(&self, session: Option<&str>, name: Option<&str>) -> bool {
        self.name.as_deref() == name && self.session.as_deref() == session
    }

    /// Returns whether this message is the current one.
    pub(super) fn is_in_message(&self, message: Option<&str>) -> bool {
        message.is_some() && self.message.as_deref() == message
    }

    /// Adds blocks of the current message: texts and calls.
    pub(super) fn add_blocks(
        &mut self,
        blocks: Vec<ContentBlock<'_>>,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) {
        for block in blocks {
            match &*block.kind {
                "text" => self.add_text(block.text.as_deref().unwrap_or_default(), position),
                "tool_use" | "server_tool_use" => self.add_call(block, position, sink),
                kind if kind.ends_with("tool_use") => {
                    sink.unread_item(&UnreadItem::new(position.line, kind));
                }
                _ => {}
            }
        }
    }

    /// Starts or continues a message. Calls of an earlier message no longer get a result.
    pub(super) fn begin_message(
        &mut self,
        message: Option<&str>,
        model: Option<&str>,
        sink: &mut dyn RecordSink,
    ) {
        if message.is_none() || self.message.as_deref() != message {
            self.flush(sink);
            self.message = message.map(str::to_owned);
            self.counted = ClaudeTokens::default();
        }
        // Texts that the program writes under the name of the model are marked like this.
        let model = model.filter(|model| !model.starts_with('<'));
        if model.is_some() && self.model.as_deref() != model {
            self.model = model.map(str::to_owned);
        }
    }

    /// Ends the message: later content under the same id is a repetition.
    pub(super) fn close_message(&mut self, sink: &mut dyn RecordSink) {
        self.flush(sink);
        self.message = None;
    }

    /// Adds usage. Each line of a message has the usage so far, so only the difference counts.
    pub(super) fn add_usage(&mut self, tokens: ClaudeTokens) {
        let read = |tokens: ClaudeTokens| {
            tokens.input.saturating_add(tokens.cache_written).saturating_add(tokens.cache_read)
        };
        let input = read(tokens).saturating_sub(read(self.counted));
        let output = tokens.output.saturating_sub(self.counted.output);
        let since = |part: fn(&ClaudeTokens) -> u64| {
            Some(part(&tokens).saturating_sub(part(&self.counted))).filter(|more| *more > 0)
        };
        self.taken = self.taken.plus(Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            cache_read_tokens: since(|tokens| tokens.cache_read),
            cache_write_tokens: since(|tokens| tokens.cache_written),
            cache_write_1h_tokens: since(|tokens| tokens.written.for_an_hour),
            cost_usd: None,
        });
        if read(tokens) >= read(self.counted) && tokens.output >= self.counted.output {
            self.counted = tokens;
        }
    }

    /// Adds a cost in US dollars.
    pub(super) fn add_cost(&mut self, dollars: f64) {
        if dollars.is_finite() && dollars >= 0.0 {
            *self.taken.cost_usd.get_or_insert(0.0) += dollars;
        }
    }

    fn add_text(&mut self, text: &str, position: ClaudePosition) {
        if text.trim().is_empty() {
            return;
        }
        if self.said.is_empty() {
            self.said_at = (position.line, position.at);
        } else {
            self.said.push('\n');
        }
        let room = SAID.saturating_sub(self.said.len());
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.said.push_str(&text[..end]);
    }

    fn add_call(&mut self, block: ContentBlock<'_>, position: ClaudePosition, sink: &mut dyn RecordSink) {
        let mut action = Action::new(block.name.map(StepText::into_owned).unwrap_or_default());
        action.args = block.input.map(|input| input.to_owned().into());
        let say = (!self.said.is_empty()).then(|| std::mem::take(&mut self.said));
        let id = block.id.map(|id| id.0.into_owned()).unwrap_or_default();
        let batch = self.message.clone().map(Label::from);
        let call = PendingCall { id, line: position.line, at: position.at, batch, action, say };
        for lost in self.pending.push(call) {
            self.emit_unanswered(lost, sink);
        }
    }

    /// Adds the result of a call.
    pub(super) fn add_result(
        &mut self,
        block: ContentBlock<'_>,
        denial: &ClaudeDenial<'_>,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let Some(call) = self.pending.take(block.tool_use_id.as_deref()) else {
            return Err(SkipReason::new("the result of a call that is not in the log, or came long before"));
        };
        let text = block.content.into_text();
        // Only failures are always marked.
        let failed = block.is_error == Some(true);
        let failure = text.as_deref().filter(|_| failed);
        let fate = failure.map_or(CallFate::Done, |text| fate(text, denial));
        if let Some(reason) = failure.and_then(rejection_reason) {
            let agent = self.name.as_deref();
            sink.rejected_call(&RejectedCall { id: &call.id, agent, action: &call.action, reason });
        }
        let exit = failure.and_then(exit_code);
        let outcome = Outcome { text, error: Some(failed), exit, denied: fate.denied() };
        let step = Step {
            at: position.at.or(call.at),
            batch: call.batch,
            action: Some(call.action),
            say: call.say.map(StepText::from),
            refused: fate.is_refused(),
            user: fate.user_word().map(StepText::from),
            outcome: (fate != CallFate::Dropped).then_some(outcome),
            ..Step::default()
        };
        self.emit(position.line, step, sink);
        Ok(())
    }

    fn emit_unanswered(&mut self, call: PendingCall, sink: &mut dyn RecordSink) {
        self.emit(call.line, call.into_step(), sink);
    }

    /// Emits everything held back: calls without results, and texts without a call.
    pub(super) fn flush(&mut self, sink: &mut dyn RecordSink) {
        while let Some(call) = self.pending.pop() {
            self.emit_unanswered(call, sink);
        }
        if !self.said.is_empty() {
            let say = std::mem::take(&mut self.said);
            let (line, at) = self.said_at;
            self.emit(line, Step { at, say: Some(say.into()), ..Step::default() }, sink);
        }
    }

    /// Ends the log. Emits everything held back, and usage that no step accounts for.
    pub(super) fn end(&mut self, sink: &mut dyn RecordSink) {
        self.flush(sink);
        let taken = |tokens: Option<u64>| tokens.is_some_and(|tokens| tokens > 0);
        if taken(self.taken.input_tokens) || taken(self.taken.output_tokens) || self.taken.cost_usd.is_some()
        {
            self.emit(self.said_at.0.max(1), Step::default(), sink);
        }
    }

    /// Adds a message of the user.
    pub(super) fn add_user_text(
        &mut self,
        words: StepText<'_>,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) {
        self.flush(sink);
        self.emit_for_others(Step { user: Some(words), ..Step::default() }, position, sink);
    }

    /// Adds something that the program did.
    pub(super) fn add_event(
        &mut self,
        event: HarnessEvent,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) {
        // A job may end while calls are waiting for their results.
        if event == HarnessEvent::Compaction || self.pending.is_empty() {
            self.flush(sink);
        }
        self.emit_for_others(Step { harness: Some(event), ..Step::default() }, position, sink);
    }

    /// Emits a step that the agent did not take, so it has neither a model nor a usage.
    fn emit_for_others(&self, step: Step<'_>, position: ClaudePosition, sink: &mut dyn RecordSink) {
        let run = self.session.as_deref().map(Label::from);
        let agent = self.name.as_deref().map(StepText::from);
        sink.record(&LogRecord { line: position.line, step: Step { run, agent, at: position.at, ..step } });
    }

    /// Emits a step of this agent.
    fn emit(&mut self, line: u64, step: Step<'_>, sink: &mut dyn RecordSink) {
        let taken = std::mem::take(&mut self.taken);
        let any = taken.input_tokens.is_some() || taken.output_tokens.is_some() || taken.cost_usd.is_some();
        let step = Step {
            run: self.session.as_deref().map(Label::from),
            agent: self.name.as_deref().map(StepText::from),
            model: self.model.as_deref().map(StepText::from),
            usage: any.then_some(taken),
            ..step
        };
        sink.record(&LogRecord { line, step });
    }
}

/// Splits the blocks of a user message into results and texts.
pub(super) fn split(content: MessageContent<'_>) -> (Vec<ContentBlock<'_>>, Vec<ContentBlock<'_>>) {
    content.into_blocks().into_iter().partition(|block| &*block.kind == "tool_result")
}
