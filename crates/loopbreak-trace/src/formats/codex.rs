//! Codex CLI: rollouts. See docs/formats/codex.md.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink, RejectedCall};
use crate::message::MessageContent;
use crate::message::arguments;
use crate::message::{PendingCall, PendingCalls};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Rollouts of Codex CLI.
pub(crate) struct CodexFormat;

const ENVELOPES: [&str; 5] = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];

impl FormatDefinition for CodexFormat {
    fn name(&self) -> &'static str {
        "codex"
    }
    fn title(&self) -> &'static str {
        "Codex CLI"
    }
    fn file_description(&self) -> &'static str {
        "rollout-*.jsonl: one JSON object per line, with type and payload"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let kind = value.text("type");
        let enveloped = kind.is_some_and(|kind| ENVELOPES.contains(&kind)) && value.is_object("payload");
        // The first version had no envelopes.
        let bare = matches!(kind, Some("function_call" | "function_call_output" | "local_shell_call"))
            && value.has("call_id")
            || kind == Some("message") && value.has_all(&["role", "content.[].type"])
            || kind == Some("reasoning") && value.has("summary");
        enveloped || bare
    }
    fn rejection_marks(&self) -> &'static [&'static str] {
        &REJECTIONS
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(CodexRollout::default())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexEntry<'a> {
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
}

/// The payload of a line, with the keys of all kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexItem<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow)]
    content: MessageContent<'a>,
    #[serde(borrow)]
    name: Option<StepText<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    call_id: Option<StepText<'a>>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// Metadata of the session and of its turns.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexContext<'a> {
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    model: Option<StepText<'a>>,
}

/// An event that counts tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexTokenEvent {
    info: Option<CodexTokenInfo>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct CodexTokenInfo {
    last_token_usage: Option<CodexTokens>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct CodexTokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// Beginnings of texts that Codex writes under the role `user`.
const MACHINE: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<permissions instructions>",
    "<skill>",
    "<collaboration_mode>",
    "<INSTRUCTIONS>",
];

/// Beginnings of the results of calls that Codex rejected before they were made.
const REJECTIONS: [&str; 2] = ["unsupported call: ", "failed to parse function arguments"];

