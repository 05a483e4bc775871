//! Pairs the calls of a rollout with their results.

use loopbreak::{
    Outcome, Step, Usage,
    step::{EpochMillis, HarnessEvent, Label, StepText},
};
use serde_json::value::RawValue;

use super::call_outcome::{CodexDenial, ScriptState, denial};
use super::entry::{CodexContext, CodexEntry, CodexItem, CodexItemKind, CodexTokenEvent};
use super::items::CodexPosition;
use super::scripts::CodexScripts;
use super::turn_item::{CodexItemEvent, CodexScriptCall};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink, UnreadItem};
use crate::message::{PendingCall, PendingCalls};
use crate::skip_reason::SkipReason;

/// Reads a rollout.
#[derive(Debug, Default)]
pub(in crate::formats) struct CodexRollout {
    run: Option<String>,
    model: Option<String>,
    pub(super) said: Option<(String, u64, Option<EpochMillis>)>,
    usage: Option<Usage>,
    pub(super) pending: PendingCalls,
    /// Label of the response that is being read. All calls of a response come before the first result.
    pub(super) batch: Option<Label<'static>>,
    pub(super) scripts: CodexScripts,
}

impl LogReader for CodexRollout {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let broken = |error: serde_json::Error| SkipReason::malformed(unit.text, &error);
        let line: CodexEntry<'_> = serde_json::from_str(unit.text).map_err(broken)?;
        let kind = line.kind.as_deref().unwrap_or_default();
        match (kind, line.payload.map(RawValue::get)) {
            ("session_meta" | "turn_context", Some(payload)) => {
                let context: CodexContext<'_> = serde_json::from_str(payload).map_err(broken)?;
                if kind == "session_meta" {
                    self.begin(context.id);
                    if let Some(folder) = &context.cwd {
                        sink.project(self.run.as_deref(), folder);
                    }
                }
                if let Some(model) = context.model {
                    self.model = Some(model.0.into_owned());
                }
            }
            ("event_msg", Some(payload)) => {
                self.event(payload, line.timestamp, unit.line, sink);
            }
            ("compacted", Some(_)) => {
                self.end_response(sink);
                let step =
                    Step { at: line.timestamp, harness: Some(HarnessEvent::Compaction), ..Step::default() };
                self.emit_for_others(unit.line, step, sink);
            }
            ("response_item", Some(payload)) => {
                return self.read_item(LogUnit { text: payload, ..unit }, line.timestamp, sink);
            }
            ("", None) => self.begin(line.id),
            (_, None) => return self.read_item(unit, line.timestamp, sink),
            ("world_state" | "token_usage_record", _) => {}
            (other, _) => sink.unread_item(&UnreadItem::new(unit.line, other)),
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.flush(sink);
    }
}

impl CodexRollout {
    fn begin(&mut self, id: Option<StepText<'_>>) {
        // A fork repeats the beginning of the original session; the file belongs to the first session named.
        if self.run.is_none() {
            self.run = id.map(|id| id.0.into_owned());
        }
    }

    /// Begins a run that is not a session of Codex.
    pub(in crate::formats) fn begin_run(&mut self, run: Option<&str>, model: Option<&str>) {
        self.begin(run.map(StepText::from));
        if let Some(model) = model {
            self.model = Some(model.to_owned());
        }
    }

