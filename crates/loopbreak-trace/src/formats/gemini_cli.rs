//! Gemini CLI: session files, as one document or line by line. See docs/formats/gemini-cli.md.

use loopbreak::{Action, Label, Millis, Outcome, Step, Text, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::arguments::arguments;
use crate::content::Content;
use crate::document::walk;
use crate::format::{Kind, Reader, Record, Sink, Unit};
use crate::glimpse::Glimpse;
use crate::reason::Reason;

/// Sessions of Gemini CLI.
pub(crate) struct GeminiCli;

impl Kind for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }
    fn title(&self) -> &'static str {
        "Gemini CLI"
    }
    fn files(&self) -> &'static str {
        "session files: one JSON document, or JSON lines"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        value.has_all(&["sessionId", "projectHash"])
    }
    fn holds_run(&self, value: &Glimpse<'_>) -> bool {
        value.is_list("messages")
    }
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(Session::default())
    }
}

#[derive(Debug, Default)]
struct Session {
    run: Option<String>,
    /// Of line by line sessions: the last message, which the next line may say anew.
    last: Option<(String, String, u64)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    timestamp: Option<Millis>,
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    tokens: Option<Tokens>,
    #[serde(borrow, rename = "toolCalls")]
    calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input: Option<u64>,
    output: Option<u64>,
    thoughts: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    timestamp: Option<Millis>,
    #[serde(borrow, rename = "agentId")]
    agent: Option<Text<'a>>,
}

impl Reader for Session {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        let mut is_document = false;
        let mut broken = Ok(());
        let walked = walk(unit, &["messages"], &mut |part| {
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

    fn end(&mut self, sink: &mut dyn Sink) {
        if let Some((_, text, line)) = self.last.take() {
            // It was read once already.
            _ = message(Unit { text: &text, line }, self.run.as_deref(), sink);
        }
    }
}

impl Session {
    /// A line: a message, perhaps the last one once more with what came of it.
    fn line(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        let message: Message<'_> =
            serde_json::from_str(unit.text).map_err(|error| Reason::malformed(unit.text, &error))?;
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

/// One message, with the calls made in it.
fn message(unit: Unit<'_>, run: Option<&str>, sink: &mut dyn Sink) -> Result<(), Reason> {
    let message: Message<'_> =
        serde_json::from_str(unit.text).map_err(|error| Reason::malformed(unit.text, &error))?;
    let run = || run.map(Label::from);
    let text = message.content.into_text().filter(|text| !text.trim().is_empty());
    let mut give = |step: Step<'_>| sink.record(&Record { line: unit.line, step });
    match message.kind.as_deref() {
        Some("user") if text.is_some() => {
            give(Step { run: run(), at: message.timestamp, user: text, ..Step::default() });
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
                give(Step { run: run(), at: message.timestamp, model, say, usage, ..Step::default() });
                return Ok(());
            }
            for call in calls {
                let cancelled = call.status.as_deref() == Some("cancelled");
                let mut action = Action::new(call.name.unwrap_or_default());
                action.args = call.args.and_then(arguments);
                let text = call.result.and_then(result);
                let failed = cancelled || call.status.as_deref() == Some("error");
                give(Step {
                    run: run(),
                    at: call.timestamp.or(message.timestamp),
                    agent: call.agent,
                    model: model.clone(),
                    action: Some(action),
                    outcome: (text.is_some() || failed).then_some(Outcome { text, error: failed }),
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

/// A part of what a call came to.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "functionResponse")]
    function: Option<Function<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<Content<'a>>,
    #[serde(borrow)]
    error: Option<Content<'a>>,
}

/// What a call came to: the function's response, or the parts beside it.
fn result(json: &RawValue) -> Option<Text<'_>> {
    let Ok(parts) = serde_json::from_str::<Vec<Part<'_>>>(json.get()) else {
        return serde_json::from_str::<Content<'_>>(json.get()).ok().and_then(Content::into_text);
    };
    let mut texts: Vec<Text<'_>> = parts.into_iter().filter_map(part_text).collect();
    if texts.len() < 2 {
        return texts.pop();
    }
    Some(texts.iter().map(|text| &**text).collect::<Vec<_>>().join("\n").into())
}

fn part_text(part: Part<'_>) -> Option<Text<'_>> {
    let Some(response) = part.function.and_then(|function| function.response) else { return part.text };
    match serde_json::from_str::<Response<'_>>(response.get()) {
        Ok(Response { output: None, error: None }) | Err(_) => Some(response.get().into()),
        Ok(known) => known.error.or(known.output).and_then(Content::into_text),
    }
}
