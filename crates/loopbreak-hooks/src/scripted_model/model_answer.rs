//! The answer of a scripted model, in a form that does not depend on the protocol.

use serde_json::Value;

/// The answer of the model: a text, calls, or both. An answer without calls ends the turn of the agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// The text of the message.
    pub text: String,
    /// The calls of the message. Several calls are made in parallel.
    pub calls: Vec<ScriptedCall>,
    /// The size of the conversation that the model reports. Agents compact a conversation that is too large.
    pub input_tokens: u64,
}

/// A call of a tool, in the words of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedCall {
    /// The name of the tool.
    pub tool: String,
    /// The group of the tool, where the protocol has groups: responses of OpenAI.
    pub namespace: Option<&'static str>,
    /// The arguments.
    pub input: ToolInput,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolInput {
    /// An object that follows the schema of the tool, as most tools take it.
    Json(Value),
    /// A plain text, as the tools of Codex CLI take it that are not functions.
    Text(String),
}

/// The size of a conversation if a script does not care.
const DEFAULT_TOKENS: u64 = 1_000;

impl ModelAnswer {
    /// Creates an answer that is only text, and ends the turn.
    pub fn say(text: impl Into<String>) -> Self {
        ModelAnswer { text: text.into(), calls: Vec::new(), input_tokens: DEFAULT_TOKENS }
    }

    /// Creates an answer that makes calls.
    pub fn call(calls: impl IntoIterator<Item = ScriptedCall>) -> Self {
        ModelAnswer { calls: calls.into_iter().collect(), ..ModelAnswer::say("") }
    }

    /// Reports another size of the conversation.
    #[must_use]
    pub fn with_input_tokens(self, input_tokens: u64) -> Self {
        ModelAnswer { input_tokens, ..self }
    }
}

impl ScriptedCall {
    /// Creates a call whose arguments are an object.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        ScriptedCall { tool: tool.into(), namespace: None, input: ToolInput::Json(arguments) }
    }

    /// Creates a call whose arguments are a plain text.
    pub fn with_text(tool: impl Into<String>, text: impl Into<String>) -> Self {
        ScriptedCall { tool: tool.into(), namespace: None, input: ToolInput::Text(text.into()) }
    }

    /// Names the group of the tool.
    #[must_use]
    pub fn in_namespace(self, namespace: &'static str) -> Self {
        ScriptedCall { namespace: Some(namespace), ..self }
    }

    /// Returns the id of the call, from the numbers of the answer and of the call in it.
    pub(super) fn id(answer: usize, call: usize) -> String {
        // As long as the ids of real models.
        format!("call_{answer:010}{call:010}")
    }
}

impl ToolInput {
    /// Returns the arguments as an object. A plain text becomes its field `input`.
    pub(super) fn to_json(&self) -> Value {
        match self {
            ToolInput::Json(value) => value.clone(),
            ToolInput::Text(text) => serde_json::json!({ "input": text }),
        }
    }
}