#[derive(Debug, Default)]
struct CodexRollout {
    run: Option<String>,
    model: Option<String>,
    said: Option<(String, u64, Option<EpochMillis>)>,
    usage: Option<Usage>,
    pending: PendingCalls,
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
                // Other events use the same keys for other things.
                let counted: CodexTokenEvent = serde_json::from_str(payload).unwrap_or_default();
                if let Some(tokens) = counted.info.and_then(|info| info.last_token_usage) {
                    self.add_usage(tokens);
                }
            }
            ("response_item", Some(payload)) => {
                let item: CodexItem<'_> = serde_json::from_str(payload).map_err(broken)?;
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
                    Some("user") if !MACHINE.iter().any(|start| text.trim_start().starts_with(start)) => {
                        self.flush(sink);
                        let run = self.run.as_deref().map(Label::from);
                        let step = Step { run, at, user: Some(text), ..Step::default() };
                        sink.record(&LogRecord { line, step });
                    }
                    Some("assistant") => {
                        self.flush(sink);
                        self.said = Some((text.0.into_owned(), line, at));
                    }
                    _ => {}
                }
            }
            kind @ ("function_call" | "custom_tool_call" | "local_shell_call") => {
                let named = item.name.map(StepText::into_owned);
                let mut action =
                    Action::new(named.unwrap_or_else(|| kind.trim_end_matches("_call").to_owned().into()));
                action.args = item.arguments.or(item.input).or(item.action).and_then(arguments);
                let id = item.call_id.or(item.id).map(|id| id.0.into_owned()).unwrap_or_default();
                let say = self.said.take().map(|said| said.0);
                for lost in self.pending.push(PendingCall { id, line, at, batch: None, action, say }) {
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
            "function_call_output" | "custom_tool_call_output" => {
                let Some(call) = self.pending.take(item.call_id.as_deref()) else {
                    return Err(SkipReason::new("the result of a call that is not in the log"));
                };
                let outcome = item.output.map(outcome);
                if let Some(reason) = outcome.as_ref().and_then(|outcome| outcome.text.as_deref())
                    && REJECTIONS.iter().any(|start| reason.starts_with(start))
                {
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
        let refused = outcome.as_ref().is_some_and(is_refusal);
        let step = Step {
            at: at.or(call.at),
            action: Some(call.action),
            say: call.say.map(StepText::from),
            user: refused.then(|| "refused the call".into()),
            refused,
            outcome,
            ..Step::default()
        };
        self.emit(line, step, sink);
    }

    /// Emits everything held back: calls without results, and texts without a call.
    fn flush(&mut self, sink: &mut dyn RecordSink) {
        while let Some(call) = self.pending.pop() {
            self.emit_call(call, None, None, sink);
        }
        if let Some((text, line, at)) = self.said.take() {
            self.emit(line, Step { at, say: Some(text.into()), ..Step::default() }, sink);
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

/// Returns whether a human refused the call.
fn is_refusal(outcome: &Outcome<'_>) -> bool {
    let text = outcome.text.as_deref().unwrap_or_default();
    text.starts_with("exec command rejected by user") || text.starts_with("patch rejected by user")
}

/// Parses a result: a text, blocks, or an object with a success flag.
fn outcome(output: &RawValue) -> Outcome<'_> {
    #[derive(Deserialize)]
    struct CodexOutput<'a> {
        #[serde(borrow)]
        content: StepText<'a>,
        success: Option<bool>,
    }
    let (text, failed) = match serde_json::from_str::<CodexOutput<'_>>(output.get()) {
        Ok(told) => (Some(told.content), told.success == Some(false)),
        Err(_) => {
            (serde_json::from_str::<MessageContent<'_>>(output.get()).unwrap_or_default().into_text(), false)
        }
    };
    let Some(text) = text else {
        return Outcome { error: failed.then_some(true), ..Outcome::default() };
    };
    let (text, code) = unwrapped(text);
    let failed = failed || code.is_some_and(|code| code != 0);
    Outcome { text: Some(text), error: failed.then_some(true), ..Outcome::default() }
}

/// Unwraps the output of a command, which is stored as JSON with an exit code, or below a few headings. The times in
/// the headings are dropped.
fn unwrapped(text: StepText<'_>) -> (StepText<'_>, Option<i64>) {
    #[derive(Deserialize)]
    struct CodexCommandOutput {
        output: String,
        metadata: CodexOutputMetadata,
    }
    #[derive(Deserialize)]
    struct CodexOutputMetadata {
        exit_code: Option<i64>,
    }
    if text.starts_with("{\"")
        && let Ok(wrapped) = serde_json::from_str::<CodexCommandOutput>(&text)
    {
        return (wrapped.output.into(), wrapped.metadata.exit_code);
    }
    let headed = ["Exit code: ", "Chunk ID: ", "Wall time: "].iter().any(|head| text.starts_with(head));
    if headed && let Some((head, rest)) = text.split_once("Output:\n") {
        let code = head.lines().find_map(|line| {
            line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))
        });
        return (rest.to_owned().into(), code.and_then(|code| code.trim().parse().ok()));
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwraps_command_outputs() {
        for (text, expected, code) in [
            (r#"{"output":"boom\n","metadata":{"exit_code":1,"duration_seconds":0.4}}"#, "boom\n", Some(1)),
            ("Exit code: 0\nWall time: 0.2 seconds\nOutput:\nfine", "fine", Some(0)),
            ("Chunk ID: ab\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nx", "x", Some(2)),
            ("plain", "plain", None),
            (r#"{"output":"#, r#"{"output":"#, None),
        ] {
            let (got, exit) = unwrapped(text.into());
            assert_eq!((&*got, exit), (expected, code), "{text}");
        }
    }
}
