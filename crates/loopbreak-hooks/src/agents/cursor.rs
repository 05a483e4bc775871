//! Cursor, from the documentation of its hooks: this agent was not run.

use std::borrow::Cow;

use loopbreak::Outcome;
use serde_json::{Value, json};

use crate::hook_agent::HookAgent;
use crate::hook_event_kind::HookEventKind;
use crate::install::{SettingsForm, SettingsLocation};
use crate::raw_event::RawEvent;
use crate::tool_outcome;

pub(super) struct CursorAgent;

/// The events for shell commands, MCP tools and files report the same calls once more.
const EVENTS: &[(&str, HookEventKind)] = &[
    (BEFORE_TOOL, HookEventKind::BeforeTool),
    (AFTER_TOOL, HookEventKind::AfterTool),
    ("postToolUseFailure", HookEventKind::ToolFailure),
    (USER_PROMPT, HookEventKind::UserPrompt),
    ("stop", HookEventKind::TurnEnd),
    ("sessionEnd", HookEventKind::SessionEnd),
];
const BEFORE_TOOL: &str = "preToolUse";
const AFTER_TOOL: &str = "postToolUse";
const USER_PROMPT: &str = "beforeSubmitPrompt";

impl HookAgent for CursorAgent {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".cursor", "hooks.json")
    }

    fn settings_form(&self) -> SettingsForm {
        SettingsForm::Versioned
    }

    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        EVENTS
    }

    fn normalize_event<'t>(&self, text: &'t str) -> Cow<'t, str> {
        RawEvent::rewrite(text, |event| {
            event.rename("conversation_id", "session_id");
            event.rename("generation_id", "prompt_id");
            event.rename("tool_output", "tool_response");
            event.rename("error_message", "error");
            if !event.has("cwd")
                && let Some(folder) = event.value("workspace_roots").as_ref().and_then(|roots| roots.get(0))
            {
                event.set("cwd", folder);
            }
            if event.value("loop_count").and_then(|count| count.as_u64()).is_some_and(|count| count > 0) {
                event.set("stop_hook_active", &Value::Bool(true));
            }
            if event.text("failure_type").as_deref() == Some("permission_denied") {
                // A call that was refused, by this hook or by the user, has no result.
                event.set("hook_event_name", &Value::Null);
            }
        })
    }

    fn hook_entry(&self, _event: &str, command: &str) -> Value {
        json!({"command": command, "timeout": 10})
    }

    fn install_hint(&self) -> String {
        "Cursor loads the hooks by itself, those of a project once you trust the folder; the tab Hooks lists them"
            .to_owned()
    }

    /// The result of a tool is JSON in a text.
    fn parse_outcome(&self, response: &str) -> Outcome<'static> {
        match serde_json::from_str::<String>(response) {
            Ok(text) if text.trim_start().starts_with(['{', '[', '"']) => tool_outcome::parse_outcome(&text),
            _ => tool_outcome::parse_outcome(response),
        }
    }

    fn takes_advice(&self, kind: HookEventKind) -> bool {
        kind == HookEventKind::AfterTool
    }

    /// A message by which a hook continues the run arrives as a prompt.
    fn retries_with_prompts(&self) -> bool {
        true
    }

    fn render_advice(&self, _event: &str, _error: Option<&str>, text: &str) -> Value {
        json!({ "additional_context": text })
    }

    /// It shows messages to the user only with refusals.
    fn add_user_message(&self, _response: &mut Value, _text: &str) {}

    fn render_refusal(&self, _event: &str, reason: &str) -> Value {
        json!({"permission": "deny", "user_message": reason, "agent_message": reason})
    }

    /// It does not ask before a call yet: the call is refused, and the user gets the reason.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        self.render_refusal(event, reason)
    }

    /// Its hooks cannot end a run: the next call or prompt is refused.
    fn render_stop(&self, event: &str, reason: &str) -> Value {
        match event {
            BEFORE_TOOL => self.render_refusal(event, reason),
            AFTER_TOOL => self.render_advice(event, None, reason),
            USER_PROMPT => json!({"continue": false, "user_message": reason}),
            _ => json!({}),
        }
    }

    fn render_continuation(&self, reason: &str) -> Value {
        json!({ "followup_message": reason })
    }

    fn shell_tool(&self) -> &'static str {
        "Shell"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({"exitCode": 0, "stdout": output}).to_string().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook_event::HookEvent;
    use crate::hook_response::HookResponse;

    /// Adds the keys that all events have.
    fn event(name: &str, keys: &Value) -> String {
        let mut event = json!({
            "conversation_id": "c1", "generation_id": "g1", "model": "some-model", "hook_event_name": name,
            "cursor_version": "2.6.0", "workspace_roots": ["/project"], "user_email": null, "transcript_path": null,
        });
        event.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        event.to_string()
    }

    #[test]
    fn a_call_and_its_result_have_the_keys_of_other_agents() {
        let keys = json!({
            "tool_name": "Shell", "tool_input": {"command": "npm test"}, "tool_use_id": "abc123", "cwd": "/project/web",
            "tool_output": "{\"exitCode\":1,\"stdout\":\"1 test failed\"}", "duration": 5432,
        });
        let text = event("postToolUse", &keys);
        let text = CursorAgent.normalize_event(&text);
        let event: HookEvent<'_> = serde_json::from_str(&text).unwrap();
        assert_eq!((event.session_id.as_deref(), event.cwd.as_deref()), (Some("c1"), Some("/project/web")));
        assert_eq!((event.call_id(), event.prompt_id.as_deref()), ("abc123".into(), Some("g1")));
        assert_eq!(event.action().unwrap().line(), r#"Shell {"command":"npm test"}"#);
        let outcome = CursorAgent.parse_outcome(event.tool_response.unwrap().get());
        assert_eq!((outcome.text.as_deref(), outcome.exit), (Some("1 test failed"), Some(1)));
        assert_eq!(CursorAgent.parse_outcome("\"plain text\"").text.as_deref(), Some("plain text"));
    }

    #[test]
    fn a_failure_has_an_error_and_the_folder_of_the_workspace() {
        let keys = json!({
            "tool_name": "Read", "tool_input": {"file_path": "/no"}, "tool_use_id": "a", "cwd": "",
            "error_message": "file not found", "failure_type": "error", "is_interrupt": false,
        });
        let text = event("postToolUseFailure", &keys);
        let text = CursorAgent.normalize_event(&text);
        let event: HookEvent<'_> = serde_json::from_str(&text).unwrap();
        assert_eq!((event.error.unwrap().get(), event.cwd.as_deref()), ("\"file not found\"", Some("/project")));
        assert_eq!(event.name(), "postToolUseFailure");
    }

    #[test]
    fn a_refused_call_is_not_a_failure() {
        let text = event("postToolUseFailure", &json!({"tool_name": "Shell", "failure_type": "permission_denied"}));
        let text = CursorAgent.normalize_event(&text);
        assert_eq!(serde_json::from_str::<HookEvent<'_>>(&text).unwrap().name(), "");
    }

    #[test]
    fn an_end_of_a_turn_that_follows_a_message_of_a_hook_is_known() {
        for (count, active) in [(0, None), (2, Some(true))] {
            let text = event("stop", &json!({"status": "completed", "loop_count": count}));
            let text = CursorAgent.normalize_event(&text);
            assert_eq!(serde_json::from_str::<HookEvent<'_>>(&text).unwrap().stop_hook_active, active);
        }
    }

    #[test]
    fn an_id_of_the_session_is_kept() {
        let text = event("sessionEnd", &json!({"session_id": "s1", "reason": "completed"}));
        let text = CursorAgent.normalize_event(&text);
        assert_eq!(serde_json::from_str::<HookEvent<'_>>(&text).unwrap().session_id.as_deref(), Some("s1"));
    }

    #[test]
    fn responses_have_the_documented_keys() {
        let agent: &dyn HookAgent = &CursorAgent;
        let render = |name, response: &HookResponse| {
            agent.render(&HookEvent::with_name(name), response).unwrap_or_default()
        };
        let refusal = json!({"permission": "deny", "user_message": "why", "agent_message": "why"});
        for response in [HookResponse::Deny("why".into()), HookResponse::Ask("why".into())] {
            assert_eq!(render("preToolUse", &response), refusal);
        }
        let stop = HookResponse::Stop("why".into());
        assert_eq!(render("preToolUse", &stop), refusal);
        assert_eq!(render("beforeSubmitPrompt", &stop), json!({"continue": false, "user_message": "why"}));
        assert_eq!(render("stop", &stop), json!({}));
        let advice = HookResponse::Advise { agent: Some("fact".into()), user: Some("look".into()) };
        assert_eq!(render("postToolUse", &advice), json!({"additional_context": "fact"}));
        for event in ["preToolUse", "postToolUseFailure", "beforeSubmitPrompt", "stop"] {
            assert_eq!(render(event, &advice), Value::Null, "{event}");
        }
        let more = HookResponse::Continue("why".into());
        assert_eq!(render("stop", &more), json!({"followup_message": "why"}));
    }
}
