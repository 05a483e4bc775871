//! Finds the agent that sent an event, for hooks whose command names none.

use std::path::Path;

use crate::hook_agent::HookAgent;
use crate::hook_event::HookEvent;

/// Beginning of the name of a transcript of Codex CLI.
const CODEX_TRANSCRIPT: &str = "rollout-";

/// Returns the agent that sent an event, or `None` if it cannot be told.
///
/// The event names alone are not enough, because several agents use those of Claude Code. The keys that an agent adds to
/// its events are its own: Claude Code counts prompts, Codex CLI counts turns and names the model, and Gemini CLI gives
/// the time. Qwen Code gives the time as well, but it also has the permission modes of Claude Code.
pub(crate) fn detect_agent(event: &HookEvent<'_>) -> Option<&'static dyn HookAgent> {
    let name = if event.turn_id.is_some() && event.model.is_some() {
        "codex"
    } else if event.timestamp.is_some() {
        if event.permission_mode.is_some() { "qwen" } else { "gemini" }
    } else if event.prompt_id.is_some() {
        "claude-code"
    } else if has_codex_transcript(event) {
        // The end of a session belongs to no turn.
        "codex"
    } else {
        return None;
    };
    let agent: &dyn HookAgent = name.parse().ok()?;
    agent.event_kind(event.name()).map(|_| agent)
}

fn has_codex_transcript(event: &HookEvent<'_>) -> bool {
    let name = event.transcript_path.as_deref().and_then(|path| Path::new(path).file_name());
    name.and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(CODEX_TRANSCRIPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(json: &str) -> Option<&'static str> {
        detect_agent(&serde_json::from_str(json).unwrap()).map(HookAgent::name)
    }

    #[test]
    fn the_agent_is_found_from_the_keys_that_only_its_events_have() {
        for (agent, json) in [
            (
                "claude-code",
                r#"{"hook_event_name":"PreToolUse","permission_mode":"default","prompt_id":"p"}"#,
            ),
            ("claude-code", r#"{"hook_event_name":"PostToolBatch","tool_calls":[],"prompt_id":"p"}"#),
            (
                "codex",
                r#"{"hook_event_name":"PreToolUse","permission_mode":"default","turn_id":"1","model":"m"}"#,
            ),
            (
                "codex",
                r#"{"hook_event_name":"SessionEnd","reason":"exit","transcript_path":"/h/.codex/sessions/rollout-1.jsonl"}"#,
            ),
            ("gemini", r#"{"hook_event_name":"BeforeTool","timestamp":"2026-03-04T10:00:04.014Z"}"#),
            ("gemini", r#"{"hook_event_name":"SessionEnd","timestamp":"2026-03-04T10:00:04.014Z"}"#),
            (
                "qwen",
                r#"{"hook_event_name":"PreToolUse","timestamp":"t","permission_mode":"yolo","prompt_id":"p"}"#,
            ),
            ("qwen", r#"{"hook_event_name":"SessionEnd","timestamp":"t","permission_mode":"default"}"#),
        ] {
            assert_eq!(detect(json), Some(agent), "{json}");
        }
    }

    #[test]
    fn the_agent_of_other_events_is_unknown() {
        for json in [
            "{}",
            r#"{"hook_event_name":"PreToolUse","permission_mode":"default"}"#,
            r#"{"hook_event_name":"PreToolUse","turn_id":"1"}"#,
            r#"{"hook_event_name":"PreToolUse","turn_id":"1","model":null}"#,
            // No event of Gemini CLI, and no permission mode of Qwen Code.
            r#"{"hook_event_name":"PreToolUse","timestamp":"t"}"#,
            r#"{"hook_event_name":"BeforeTool","prompt_id":"p"}"#,
            r#"{"hook_event_name":"SessionEnd","transcript_path":"/h/rollout-1/log.jsonl"}"#,
        ] {
            assert_eq!(detect(json), None, "{json}");
        }
    }
}
