//! OpenHands. Its hooks can refuse a call, and nothing else: they cannot add to a result, ask a human or end a run.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::hook_agent::HookAgent;
use crate::hook_event_kind::HookEventKind;
use crate::install::{SettingsForm, SettingsLocation};
use crate::raw_event::RawEvent;

pub(super) struct OpenhandsAgent;

/// It has no event for failed calls, nor for calls that it rejects by itself.
const EVENTS: &[(&str, HookEventKind)] = &[
    (BEFORE_TOOL, HookEventKind::BeforeTool),
    ("PostToolUse", HookEventKind::AfterTool),
    (USER_PROMPT, HookEventKind::UserPrompt),
    ("Stop", HookEventKind::TurnEnd),
    ("SessionEnd", HookEventKind::SessionEnd),
];
const BEFORE_TOOL: &str = "PreToolUse";
const USER_PROMPT: &str = "UserPromptSubmit";

/// The tool by which the agent ends its run. It is never refused.
const FINISH_TOOL: &str = "finish";

impl HookAgent for OpenhandsAgent {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn title(&self) -> &'static str {
        "OpenHands"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".openhands", "hooks.json").with_folder_variable("OH_PERSISTENCE_DIR")
    }

    fn settings_form(&self) -> SettingsForm {
        SettingsForm::Bare
    }

    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        EVENTS
    }

    fn normalize_event<'t>(&self, text: &'t str) -> Cow<'t, str> {
        RawEvent::rewrite(text, |event| {
            event.rename("event_type", "hook_event_name");
            event.rename("working_dir", "cwd");
            event.rename("message", "prompt");
            if event.text("tool_name").as_deref() == Some(FINISH_TOOL) {
                event.set("hook_event_name", &Value::Null);
            }
        })
    }

    fn takes_advice(&self, kind: HookEventKind) -> bool {
        kind == HookEventKind::UserPrompt
    }

    fn render_advice(&self, _event: &str, _error: Option<&str>, text: &str) -> Value {
        json!({ "additionalContext": text })
    }

    /// It shows no messages of hooks.
    fn add_user_message(&self, _response: &mut Value, _text: &str) {}

    fn render_refusal(&self, _event: &str, reason: &str) -> Value {
        json!({"decision": "deny", "reason": reason})
    }

    /// Its hooks cannot ask: the call is refused.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        self.render_refusal(event, reason)
    }

    /// Its hooks cannot end a run: the call or the prompt is refused. At the end of a turn, a refusal would make the agent
    /// continue, so the reason is only logged.
    fn render_stop(&self, event: &str, reason: &str) -> Value {
        match event {
            BEFORE_TOOL | USER_PROMPT => self.render_refusal(event, reason),
            _ => json!({ "reason": reason }),
        }
    }

    fn render_continuation(&self, reason: &str) -> Value {
        json!({"decision": "deny", "reason": reason})
    }

    fn shell_tool(&self) -> &'static str {
        "terminal"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({"content": [{"type": "text", "text": output}], "is_error": false, "exit_code": 0})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook_event::HookEvent;
    use crate::hook_response::HookResponse;

    /// An event as version 1.58.0 of the SDK sends it.
    const AFTER_CALL: &str = r#"{"event_type":"PostToolUse","tool_name":"terminal","tool_input":{"command":"ls no","is_input":false,"timeout":null,"reset":false,"kind":"TerminalAction"},"tool_response":{"content":[{"cache_prompt":false,"type":"text","text":"ls: cannot access 'no'"}],"is_error":false,"command":"ls no","exit_code":2,"timeout":false,"metadata":{"exit_code":2,"pid":-1,"working_dir":"/p"},"full_output_save_dir":null,"kind":"TerminalObservation"},"message":null,"session_id":"s","working_dir":"/p","metadata":{}}"#;

    #[test]
    fn an_event_has_the_keys_of_other_agents() {
        let text = OpenhandsAgent.normalize_event(AFTER_CALL);
        let event: HookEvent<'_> = serde_json::from_str(&text).unwrap();
        assert_eq!((event.name(), event.cwd.as_deref()), ("PostToolUse", Some("/p")));
        let line = r#"terminal {"command":"ls no","is_input":false,"timeout":null,"reset":false,"kind":"TerminalAction"}"#;
        assert_eq!(event.action().unwrap().line(), line);
        let outcome = OpenhandsAgent.parse_outcome(event.tool_response.unwrap().get());
        assert_eq!((outcome.text.as_deref(), outcome.exit), (Some("ls: cannot access 'no'"), Some(2)));
        let prompt = r#"{"event_type":"UserPromptSubmit","message":"go","session_id":"s"}"#;
        let text = OpenhandsAgent.normalize_event(prompt);
        assert_eq!(serde_json::from_str::<HookEvent<'_>>(&text).unwrap().prompt.as_deref(), Some("go"));
    }

    #[test]
    fn the_tool_that_ends_the_run_is_ignored() {
        let text = AFTER_CALL.replace("\"tool_name\":\"terminal\"", "\"tool_name\":\"finish\"");
        let text = OpenhandsAgent.normalize_event(&text);
        let event: HookEvent<'_> = serde_json::from_str(&text).unwrap();
        let agent: &dyn HookAgent = &OpenhandsAgent;
        assert_eq!(agent.event_kind(event.name()), None);
    }

    #[test]
    fn a_stop_never_makes_the_agent_continue() {
        let agent: &dyn HookAgent = &OpenhandsAgent;
        let stop = |event| agent.render(&HookEvent::with_name(event), &HookResponse::Stop("why".into()));
        assert_eq!(stop("PreToolUse"), Some(json!({"decision": "deny", "reason": "why"})));
        for event in ["PostToolUse", "Stop"] {
            assert_eq!(stop(event), Some(json!({"reason": "why"})), "{event}");
        }
    }

    #[test]
    fn advice_stands_only_beside_a_prompt() {
        let agent: &dyn HookAgent = &OpenhandsAgent;
        let advice = HookResponse::Advise { agent: Some("fact".into()), user: Some("look".into()) };
        let render = |event| agent.render(&HookEvent::with_name(event), &advice);
        assert_eq!(render("UserPromptSubmit"), Some(json!({"additionalContext": "fact"})));
        assert_eq!((render("PostToolUse"), render("PreToolUse")), (None, None));
    }
}
