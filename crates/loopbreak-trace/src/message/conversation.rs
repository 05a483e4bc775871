//! The conversation of one agent: puts texts with calls and calls with results.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{Denial, EpochMillis, HarnessEvent, Label, StepText},
};

use super::{PendingCall, PendingCalls};
use crate::log_record::{LogRecord, RecordSink};
use crate::skip_reason::SkipReason;

/// The state of a conversation: what was read and is not yet part of a step.
#[derive(Debug, Default)]
pub(crate) struct AgentConversation {
    /// Name of the run.
    pub(crate) run: Option<String>,
    /// Name of the agent, if the log marks several.
    pub(crate) agent: Option<String>,
    /// Name of the model.
    pub(crate) model: Option<String>,
    usage: Option<Usage>,
    said: Option<(String, LogPosition)>,
    pending: PendingCalls,
    /// Number of calls without an id.
    unnamed: u64,
}

/// Line number and time of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogPosition {
    pub(crate) line: u64,
    pub(crate) at: Option<EpochMillis>,
}

/// The result of a call.
#[derive(Debug, Default)]
pub(crate) struct CallResult<'a> {
    outcome: Outcome<'a>,
    /// True if the call was started before it was stopped.
    was_started: bool,
}

impl<'a> CallResult<'a> {
    /// Creates a result. A denied call was not carried out.
    pub(crate) fn new(outcome: Outcome<'a>) -> Self {
        CallResult { outcome, was_started: false }
    }

    /// Creates the result of a call that the user stopped while it was carried out.
    pub(crate) fn interrupted(outcome: Outcome<'a>) -> Self {
        CallResult { outcome: Outcome { denied: Some(Denial::User), ..outcome }, was_started: true }
    }

    /// Returns what the user did to the call.
    fn user_word(&self) -> Option<&'static str> {
        let by_user = self.outcome.denied == Some(Denial::User);
        by_user.then_some(if self.was_started { "interrupted the call" } else { "refused the call" })
    }
}

impl AgentConversation {
    /// Creates the conversation of an agent in a run.
    pub(crate) fn new(run: Option<&str>, agent: Option<&str>) -> Self {
        AgentConversation {
            run: run.map(str::to_owned),
            agent: agent.map(str::to_owned),
            ..AgentConversation::default()
        }
    }

    /// Sets the name of the model, unless it is the same.
    pub(crate) fn set_model(&mut self, model: Option<&str>) {
        if model.is_some() && self.model.as_deref() != model {
            self.model = model.map(str::to_owned);
        }
    }

    /// Adds usage to the next step.
    pub(crate) fn add_usage(&mut self, usage: Usage) {
        self.usage = Some(self.usage.unwrap_or_default().plus(usage));
    }

    /// Adds a text of the agent. It belongs to the next call, or becomes a step of its own.
    pub(crate) fn say(&mut self, text: &str, position: LogPosition) {
        if text.trim().is_empty() {
            return;
        }
        match &mut self.said {
            Some((said, _)) => {
                said.push('\n');
                said.push_str(text);
            }
            None => self.said = Some((text.to_owned(), position)),
        }
    }

    /// Adds a call whose result comes later. Calls with the same batch were made in parallel.
    pub(crate) fn call(
        &mut self,
        id: Option<StepText<'_>>,
        action: Action<'static>,
        batch: Option<Label<'static>>,
        position: LogPosition,
        sink: &mut dyn RecordSink,
    ) {
        let id = id.map(|id| id.0.into_owned()).filter(|id| !id.is_empty()).unwrap_or_else(|| {
            self.unnamed += 1;
            format!("\0{}", self.unnamed)
        });
        let say = self.said.take().map(|said| said.0);
        let call = PendingCall { id, line: position.line, at: position.at, batch, action, say };
        for lost in self.pending.push(call) {
            self.emit_unanswered(lost, sink);
        }
    }

    /// Adds the result of a call. A result without an id belongs to the oldest call.
    pub(crate) fn result(
        &mut self,
        id: Option<&str>,
        result: CallResult<'_>,
        position: LogPosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let Some(call) = self.pending.take(id) else {
            return Err(SkipReason::new("the result of a call that is not in the log"));
        };
        let step = Step {
            at: position.at.or(call.at),
            batch: call.batch,
            action: Some(call.action),
            say: call.say.map(StepText::from),
            user: result.user_word().map(StepText::from),
            refused: result.outcome.denied.is_some() && !result.was_started,
            outcome: Some(result.outcome),
            ..Step::default()
        };
        self.emit(position.line, step, sink);
        Ok(())
    }

    /// Adds a call together with its result, if it has one.
    pub(crate) fn finished_call(
        &mut self,
        action: Action<'static>,
        batch: Option<Label<'static>>,
        result: Option<CallResult<'_>>,
        position: LogPosition,
        sink: &mut dyn RecordSink,
    ) {
        let result = result.unwrap_or_default();
        let is_empty = result.outcome.text.is_none()
            && result.outcome.error.is_none()
            && result.outcome.exit.is_none()
            && result.outcome.denied.is_none();
        let step = Step {
            at: position.at,
            batch,
            action: Some(action),
            say: self.said.take().map(|said| said.0.into()),
            user: result.user_word().map(StepText::from),
            refused: result.outcome.denied.is_some() && !result.was_started,
            outcome: (!is_empty).then_some(result.outcome),
            ..Step::default()
        };
        self.emit(position.line, step, sink);
    }

    /// Adds the words of a human.
    pub(crate) fn user(&mut self, words: StepText<'_>, position: LogPosition, sink: &mut dyn RecordSink) {
        self.end(sink);
        self.emit_for_others(Step { user: Some(words), ..Step::default() }, position, sink);
    }

    /// Adds something that the harness did.
    pub(crate) fn event(&mut self, event: HarnessEvent, position: LogPosition, sink: &mut dyn RecordSink) {
        // A job may end while calls are waiting for their results.
        if event == HarnessEvent::Compaction || self.pending.is_empty() {
            self.end(sink);
        }
        self.emit_for_others(Step { harness: Some(event), ..Step::default() }, position, sink);
    }

    /// Emits everything held back: calls without results, and texts without a call. A new message of the agent and the
    /// end of the log do this.
    pub(crate) fn end(&mut self, sink: &mut dyn RecordSink) {
        while let Some(call) = self.pending.pop() {
            self.emit_unanswered(call, sink);
        }
        if let Some((text, position)) = self.said.take() {
            let step = Step { at: position.at, say: Some(text.into()), ..Step::default() };
            self.emit(position.line, step, sink);
        }
    }

    fn emit_unanswered(&mut self, call: PendingCall, sink: &mut dyn RecordSink) {
        self.emit(call.line, call.into_step(), sink);
    }

    /// Emits a step that the agent did not take, so it has neither a model nor a usage.
    fn emit_for_others(&self, step: Step<'_>, position: LogPosition, sink: &mut dyn RecordSink) {
        let run = self.run.as_deref().map(Label::from);
        let agent = self.agent.as_deref().map(StepText::from);
        sink.record(&LogRecord { line: position.line, step: Step { run, agent, at: position.at, ..step } });
    }

    fn emit(&mut self, line: u64, step: Step<'_>, sink: &mut dyn RecordSink) {
        let step = Step {
            run: self.run.as_deref().map(Label::from),
            agent: self.agent.as_deref().map(StepText::from),
            model: self.model.as_deref().map(StepText::from),
            usage: self.usage.take(),
            ..step
        };
        sink.record(&LogRecord { line, step });
    }
}
