//! Cline CLI. Its hooks can only end a run, but its plugins can refuse a call: one file that shows its events to the hook in
//! the form of Claude Code.

use loopbreak::Outcome;
use serde_json::{Value, json};

use crate::hook_agent::HookAgent;
use crate::install::SettingsLocation;
use crate::tool_outcome;

pub(super) struct ClineAgent;

/// Beginning of the line of a failed command.
const EXIT_CODE: &str = "[Command exited with code ";

impl HookAgent for ClineAgent {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn title(&self) -> &'static str {
        "Cline CLI"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".cline", "plugins/loopbreak.js").with_folder_variable("CLINE_DIR")
    }

    fn plugin(&self) -> Option<&'static str> {
        Some(include_str!("cline.js"))
    }

    fn install_hint(&self) -> String {
        "Cline CLI loads plugins when a session starts: restart running sessions".to_owned()
    }

    /// The exit code of a command stands in a line of its own.
    fn parse_outcome(&self, response: &str) -> Outcome<'static> {
        let outcome = tool_outcome::parse_outcome(response);
        let mut lines = outcome.text.as_deref().unwrap_or_default().lines();
        let exit = lines.find_map(|line| line.strip_prefix(EXIT_CODE)?.strip_suffix(']')?.parse().ok());
        Outcome { exit: outcome.exit.or(exit), ..outcome }
    }

    fn shell_tool(&self) -> &'static str {
        "run_commands"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({ "content": output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_for_installing_by_hand_is_the_same() {
        let copy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../integrations/cline/loopbreak.js");
        assert_eq!(std::fs::read_to_string(copy).unwrap(), include_str!("cline.js"));
    }

    #[test]
    fn a_failed_command_has_an_exit_code() {
        let failed = ClineAgent.parse_outcome(r#""[Command exited with code 3]\nno such file""#);
        assert_eq!(failed.exit, Some(3));
        assert_eq!(ClineAgent.parse_outcome(r#"{"content":"fine"}"#).exit, None);
    }
}
