//! Errors of tools: what happened, and what to do.

use loopbreak_store::StoreError;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

/// An error of a tool, with advice for the model that reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolError {
    what: String,
    hint: String,
}

impl ToolError {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        ToolError { what: what.into(), hint: hint.into() }
    }

    /// Returns what happened, and what to do.
    pub(crate) fn into_parts(self) -> (String, String) {
        (self.what, self.hint)
    }

    /// Returns the text that the model reads.
    pub(crate) fn text(&self) -> String {
        format!("{}. {}.", self.what, self.hint)
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        let hint = match error {
            StoreError::Busy => "Nothing was recorded: try again in a moment",
            StoreError::TooNew { .. } => "Nothing was recorded",
            _ => "Nothing was recorded; continue without the guard and tell the user",
        };
        ToolError::new(capitalize(&error.to_string()), hint)
    }
}

impl IntoCallToolResult for ToolError {
    fn into_call_tool_result(self) -> Result<CallToolResponse, rmcp::ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.text())]).into())
    }
}

/// Returns a text with its first letter in upper case, as a sentence starts.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
