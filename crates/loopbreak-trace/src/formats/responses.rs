//! OpenAI Responses: lists of items, requests and responses. See docs/formats/responses.md.

use loopbreak::Usage;
use loopbreak::step::{EpochMillis, StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::codex::CodexRollout;
use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::RecordSink;
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Items of the Responses API.
pub(crate) struct ResponsesFormat;

/// Keys that hold items.
const LISTS: [&str; 4] = ["input", "output", "items", "data"];

impl FormatDefinition for ResponsesFormat {
    fn name(&self) -> &'static str {
        "responses"
    }
    fn title(&self) -> &'static str {
        "OpenAI Responses, Agents SDK"
    }
    fn file_description(&self) -> &'static str {
        "lists of items, alone or under input, output or items; response objects; JSON or JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let is_item = |at: &str| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            let kind = value.text(&format!("{at}type"));
            let is_message = kind == Some("message") && has("role") && has("content");
            let is_known = matches!(kind, Some("reasoning" | "function_call" | "function_call_output"));
            is_message || is_known || kind.is_some() && has("call_id") && !has("payload")
        };
        let is_response = value.text("object") == Some("response") && value.is_list("output");
        is_response
            || is_item("")
            || is_item("[].")
            || LISTS.iter().any(|list| is_item(&format!("{list}.[].")) || is_item(&format!("[].{list}.[].")))
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("")
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(ResponsesReader::default())
    }
}

/// Reads items. They are those of a rollout of Codex, which uses the same API.
#[derive(Debug, Default)]
struct ResponsesReader {
    items: CodexRollout,
}

/// Keys that describe the items of an object.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ResponseObjectKeys<'a> {
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    session_id: Option<StepText<'a>>,
    #[serde(borrow, deserialize_with = "conversation_id")]
    conversation: Option<StepText<'a>>,
    #[serde(borrow)]
    model: Option<StepText<'a>>,
    #[serde(rename = "created_at")]
    at: Option<f64>,
    usage: Option<ResponseTokens>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct ResponseTokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<CachedTokens>,
}

/// Details of the input.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct CachedTokens {
    cached_tokens: Option<u64>,
}

/// Reads the id of a conversation, which is a text or an object.
fn conversation_id<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<StepText<'de>>, D::Error> {
    #[derive(Deserialize)]
    struct ConversationObject<'a> {
        #[serde(borrow)]
        id: StepText<'a>,
    }
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    let object = || serde_json::from_str::<ConversationObject<'de>>(raw.get()).map(|object| object.id);
    Ok(serde_json::from_str(raw.get()).or_else(|_| object()).ok())
}

impl LogReader for ResponsesReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut broken = Ok(());
        let mut holds_items = unit.text.trim_start().starts_with('[');
        let is_object = !holds_items;
        let mut keys: Option<ResponseObjectKeys<'_>> = None;
        let walked = walk_document(unit, &LISTS, &mut |part| {
            if !part.listed {
                return;
            }
            if is_object && !holds_items {
                holds_items = true;
                let about: ResponseObjectKeys<'_> = serde_json::from_str(unit.text).unwrap_or_default();
                let run = about.session_id.as_ref().or(about.conversation.as_ref()).or(about.id.as_ref());
                self.items.begin_run(run.map(|run| &**run), about.model.as_deref());
                keys = Some(about);
            }
            let at = keys.as_ref().and_then(ResponseObjectKeys::time);
            let nested = part.unit();
            let said = if part.key.is_empty() && holds_list(nested.text) {
                self.read_unit(nested, sink)
            } else {
                self.items.read_item(nested, at, sink)
            };
            broken = std::mem::replace(&mut broken, Ok(())).and(said);
        });
        if let Some(tokens) = keys.and_then(|keys| keys.usage) {
            self.items.add_usage(Usage {
                input_tokens: tokens.input_tokens,
                output_tokens: tokens.output_tokens,
                cache_read_tokens: tokens.input_tokens_details.and_then(|details| details.cached_tokens),
                ..Usage::default()
            });
        }
        if !holds_items && walked.is_ok() {
            return self.items.read_item(unit, None, sink);
        }
        // A list holds the whole conversation.
        if !is_object {
            self.items.end(sink);
        }
        walked.and(broken)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.items.end(sink);
    }
}

impl ResponseObjectKeys<'_> {
    /// Returns the time of a response, which is in seconds.
    fn time(&self) -> Option<EpochMillis> {
        let seconds = self.at.filter(|seconds| seconds.is_finite() && seconds.abs() < 1e12)?;
        serde_json::from_str(&format!("{:.0}", seconds * 1000.0)).ok()
    }
}

/// Returns whether an object holds a list of items.
fn holds_list(json: &str) -> bool {
    #[derive(Deserialize)]
    struct ItemKeys<'a> {
        #[serde(borrow, rename = "type")]
        kind: Option<&'a RawValue>,
        #[serde(borrow)]
        role: Option<&'a RawValue>,
        #[serde(borrow)]
        output: Option<&'a RawValue>,
        #[serde(borrow)]
        input: Option<&'a RawValue>,
        #[serde(borrow)]
        items: Option<&'a RawValue>,
    }
    serde_json::from_str::<ItemKeys<'_>>(json).is_ok_and(|keys| {
        let is_list = |value: Option<&RawValue>| value.is_some_and(|value| value.get().starts_with('['));
        let is_item = keys.kind.is_some() || keys.role.is_some();
        !is_item && [keys.output, keys.input, keys.items].into_iter().any(is_list)
    })
}
