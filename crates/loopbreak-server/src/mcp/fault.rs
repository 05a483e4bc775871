//! What a tool says when it cannot do what it was asked: what happened, and what to do.

use loopbreak_store::StoreError;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

/// A tool error. The model reads it, so it says what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    what: String,
    hint: String,
}

impl Fault {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Fault { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn text(&self) -> String {
        format!("{}. {}.", self.what, self.hint)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let hint = match error {
            StoreError::Busy => "Nothing was recorded: try again in a moment",
            StoreError::TooNew { .. } => "Nothing was recorded",
            _ => "Nothing was recorded; go on without the guard and tell the user",
        };
        Fault::new(error.to_string(), hint)
    }
}

impl IntoCallToolResult for Fault {
    fn into_call_tool_result(self) -> Result<CallToolResponse, rmcp::ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.text())]).into())
    }
}
