//! Declarations of tools.

use serde::{Deserialize, Serialize};

use super::allow_rule::matches;
use crate::step::Action;

/// A declaration of a tool, which decides instead of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ToolRule {
    /// Name of the tool, or a pattern in which `*` matches any text.
    pub name: String,
    /// True if a call of the tool only waits for something, so that identical calls are polls. False if it never does.
    pub polls: Option<bool>,
    /// True if every call of the tool has a side effect that cannot be undone, such as a sent message. False if a repeated
    /// call changes nothing more.
    pub mutates: Option<bool>,
    /// Names of arguments, and of fields in JSON replies, that change from call to call without a meaning.
    pub volatile: Vec<String>,
    /// Names of the arguments that identify the object that a mutating call changes. Without it, all arguments except
    /// times, fresh ids and wording do.
    pub key: Vec<String>,
}

impl ToolRule {
    /// Returns whether the rule is about the tool of an action.
    pub(crate) fn covers(&self, action: &Action<'_>) -> bool {
        matches(&self.name, &action.name)
    }
}
