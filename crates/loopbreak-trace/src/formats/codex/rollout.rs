//! Pairs the calls of a rollout with their results.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, HarnessEvent, Label, StepText},
};
use serde_json::value::RawValue;

use super::call_outcome::{CodexDenial, ScriptState, denial, denied_command, outcome, rejection};
use super::entry::{CodexContext, CodexEntry, CodexItem, CodexItemKind, CodexTokenEvent, CodexTokens};
use super::scripts::CodexScripts;
use super::turn_item::{CodexItemEvent, CodexScriptCall};
use super::user_message::CodexUserMessage;
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink, RejectedCall};
use crate::message::arguments;
use crate::message::{PendingCall, PendingCalls};
use crate::skip_reason::SkipReason;

/// Reads a rollout.
#[derive(Debug, Default)]
pub(super) struct CodexRollout {
    run: Option<String>,
    model: Option<String>,
    said: Option<(String, u64, Option<EpochMillis>)>,
    usage: Option<Usage>,
    pending: PendingCalls,
    /// Label of the response that is being read. All calls of a response come before the first result.
    batch: Option<Label<'static>>,
    scripts: CodexScripts,
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
                let item = match serde_json::from_str::<CodexItem<'_>>(payload) {
                    Ok(item) => item,
                    // Other kinds use the same keys for other things.
                    Err(_) if !has_read_kind(payload) => return Ok(()),
                    Err(error) => return Err(broken(error)),
                };
                return self.item(item, line.timestamp, unit.line, sink);
            }
            ("", None) => self.begin(line.id),
            (_, None) => {
                let item: CodexItem<'_> = serde_json::from_str(unit.text).map_err(broken)?;
                return self.item(item, line.timestamp, unit.line, sink);
            }
            _ => {}
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

    fn add_usage(&mut self, tokens: CodexTokens) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        let so_far = self.usage.unwrap_or_default();
        self.usage = Some(Usage {
            input_tokens: sum(so_far.input_tokens, tokens.input_tokens),
            output_tokens: sum(so_far.output_tokens, tokens.output_tokens),
            cost_usd: None,
        });
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
            self.add_usage(tokens);
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
    fn script_result(&mut self, call: &mut PendingCall, output: Option<&RawValue>) -> bool {
        let Some(script) = self.scripts.close(&call.id) else { return false };
        let is_read = match output.and_then(ScriptState::of_output) {
            Some(ScriptState::Running) => true,
            Some(ScriptState::Failed) => script.call_failed,
            Some(ScriptState::Completed) | None => script.has_calls,
        };
        if is_read && let Some(text) = call.say.take() {
            self.said.get_or_insert((text, call.line, call.at));
        }
        is_read
    }

    fn item(
        &mut self,
        item: CodexItem<'_>,
        at: Option<EpochMillis>,
        line: u64,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        match item.kind.as_deref().unwrap_or_default() {
            "message" => {
                let text = item.content.into_text().filter(|text| !text.trim().is_empty());
                let Some(text) = text else { return Ok(()) };
                match item.role.as_deref() {
                    Some("user") => {
                        let step = match CodexUserMessage::new(&text) {
                            CodexUserMessage::Human => Step { at, user: Some(text), ..Step::default() },
                            CodexUserMessage::Event(event) => {
                                Step { at, harness: Some(event), ..Step::default() }
                            }
                            CodexUserMessage::Nothing => return Ok(()),
                        };
                        // A subagent may end while calls are waiting for their results.
                        if step.harness != Some(HarnessEvent::Notification) || self.pending.is_empty() {
                            self.end_response(sink);
                        }
                        self.emit_for_others(line, step, sink);
                    }
                    Some("assistant") => {
                        self.end_response(sink);
                        self.said = Some((text.0.into_owned(), line, at));
                    }
                    _ => {}
                }
            }
            // Another agent has written to this one.
            "agent_message" => {
                if self.pending.is_empty() {
                    self.end_response(sink);
                }
                let harness = Some(HarnessEvent::Notification);
                self.emit_for_others(line, Step { at, harness, ..Step::default() }, sink);
            }
            kind @ ("function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call") => {
                let named = item.name.map(StepText::into_owned);
                let mut action =
                    Action::new(named.unwrap_or_else(|| kind.trim_end_matches("_call").to_owned().into()));
                action.args = item.arguments.or(item.input).or(item.action).and_then(arguments);
                let id = item.call_id.or(item.id).map(|id| id.0.into_owned()).unwrap_or_default();
                let say = self.said.take().map(|said| said.0);
                if self.batch.is_none() && !id.is_empty() {
                    self.batch = Some(Label::from(id.clone()));
                }
                let batch = self.batch.clone();
                if kind == "custom_tool_call" && &*action.name == "exec" {
                    self.scripts.open(&id);
                }
                for lost in self.pending.push(PendingCall { id, line, at, batch, action, say }) {
                    self.emit_call(lost, None, None, sink);
                }
            }
            // The service searches on its own and logs no result.
            "web_search_call" => {
                let mut action = Action::new("web_search");
                action.args = item.action.and_then(arguments);
                let say = self.said.take().map(|said| said.0);
                let call = PendingCall { id: String::new(), line, at, batch: None, action, say };
                self.emit_call(call, None, None, sink);
            }
            "tool_search_output" => {
                // The service searches on its own and names no call.
                if let Some(call) = item.call_id.as_deref().and_then(|id| self.pending.take(Some(id))) {
                    self.batch = None;
                    let found = item.tools.map(|tools| Outcome::new(tools.get()).with_error(false));
                    self.emit_call(call, found, Some((line, at)), sink);
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                self.batch = None;
                let Some(mut call) = self.pending.take(item.call_id.as_deref()) else {
                    return Err(SkipReason::new("the result of a call that is not in the log"));
                };
                if self.script_result(&mut call, item.output) {
                    return Ok(());
                }
                let outcome = item.output.map(outcome);
                let text = outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
                if let Some(command) = text.filter(|_| &*call.action.name == "exec").and_then(denied_command)
                {
                    // Hooks see the command and not the script.
                    call.action = Action::new("Bash").with_args(&serde_json::json!({ "command": command }));
                }
                if let Some(reason) = text.and_then(rejection) {
                    sink.rejected_call(&RejectedCall {
                        id: &call.id,
                        agent: None,
                        action: &call.action,
                        reason,
                    });
                }
                self.emit_call(call, outcome, Some((line, at)), sink);
            }
            _ => {}
        }
        Ok(())
    }

    fn emit_call(
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
    fn end_response(&mut self, sink: &mut dyn RecordSink) {
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
    fn emit_for_others(&self, line: u64, step: Step<'_>, sink: &mut dyn RecordSink) {
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
