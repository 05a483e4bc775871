//! Messages of Anthropic: `/v1/messages`.

use serde_json::{Value, json};

use super::conversation::{join_texts, list_field, string_field};
use super::http_reply::HttpReply;
use super::{ConversationEntry, ModelAnswer, ModelConversation, ScriptedCall};

/// Parses the body of a request.
pub(super) fn parse(body: &Value) -> ModelConversation {
    let mut entries = Vec::new();
    if let Some(system) = body.get("system") {
        entries.push(ConversationEntry::Instructions(join_texts(system)));
    }
    for message in list_field(body, "messages") {
        let role = string_field(message, "role");
        match message.get("content") {
            Some(Value::Array(blocks)) => {
                entries.extend(blocks.iter().filter_map(|block| parse_block(&role, block)));
            }
            Some(Value::String(text)) => entries.push(text_entry(&role, text.clone())),
            _ => {}
        }
    }
    let tools = list_field(body, "tools").iter().map(|tool| string_field(tool, "name")).collect();
    ModelConversation { entries, tools }
}

fn text_entry(role: &str, text: String) -> ConversationEntry {
    match role {
        "assistant" => ConversationEntry::Model(text),
        "user" => ConversationEntry::User(text),
        _ => ConversationEntry::Instructions(text),
    }
}

fn parse_block(role: &str, block: &Value) -> Option<ConversationEntry> {
    Some(match string_field(block, "type").as_str() {
        "text" => text_entry(role, string_field(block, "text")),
        "tool_use" => {
            ConversationEntry::Call { id: string_field(block, "id"), tool: string_field(block, "name") }
        }
        "tool_result" => ConversationEntry::Result {
            id: string_field(block, "tool_use_id"),
            text: block.get("content").map(join_texts).unwrap_or_default(),
        },
        _ => return None,
    })
}

/// Renders a message as one value.
pub(super) fn message(model: &str, answer: &ModelAnswer, number: usize) -> Value {
    json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model,
        "content": blocks(answer, number), "stop_reason": stop_reason(answer), "stop_sequence": null,
        "usage": usage(answer),
    })
}

/// Renders a message as a stream.
pub(super) fn stream(model: &str, answer: &ModelAnswer, number: usize) -> HttpReply {
    let mut start = message(model, answer, number);
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in blocks(answer, number).into_iter().enumerate() {
        let (empty, delta) = open_block(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": stop_reason(answer), "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 10}}));
    events.push(json!({"type": "message_stop"}));
    let names: Vec<String> = events.iter().map(|event| string_field(event, "type")).collect();
    HttpReply::stream(names.iter().map(|name| Some(name.as_str())).zip(events))
}

/// Splits a block into the empty one that starts it and the change that fills it.
fn open_block(mut block: Value) -> (Value, Value) {
    if let Some(text) = block.get("text").cloned() {
        block["text"] = "".into();
        return (block, json!({"type": "text_delta", "text": text}));
    }
    let input = block.get("input").map(Value::to_string).unwrap_or_default();
    block["input"] = json!({});
    (block, json!({"type": "input_json_delta", "partial_json": input}))
}

fn blocks(answer: &ModelAnswer, number: usize) -> Vec<Value> {
    let text = (!answer.text.is_empty()).then(|| json!({"type": "text", "text": answer.text}));
    let calls = answer.calls.iter().enumerate().map(|(at, call)| {
        json!({"type": "tool_use", "id": ScriptedCall::id(number, at), "name": call.tool, "input": call.input.to_json()})
    });
    text.into_iter().chain(calls).collect()
}

fn stop_reason(answer: &ModelAnswer) -> &'static str {
    if answer.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn usage(answer: &ModelAnswer) -> Value {
    json!({
        "input_tokens": answer.input_tokens, "output_tokens": 10,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}
