//! The structure of the hooks in settings files.

use serde_json::Value;

use super::json_node::JsonPathStep;

/// The structure of the hooks in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsForm {
    /// The form of Claude Code: `{"hooks": {EVENT: [{"hooks": [HOOK]}]}}`.
    Grouped,
    /// Hooks without groups, and a version: `{"version": 1, "hooks": {EVENT: [HOOK]}}`.
    Versioned,
    /// A file that has nothing but hooks: `{EVENT: [{"hooks": [HOOK]}]}`, with events in snake case. The agent also accepts
    /// the form of Claude Code, but not both in one file.
    Bare,
}

impl SettingsForm {
    /// Returns the path of the table of events in settings.
    pub(super) fn table(self, settings: &Value) -> Vec<JsonPathStep<'static>> {
        if self == SettingsForm::Bare && settings.get(HOOKS).is_none() {
            return Vec::new();
        }
        vec![JsonPathStep::Key(HOOKS)]
    }

    /// Returns the table of events in settings.
    pub(super) fn events(self, settings: &Value) -> Option<&Value> {
        if self.table(settings).is_empty() { Some(settings) } else { settings.get(HOOKS) }
    }

    /// Returns the key of an event: the one that the settings have, or a new one.
    pub(super) fn key(self, settings: &Value, event: &str) -> String {
        if self != SettingsForm::Bare {
            return event.to_owned();
        }
        let key = snake_case(event);
        let known =
            self.events(settings).and_then(Value::as_object).into_iter().flat_map(|table| table.keys());
        known.into_iter().find(|known| snake_case(known) == key).cloned().unwrap_or(key)
    }

    /// Returns whether hooks are in groups.
    pub(super) fn has_groups(self) -> bool {
        self != SettingsForm::Versioned
    }

    /// Returns whether a new file names the version of its form.
    pub(super) fn has_version(self) -> bool {
        self == SettingsForm::Versioned
    }
}

const HOOKS: &str = "hooks";

/// Returns a name such as `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for (at, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_has_the_key_that_the_settings_have() {
        for (settings, key) in [
            (json!({}), "pre_tool_use"),
            (json!({"pre_tool_use": []}), "pre_tool_use"),
            (json!({"PreToolUse": []}), "PreToolUse"),
            (json!({"hooks": {"PreToolUse": []}}), "PreToolUse"),
            (json!({"hooks": {}}), "pre_tool_use"),
        ] {
            assert_eq!(SettingsForm::Bare.key(&settings, "PreToolUse"), key, "{settings}");
            assert_eq!(SettingsForm::Grouped.key(&settings, "PreToolUse"), "PreToolUse");
        }
    }
}
