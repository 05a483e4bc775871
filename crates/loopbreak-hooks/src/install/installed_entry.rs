//! The hooks of Loopbreak in a settings file, one by one.

use serde_json::Value;

use super::hook_entries::is_loopbreak_hook;
use crate::hook_agent::HookAgent;

/// One hook of Loopbreak in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstalledEntry {
    /// The name of the event.
    pub(crate) event: String,
    /// The position of its group among those of the event.
    pub(crate) group: usize,
    /// The position in the group.
    pub(crate) position: usize,
    /// The command.
    pub(crate) command: String,
}

impl InstalledEntry {
    /// Lists the hooks of Loopbreak in settings of the usual structure. Other texts have none.
    pub(crate) fn list(agent: &dyn HookAgent, text: &str) -> Vec<Self> {
        let settings: Value = serde_json::from_str(text).unwrap_or_default();
        let mut entries = Vec::new();
        for (event, groups) in settings["hooks"].as_object().into_iter().flatten() {
            for (group, hooks) in groups.as_array().into_iter().flatten().enumerate() {
                for (position, hook) in hooks["hooks"].as_array().into_iter().flatten().enumerate() {
                    if is_loopbreak_hook(agent, hook) {
                        let command = hook["command"].as_str().unwrap_or_default().to_owned();
                        entries.push(InstalledEntry { event: event.clone(), group, position, command });
                    }
                }
            }
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_place_of_each_hook_is_found() {
        let agent: &dyn HookAgent = "codex".parse().unwrap();
        let own = json!({"type": "command", "command": "loopbreak hook codex"});
        let text = json!({"hooks": {
            "Stop": [{"hooks": [{"command": "mine"}]}, {"hooks": [{"command": "mine"}, own]}],
            "PreToolUse": 3,
        }});
        let found = InstalledEntry::list(agent, &text.to_string());
        let expected = InstalledEntry {
            event: "Stop".into(),
            group: 1,
            position: 1,
            command: "loopbreak hook codex".into(),
        };
        assert_eq!(found, [expected]);
        assert_eq!(InstalledEntry::list(agent, "const COMMAND = 1"), []);
    }
}
