//! Chat completions of OpenAI: `/v1/chat/completions`.

use serde_json::{Value, json};

use super::conversation::{join_texts, list_field, string_field};
use super::http_reply::HttpReply;
use super::{ConversationEntry, ModelAnswer, ModelConversation, ScriptedCall};

/// Parses the body of a request.
pub(super) fn parse(body: &Value) -> ModelConversation {
    let mut entries = Vec::new();
    for message in list_field(body, "messages") {
        let text = message.get("content").map(join_texts).unwrap_or_default();
        match string_field(message, "role").as_str() {
            "assistant" => {
                if !text.is_empty() {
                    entries.push(ConversationEntry::Model(text));
                }
                entries.extend(list_field(message, "tool_calls").iter().map(|call| {
                    ConversationEntry::Call {
                        id: string_field(call, "id"),
                        tool: call
                            .get("function")
                            .map(|function| string_field(function, "name"))
                            .unwrap_or_default(),
                    }
                }));
            }
            "tool" => {
                entries.push(ConversationEntry::Result { id: string_field(message, "tool_call_id"), text });
            }
            "user" => entries.push(ConversationEntry::User(text)),
            _ => entries.push(ConversationEntry::Instructions(text)),
        }
    }
    let tools = list_field(body, "tools")
        .iter()
        .filter_map(|tool| tool.get("function"))
        .map(|function| string_field(function, "name"))
        .collect();
    ModelConversation { entries, tools }
}

/// Renders a completion as one value.
pub(super) fn completion(model: &str, answer: &ModelAnswer, number: usize) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !answer.calls.is_empty() {
        message["tool_calls"] = calls(answer, number).collect();
    }
    json!({
        "id": format!("chatcmpl-{number}"), "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(answer)}],
        "usage": usage(answer),
    })
}

/// Renders a completion as a stream.
pub(super) fn stream(model: &str, answer: &ModelAnswer, number: usize) -> HttpReply {
    let chunk = |choices: Value| {
        json!({
            "id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "created": 0, "model": model,
            "choices": choices,
        })
    };
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let mut chunks = vec![delta(json!({"role": "assistant", "content": answer.text}))];
    for (index, mut call) in calls(answer, number).enumerate() {
        call["index"] = index.into();
        chunks.push(delta(json!({ "tool_calls": [call] })));
    }
    chunks.push(chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(answer)}])));
    let mut last = chunk(json!([]));
    last["usage"] = usage(answer);
    chunks.push(last);
    match HttpReply::stream(chunks.into_iter().map(|chunk| (None, chunk))) {
        HttpReply::EventStream(text) => HttpReply::EventStream(text + "data: [DONE]\n\n"),
        other => other,
    }
}

fn calls(answer: &ModelAnswer, number: usize) -> impl Iterator<Item = Value> {
    answer.calls.iter().enumerate().map(move |(at, call)| {
        json!({
            "id": ScriptedCall::id(number, at), "type": "function",
            "function": {"name": call.tool, "arguments": call.input.to_json().to_string()},
        })
    })
}

fn finish_reason(answer: &ModelAnswer) -> &'static str {
    if answer.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(answer: &ModelAnswer) -> Value {
    let tokens = answer.input_tokens;
    json!({"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10})
}
