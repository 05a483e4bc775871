//! opencode. It has no hooks, but plugins: one file that shows its events to the hook in the form of Claude Code.

use serde_json::{Value, json};

use crate::hook_agent::HookAgent;
use crate::install::SettingsLocation;

pub(super) struct OpencodeAgent;

impl HookAgent for OpencodeAgent {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "opencode"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".opencode/plugin", "loopbreak.js").with_user_folder(".config/opencode/plugin")
    }

    fn plugin(&self) -> Option<&'static str> {
        Some(include_str!("opencode.js"))
    }

    fn install_hint(&self) -> String {
        "opencode loads plugins when it starts: restart running sessions".to_owned()
    }

    fn shell_tool(&self) -> &'static str {
        "bash"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({"output": output, "metadata": {"exit": 0}})
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_plugin_for_installing_by_hand_is_the_same() {
        let copy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../integrations/opencode/loopbreak.js");
        assert_eq!(std::fs::read_to_string(copy).unwrap(), include_str!("opencode.js"));
    }
}