    /// Reads one item.
    pub(in crate::formats) fn read_item(
        &mut self,
        unit: LogUnit<'_>,
        at: Option<EpochMillis>,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        match serde_json::from_str::<CodexItem<'_>>(unit.text) {
            Ok(item) => self.item(item, CodexPosition { line: unit.line, at }, sink),
            // Other kinds use the same keys for other things.
            Err(_) if !has_read_kind(unit.text) => Ok(()),
            Err(error) => Err(SkipReason::malformed(unit.text, &error)),
        }
    }

    /// Adds tokens to the next step.
    pub(in crate::formats) fn add_usage(&mut self, usage: Usage) {
        self.usage = Some(self.usage.unwrap_or_default().plus(usage));
    }

    /// Reads an event: a count of tokens, or a call of a script.
    fn event(&mut self, payload: &str, at: Option<EpochMillis>, line: u64, sink: &mut dyn RecordSink) {
        // Other events use the same keys for other things.
        let event: CodexItemEvent<'_> = serde_json::from_str(payload).unwrap_or_default();
        if event.kind.as_deref() == Some("item_completed") {
            // Outside of code mode the items repeat what the responses say.
            if self.scripts.is_code_mode()
                && let Some(call) = event.item.and_then(CodexScriptCall::parse)
                && !self.pending.contains(&call.id)
            {
                self.script_call(call, at, line, sink);
            }
            return;
        }
        let counted: CodexTokenEvent = serde_json::from_str(payload).unwrap_or_default();
        if let Some(tokens) = counted.info.and_then(|info| info.last_token_usage) {
            self.add_usage(tokens.into());
        }
    }

    /// Emits a call that a script made.
    fn script_call(
        &mut self,
        call: CodexScriptCall<'_>,
        at: Option<EpochMillis>,
        line: u64,
        sink: &mut dyn RecordSink,
    ) {
        let script = self.scripts.add_call(call.fails_script).map(str::to_owned);
        let say = script.and_then(|script| self.pending.take_say(&script));
        let id = call.id.0.into_owned();
        // A script makes its calls one after the other, and sees each result.
        let made = PendingCall { id, line, at, batch: None, action: call.action, say };
        self.emit_call(made, Some(call.outcome), Some((line, at)), sink);
    }

    /// Reads the result of a script. Its calls were read on their own, so only an error of the script itself counts.
    /// Returns false if the script is to be read as a call.
    pub(super) fn script_result(&mut self, call: &mut PendingCall, output: Option<&RawValue>) -> bool {
        let Some(script) = self.scripts.close(&call.id) else { return false };
        let is_read = match output.and_then(ScriptState::from_output) {
            Some(ScriptState::Running) => true,
            Some(ScriptState::Failed) => script.call_failed,
            Some(ScriptState::Completed) | None => script.has_calls,
        };
        if is_read && let Some(text) = call.say.take() {
            self.said.get_or_insert((text, call.line, call.at));
        }
        is_read
    }

    pub(super) fn emit_call(
        &mut self,
        call: PendingCall,
        outcome: Option<Outcome<'_>>,
        answered: Option<(u64, Option<EpochMillis>)>,
        sink: &mut dyn RecordSink,
    ) {
        let (line, at) = answered.unwrap_or((call.line, call.at));
        // The output of a program may look like a denial.
        let unmarked =
            outcome.as_ref().filter(|outcome| outcome.exit.is_none() && outcome.error != Some(false));
        let stated = outcome.as_ref().and_then(|outcome| outcome.denied);
        let denial = unmarked
            .and_then(|outcome| denial(outcome.text.as_deref()?))
            .or(stated.map(|by| CodexDenial { by, was_started: false }));
        let outcome = outcome.map(|outcome| Outcome { denied: denial.map(|denial| denial.by), ..outcome });
        let step = Step {
            at: at.or(call.at),
            batch: call.batch,
            action: Some(call.action),
            say: call.say.map(StepText::from),
            user: denial.and_then(CodexDenial::user_word).map(StepText::from),
            refused: denial.is_some_and(|denial| !denial.was_started),
            outcome,
            ..Step::default()
        };
        self.emit(line, step, sink);
    }

    /// Ends the response that is being read. Its calls no longer get a result.
    pub(super) fn end_response(&mut self, sink: &mut dyn RecordSink) {
        self.batch = None;
        self.flush(sink);
        self.scripts.clear();
    }

    /// Emits everything held back: calls without results, and texts without a call.
    fn flush(&mut self, sink: &mut dyn RecordSink) {
        while let Some(call) = self.pending.pop() {
            if !self.scripts.close(&call.id).is_some_and(|script| script.has_calls) {
                self.emit_call(call, None, None, sink);
            }
        }
        if let Some((text, line, at)) = self.said.take() {
            self.emit(line, Step { at, say: Some(text.into()), ..Step::default() }, sink);
        }
    }

    /// Emits a step that the agent did not take, so it has neither a model nor a usage.
    pub(super) fn emit_for_others(&self, line: u64, step: Step<'_>, sink: &mut dyn RecordSink) {
        let run = self.run.as_deref().map(Label::from);
        sink.record(&LogRecord { line, step: Step { run, ..step } });
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

/// Returns whether a payload is of a kind whose keys are read.
fn has_read_kind(payload: &str) -> bool {
    let item: CodexItemKind<'_> = serde_json::from_str(payload).unwrap_or_default();
    item.kind.as_deref().is_none_or(|kind| kind == "message" || kind.contains("call"))
}
