//! A request to a model, in a form that does not depend on the protocol.

use serde_json::Value;

/// The conversation so far, as an agent sent it to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelConversation {
    /// The messages, calls and results, in their order.
    pub entries: Vec<ConversationEntry>,
    /// The names of the tools that the model may call.
    pub tools: Vec<String>,
}

/// One part of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversationEntry {
    /// Instructions of the agent program.
    Instructions(String),
    /// A message of the user, or one that the agent program wrote in the user's name.
    User(String),
    /// A message of the model.
    Model(String),
    /// A call that the model made.
    Call {
        /// The id that connects the call with its result, if the protocol has one.
        id: String,
        /// The name of the tool.
        tool: String,
    },
    /// The result of a call.
    Result {
        /// The id of the call, if the protocol has one.
        id: String,
        /// The result as text.
        text: String,
    },
}

impl ModelConversation {
    /// Returns whether the model may call tools. Agents also ask for titles and summaries, without tools.
    pub fn offers_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Returns the messages of the user and of the model.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            ConversationEntry::User(text) | ConversationEntry::Model(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the results of calls.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            ConversationEntry::Result { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Joins all texts of a JSON value, such as the content of a message: a string, or a list of parts with a `text` each.
pub(super) fn join_texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().map(join_texts).filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Value::Object(part) => part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// Returns a string field of an object, or an empty string.
pub(super) fn string_field(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the elements of a list field, or nothing.
pub(super) fn list_field<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
