//! Generated content of Gemini: `/v1beta/models/MODEL:generateContent` and `:streamGenerateContent`.

use serde_json::{Value, json};

use super::conversation::{join_texts, list_field, string_field};
use super::http_reply::HttpReply;
use super::{ConversationEntry, ModelAnswer, ModelConversation, ScriptedCall};

/// Parses the body of a request.
pub(super) fn parse(body: &Value) -> ModelConversation {
    let mut entries = Vec::new();
    if let Some(parts) = body.get("systemInstruction").and_then(|instruction| instruction.get("parts")) {
        entries.push(ConversationEntry::Instructions(join_texts(parts)));
    }
    for content in list_field(body, "contents") {
        let is_model = string_field(content, "role") == "model";
        entries.extend(list_field(content, "parts").iter().filter_map(|part| parse_part(is_model, part)));
    }
    let tools = list_field(body, "tools")
        .iter()
        .flat_map(|tool| list_field(tool, "functionDeclarations"))
        .map(|function| string_field(function, "name"))
        .collect();
    ModelConversation { entries, tools }
}

fn parse_part(is_model: bool, part: &Value) -> Option<ConversationEntry> {
    if let Some(call) = part.get("functionCall") {
        return Some(ConversationEntry::Call {
            id: string_field(call, "id"),
            tool: string_field(call, "name"),
        });
    }
    if let Some(result) = part.get("functionResponse") {
        let response = result.get("response").unwrap_or(&Value::Null);
        let text = ["output", "error"].iter().find_map(|field| response.get(field)?.as_str());
        let text = text.map_or_else(|| response.to_string(), str::to_owned);
        return Some(ConversationEntry::Result { id: string_field(result, "id"), text });
    }
    let text = part.get("text")?.as_str()?.to_owned();
    Some(if is_model { ConversationEntry::Model(text) } else { ConversationEntry::User(text) })
}

/// Renders an answer as one value.
pub(super) fn content(answer: &ModelAnswer, number: usize) -> Value {
    let text = (!answer.text.is_empty()).then(|| json!({"text": answer.text}));
    let calls = answer.calls.iter().enumerate().map(|(at, call)| {
        let id = ScriptedCall::id(number, at);
        json!({"functionCall": {"id": id, "name": call.tool, "args": call.input.to_json()}})
    });
    let parts: Vec<Value> = text.into_iter().chain(calls).collect();
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": answer.input_tokens, "candidatesTokenCount": 10,
            "totalTokenCount": answer.input_tokens + 10,
        },
        "modelVersion": "scripted", "responseId": format!("answer-{number}"),
    })
}

/// Renders an answer as a stream of one event.
pub(super) fn stream(answer: &ModelAnswer, number: usize) -> HttpReply {
    HttpReply::stream([(None, content(answer, number))])
}
