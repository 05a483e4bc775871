//! Annotations of a tool, as MCP servers declare them.

use serde::{Deserialize, Serialize};

/// Annotations of a tool. They have the names of the Model Context Protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// True if the tool changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// True if the tool may destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// True if a second call with the same arguments changes nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
}

impl ToolAnnotations {
    /// Returns whether a repeated call has a further side effect, or `None` if the annotations do not say.
    pub(crate) fn repeats_effect(self) -> Option<bool> {
        if self.read_only_hint == Some(true) || self.idempotent_hint == Some(true) {
            return Some(false);
        }
        let changes = self.read_only_hint == Some(false) || self.destructive_hint == Some(true);
        changes.then_some(true)
    }
}
