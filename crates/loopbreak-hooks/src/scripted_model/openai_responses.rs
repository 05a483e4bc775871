//! Responses of OpenAI: `/v1/responses`.

use serde_json::{Value, json};

use super::conversation::{join_texts, list_field, string_field};
use super::http_reply::HttpReply;
use super::{ConversationEntry, ModelAnswer, ModelConversation, ScriptedCall, ToolInput};

/// Parses the body of a request.
pub(super) fn parse(body: &Value) -> ModelConversation {
    let mut entries = Vec::new();
    if let Some(instructions) = body.get("instructions") {
        entries.push(ConversationEntry::Instructions(join_texts(instructions)));
    }
    if let Some(text) = body.get("input").and_then(Value::as_str) {
        entries.push(ConversationEntry::User(text.to_owned()));
    }
    entries.extend(list_field(body, "input").iter().filter_map(parse_item));
    // Some models get their tools in an item of the conversation.
    let more =
        list_field(body, "input").iter().filter(|item| string_field(item, "type") == "additional_tools");
    let lists = std::iter::once(body).chain(more);
    let tools = lists.flat_map(|list| list_field(list, "tools")).map(tool_name).collect();
    ModelConversation { entries, tools }
}

/// Returns the name of a tool. Tools of the provider have only a type.
fn tool_name(tool: &Value) -> String {
    let name = string_field(tool, "name");
    if name.is_empty() { string_field(tool, "type") } else { name }
}

fn parse_item(item: &Value) -> Option<ConversationEntry> {
    let call_id = || string_field(item, "call_id");
    Some(match string_field(item, "type").as_str() {
        "function_call" | "custom_tool_call" => {
            ConversationEntry::Call { id: call_id(), tool: string_field(item, "name") }
        }
        "function_call_output" | "custom_tool_call_output" => ConversationEntry::Result {
            id: call_id(),
            text: item.get("output").map(join_texts).unwrap_or_default(),
        },
        // A message between agents. What one agent tells another is in a field for encrypted text.
        "agent_message" => {
            let parts = list_field(item, "content").iter();
            let texts: Vec<String> = parts
                .map(|part| string_field(part, "text") + &string_field(part, "encrypted_content"))
                .collect();
            ConversationEntry::User(texts.join("\n"))
        }
        "message" | "" => {
            let text = item.get("content").map(join_texts).unwrap_or_default();
            match string_field(item, "role").as_str() {
                "assistant" => ConversationEntry::Model(text),
                "user" => ConversationEntry::User(text),
                _ => ConversationEntry::Instructions(text),
            }
        }
        _ => return None,
    })
}

/// Renders a response as one value.
pub(super) fn response(model: &str, answer: &ModelAnswer, number: usize) -> Value {
    json!({
        "id": format!("resp_{number}"), "object": "response", "created_at": 0, "status": "completed",
        "model": model, "output": items(answer, number),
        "usage": {
            "input_tokens": answer.input_tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.input_tokens + 10,
        },
    })
}

/// Renders a response as a stream.
pub(super) fn stream(model: &str, answer: &ModelAnswer, number: usize) -> HttpReply {
    let whole = response(model, answer, number);
    let mut created = whole.clone();
    created["status"] = "in_progress".into();
    created["output"] = json!([]);
    let mut events = vec![json!({"type": "response.created", "response": created})];
    for (index, item) in items(answer, number).into_iter().enumerate() {
        let mut added = item.clone();
        added["status"] = "in_progress".into();
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
        if string_field(&item, "type") == "message" {
            events.push(json!({
                "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                "content_index": 0, "delta": answer.text,
            }));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": whole}));
    for (at, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = at.into();
    }
    let names: Vec<String> = events.iter().map(|event| string_field(event, "type")).collect();
    HttpReply::stream(names.iter().map(|name| Some(name.as_str())).zip(events))
}

fn items(answer: &ModelAnswer, number: usize) -> Vec<Value> {
    let text = (!answer.text.is_empty()).then(|| {
        json!({
            "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": answer.text, "annotations": []}],
        })
    });
    let calls = answer.calls.iter().enumerate().map(|(at, call)| {
        let id = ScriptedCall::id(number, at);
        let mut item = match &call.input {
            ToolInput::Json(arguments) => json!({
                "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "status": "completed",
                "name": call.tool, "arguments": arguments.to_string(),
            }),
            ToolInput::Text(input) => json!({
                "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": id, "status": "completed",
                "name": call.tool, "input": input,
            }),
        };
        if let Some(namespace) = call.namespace {
            item["namespace"] = namespace.into();
        }
        item
    });
    text.into_iter().chain(calls).collect()
}
