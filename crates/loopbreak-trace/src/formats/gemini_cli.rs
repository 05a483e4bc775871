//! Gemini CLI: session files, as one document or line by line. See docs/formats/gemini-cli.md.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::MessageContent;
use crate::message::arguments;
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Sessions of Gemini CLI.
pub(crate) struct GeminiCliFormat;

impl FormatDefinition for GeminiCliFormat {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }
    fn title(&self) -> &'static str {
        "Gemini CLI"
    }
    fn file_description(&self) -> &'static str {
        "session files: one JSON document, or JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.has_all(&["sessionId", "projectHash"])
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("messages")
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(GeminiSession::default())
    }
}

#[derive(Debug, Default)]
struct GeminiSession {
    run: Option<String>,
    /// Last message of a session in lines; the next line may replace it.
    last: Option<(String, String, u64)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GeminiMessage<'a> {
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<StepText<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    content: MessageContent<'a>,
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

impl LogReader for GeminiSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut is_document = false;
        let mut broken = Ok(());
        let walked = walk_document(unit, &["messages"], &mut |part| {
            if part.listed {
                is_document = true;
                let said = message(part.unit(), self.run.as_deref(), sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(said);
            } else if &*part.key == "sessionId" {
                self.run = serde_json::from_str(part.json.get()).ok().or(self.run.take());
            }
        });
        if !is_document && walked.is_ok() {
            return self.line(unit, sink);
        }
        walked.and(broken)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        if let Some((_, text, line)) = self.last.take() {
            // The text was parsed before.
            _ = message(LogUnit { text: &text, line }, self.run.as_deref(), sink);
        }
    }
}

impl GeminiSession {
    /// Reads a line: a new message, or the last one again with its results.
    fn line(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let message: GeminiMessage<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let Some(id) = message.id.filter(|_| message.kind.is_some()) else { return Ok(()) };
        if let Some(session) = message.session {
            self.run = Some(session.0.into_owned());
        }
        if self.last.as_ref().is_some_and(|last| last.0 != *id) {
            self.end(sink);
        }
        self.last = Some((id.0.into_owned(), unit.text.to_owned(), unit.line));
        Ok(())
    }
}

/// Emits one message with its calls.
fn message(unit: LogUnit<'_>, run: Option<&str>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
    let message: GeminiMessage<'_> =
        serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
    let run = || run.map(Label::from);
    let text = message.content.into_text().filter(|text| !text.trim().is_empty());
    let mut emit = |step: Step<'_>| sink.record(&LogRecord { line: unit.line, step });
    match message.kind.as_deref() {
        Some("user") if text.is_some() => {
            emit(Step { run: run(), at: message.timestamp, user: text, ..Step::default() });
        }
        Some("gemini") => {
            let mut say = text;
            let mut usage = message.tokens.map(|tokens| Usage {
                input_tokens: tokens.input,
                output_tokens: tokens
                    .output
                    .map(|output| output.saturating_add(tokens.thoughts.unwrap_or(0))),
                cost_usd: None,
            });
            let calls = message.calls.unwrap_or_default();
            if calls.is_empty() && say.is_none() {
                return Ok(());
            }
            let model = message.model;
            if calls.is_empty() {
                emit(Step { run: run(), at: message.timestamp, model, say, usage, ..Step::default() });
                return Ok(());
            }
            for call in calls {
                let cancelled = call.status.as_deref() == Some("cancelled");
                let mut action = Action::new(call.name.unwrap_or_default());
                action.args = call.args.and_then(arguments);
                let text = call.result.and_then(result);
                let failed = cancelled || call.status.as_deref() == Some("error");
                emit(Step {
                    run: run(),
                    at: call.timestamp.or(message.timestamp),
                    agent: call.agent,
                    model: model.clone(),
                    action: Some(action),
                    outcome: (text.is_some() || failed).then_some(Outcome {
                        text,
                        error: failed.then_some(true),
                        ..Outcome::default()
                    }),
                    say: say.take(),
                    usage: usage.take(),
                    refused: cancelled,
                    user: cancelled.then(|| "refused the call".into()),
                    ..Step::default()
                });
            }
        }
        _ => {}
    }
    Ok(())
}

/// A part of the result of a call.
#[derive(Deserialize)]
struct GeminiPart<'a> {
    #[serde(borrow, rename = "functionResponse")]
    function: Option<GeminiFunction<'a>>,
    #[serde(borrow)]
    text: Option<StepText<'a>>,
}

#[derive(Deserialize)]
struct GeminiFunction<'a> {
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct GeminiResponse<'a> {
    #[serde(borrow)]
    output: Option<MessageContent<'a>>,
    #[serde(borrow)]
    error: Option<MessageContent<'a>>,
}

/// Returns the text of a result: the response of the function, or the other parts.
fn result(json: &RawValue) -> Option<StepText<'_>> {
    let Ok(parts) = serde_json::from_str::<Vec<GeminiPart<'_>>>(json.get()) else {
        return serde_json::from_str::<MessageContent<'_>>(json.get())
            .ok()
            .and_then(MessageContent::into_text);
    };
    let mut texts: Vec<StepText<'_>> = parts.into_iter().filter_map(part_text).collect();
    if texts.len() < 2 {
        return texts.pop();
    }
    Some(texts.iter().map(|text| &**text).collect::<Vec<_>>().join("\n").into())
}

fn part_text(part: GeminiPart<'_>) -> Option<StepText<'_>> {
    let Some(response) = part.function.and_then(|function| function.response) else { return part.text };
    match serde_json::from_str::<GeminiResponse<'_>>(response.get()) {
        Ok(GeminiResponse { output: None, error: None }) | Err(_) => Some(response.get().into()),
        Ok(known) => known.error.or(known.output).and_then(MessageContent::into_text),
    }
}
