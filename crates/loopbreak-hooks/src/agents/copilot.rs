//! GitHub Copilot CLI. With the event names of Claude Code it sends events in nearly the same form, without ids of calls.

use loopbreak::Outcome;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::hook_agent::{HookAgent, with_user_message};
use crate::hook_event_kind::HookEventKind;
use crate::install::SettingsLocation;
use crate::tool_outcome;

pub(super) struct CopilotAgent;

const EVENTS: &[(&str, HookEventKind)] = &[
    ("PreToolUse", HookEventKind::BeforeTool),
    ("PostToolUse", HookEventKind::AfterTool),
    ("PostToolUseFailure", HookEventKind::ToolFailure),
    ("UserPromptSubmit", HookEventKind::UserPrompt),
    ("Stop", HookEventKind::TurnEnd),
    ("SubagentStop", HookEventKind::SessionEnd),
    ("SessionEnd", HookEventKind::SessionEnd),
];

/// The result of a call that did not fail.
#[derive(Deserialize)]
struct CopilotResult {
    #[serde(default)]
    result_type: String,
    text_result_for_llm: String,
}

impl HookAgent for CopilotAgent {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn title(&self) -> &'static str {
        "GitHub Copilot CLI"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".github", "hooks/loopbreak.json")
            .with_user_folder(".copilot")
            .with_folder_variable("COPILOT_HOME")
    }

    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        EVENTS
    }

    fn empty_settings(&self) -> &'static str {
        "{\n  \"version\": 1\n}\n"
    }

    fn install_hint(&self) -> String {
        "GitHub Copilot CLI loads hooks when a session starts, and those of a project only if you have trusted its folder"
            .to_owned()
    }

    /// The last line of a command's output has a number that counts the commands, and the exit code.
    fn parse_outcome(&self, response: &str) -> Outcome<'static> {
        let Ok(result) = serde_json::from_str::<CopilotResult>(response) else {
            return tool_outcome::parse_outcome(response);
        };
        let (text, exit) = split_exit_code(&result.text_result_for_llm);
        let outcome = tool_outcome::parse_outcome(&Value::from(text).to_string());
        let exit = outcome.exit.or(exit);
        let failed = !matches!(result.result_type.as_str(), "" | "success") || exit.is_some_and(|code| code != 0);
        Outcome { error: (outcome.is_error() || failed).then_some(true), exit, ..outcome }
    }

    /// It takes advice before a call as well, but shows it to the model only after the call.
    fn takes_advice(&self, kind: HookEventKind) -> bool {
        matches!(kind, HookEventKind::AfterTool | HookEventKind::ToolFailure)
    }

    fn render_advice(&self, _event: &str, _error: Option<&str>, text: &str) -> Value {
        json!({ "additionalContext": text })
    }

    /// The question and the result of the call have different ids, so an answer of the user would be lost: the call is refused.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        with_user_message(self.render_refusal(event, reason), reason)
    }

    /// Hooks cannot end a session: the agent is told, and every further call is refused.
    fn render_stop(&self, event: &str, reason: &str) -> Value {
        match self.events().iter().find(|(name, _)| *name == event) {
            Some((_, HookEventKind::BeforeTool)) => self.render_refusal(event, reason),
            Some((_, HookEventKind::AfterTool | HookEventKind::ToolFailure)) => {
                self.render_advice(event, None, reason)
            }
            _ => json!({ "systemMessage": reason }),
        }
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({"result_type": "success", "text_result_for_llm": output})
    }
}

/// Splits the output of a command into the output itself and the exit code in its last line:
/// `<shellId: 3 completed with exit code 2>`.
fn split_exit_code(text: &str) -> (&str, Option<i64>) {
    let parse = || {
        let (output, last) = text.trim_end().rsplit_once('<')?;
        let (number, code) = last.strip_prefix("shellId: ")?.split_once(" completed with exit code ")?;
        let is_number = !number.is_empty() && number.chars().all(|letter| letter.is_ascii_alphanumeric());
        let code = code.strip_suffix('>')?.parse().ok()?;
        is_number.then_some((output, Some(code)))
    };
    parse().unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Outcome<'static> {
        CopilotAgent.parse_outcome(&CopilotAgent.render_shell_output(text).to_string())
    }

    #[test]
    fn equal_commands_have_equal_results_and_an_exit_code() {
        let (first, second) = (
            parse("no such file\n<shellId: 1 completed with exit code 2>"),
            parse("no such file\n<shellId: 12 completed with exit code 2>"),
        );
        assert_eq!((&first.text, first.exit, first.is_error()), (&second.text, Some(2), true));
        let good = parse("hi\n<shellId: 0 completed with exit code 0>");
        assert_eq!((good.exit, good.is_error()), (Some(0), false));
        assert_eq!(parse("a < b").text.as_deref(), Some("a < b"));
    }

    #[test]
    fn a_stop_refuses_every_further_call() {
        let stop = |event| CopilotAgent.render_stop(event, "why");
        assert_eq!(stop("PreToolUse")["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(stop("PostToolUse"), json!({"additionalContext": "why"}));
        assert_eq!(stop("Stop"), json!({"systemMessage": "why"}));
    }
}
