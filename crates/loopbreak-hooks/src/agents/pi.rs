//! pi. It has no hooks, but extensions: one file that shows its events to the hook in the form of Claude Code.

use loopbreak::Outcome;
use serde_json::{Value, json};

use crate::hook_agent::HookAgent;
use crate::install::SettingsLocation;
use crate::tool_outcome;

pub(super) struct PiAgent;

/// Beginning of the last line of a failed command.
const EXIT_CODE: &str = "Command exited with code ";

impl HookAgent for PiAgent {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn title(&self) -> &'static str {
        "pi"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".pi", "extensions/loopbreak.js")
            .with_user_folder(".pi/agent")
            .with_folder_variable("PI_CODING_AGENT_DIR")
    }

    fn plugin(&self) -> Option<&'static str> {
        Some(include_str!("pi.js"))
    }

    fn install_hint(&self) -> String {
        "pi loads extensions when it starts: use /reload in running sessions. Newer versions load those of a project only if \
         you have trusted it"
            .to_owned()
    }

    /// The exit code of a command stands in the last line of its error.
    fn parse_outcome(&self, response: &str) -> Outcome<'static> {
        let outcome = tool_outcome::parse_outcome(response);
        let last_line = outcome.text.as_deref().and_then(|text| text.trim_end().lines().next_back());
        let exit = last_line.and_then(|line| line.strip_prefix(EXIT_CODE)?.trim().parse().ok());
        Outcome { exit: outcome.exit.or(exit), ..outcome }
    }

    fn shell_tool(&self) -> &'static str {
        "bash"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({ "content": output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_for_installing_by_hand_is_the_same() {
        let copy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../integrations/pi/loopbreak.js");
        assert_eq!(std::fs::read_to_string(copy).unwrap(), include_str!("pi.js"));
    }

    #[test]
    fn a_failed_command_has_an_exit_code() {
        let failed = PiAgent.parse_outcome(r#""error: no such file\n\n\nCommand exited with code 2""#);
        assert_eq!(failed.exit, Some(2));
        let plain = PiAgent.parse_outcome(r#"{"content":"Command exited with code 2\nis in the log"}"#);
        assert_eq!(plain.exit, None);
    }
}
