//! The hooks in the settings of an agent. The three agents write them down in the same shape.

use serde_json::{Value, json};

use super::json_edit::{JsonPathStep, add, remove};
use crate::HookAgent;

/// The events that are listened to.
fn events(dialect: HookAgent) -> &'static [&'static str] {
    match dialect {
        HookAgent::ClaudeCode => &[
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "UserPromptSubmit",
            "Stop",
            "SubagentStop",
            "SessionEnd",
        ],
        HookAgent::Codex => {
            &["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "SessionEnd"]
        }
        HookAgent::Gemini => &["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionEnd"],
    }
}

/// One hook, in the agent's words. It waits ten seconds for an answer and then goes on; the store gives up earlier.
fn hook(dialect: HookAgent, command: &str) -> Value {
    match dialect {
        HookAgent::ClaudeCode | HookAgent::Codex => {
            json!({"type": "command", "command": command, "timeout": 10})
        }
        // In milliseconds, and with a name under which it can be switched off.
        HookAgent::Gemini => {
            json!({"name": "loopbreak", "type": "command", "command": command, "timeout": 10_000})
        }
    }
}

/// The settings with our hooks in them; those that were there before are replaced.
pub(crate) fn with_hooks(dialect: HookAgent, text: &str, command: &str) -> Result<String, String> {
    let mut text = without_hooks(dialect, text)?;
    if text.trim().is_empty() {
        "{}\n".clone_into(&mut text);
    }
    let edit = |text: &str, way: &[JsonPathStep<'_>], key: Option<&str>, value: &str| {
        add(text, way, key, value).ok_or_else(|| "the key `hooks` is not as it should be".to_owned())
    };
    if read(&text)?.get("hooks").is_none() {
        text = edit(&text, &[], Some("hooks"), "{}")?;
    }
    for &event in events(dialect) {
        if read(&text)?["hooks"].get(event).is_none() {
            text = edit(&text, &[JsonPathStep::Key("hooks")], Some(event), "[]")?;
        }
        let hook = hook(dialect, command);
        // Without a matcher it is about all tools, whatever language of patterns the agent has.
        let group = json!({"hooks": [hook]});
        text = edit(
            &text,
            &[JsonPathStep::Key("hooks"), JsonPathStep::Key(event)],
            None,
            &format!("{group:#}"),
        )?;
    }
    Ok(text)
}

/// The settings without our hooks.
pub(crate) fn without_hooks(dialect: HookAgent, text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    if text.trim().is_empty() {
        return Ok(text);
    }
    while let Some(way) = ours(dialect, &read(&text)?) {
        let way: Vec<JsonPathStep<'_>> = way.iter().map(OwnedPathStep::way).collect();
        text = remove(&text, &way).ok_or("the hooks cannot be found in the text")?;
    }
    Ok(text)
}

/// The command of ours that is installed, if one is.
pub fn installed(dialect: HookAgent, text: &str) -> Option<String> {
    let settings = read(text).ok()?;
    let events = settings.get("hooks")?.as_object()?.values();
    let groups = events.filter_map(Value::as_array).flatten();
    let hooks = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
    hooks.into_iter().find(|hook| is_ours(dialect, hook))?["command"].as_str().map(str::to_owned)
}

fn read(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let settings: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    if settings.is_object() { Ok(settings) } else { Err("it is not a JSON object".to_owned()) }
}

/// Our commands end in the same words, whatever the path before them.
fn is_ours(dialect: HookAgent, hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.trim_end().ends_with(&format!("hook {}", dialect.name())) && command.contains("loopbreak")
}

enum OwnedPathStep {
    Key(String),
    Index(usize),
}

impl OwnedPathStep {
    fn way(&self) -> JsonPathStep<'_> {
        match self {
            OwnedPathStep::Key(key) => JsonPathStep::Key(key),
            OwnedPathStep::Index(index) => JsonPathStep::Index(*index),
        }
    }
}

/// The way to the next thing that is only there because of us: a hook, else the group, event or table that would hold
/// nothing without it.
fn ours(dialect: HookAgent, settings: &Value) -> Option<Vec<OwnedPathStep>> {
    let key = |key: &str| OwnedPathStep::Key(key.to_owned());
    let events = settings.get("hooks")?.as_object()?;
    for (event, groups) in events {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let hooks: &[Value] = group.get("hooks").and_then(Value::as_array).map_or(&[], Vec::as_slice);
            let Some(hook) = hooks.iter().position(|hook| is_ours(dialect, hook)) else { continue };
            let alone =
                |list: Option<&Value>| list.and_then(Value::as_array).is_some_and(|list| list.len() == 1);
            return Some(match (alone(group.get("hooks")), alone(Some(groups)), events.len() == 1) {
                (false, _, _) => {
                    vec![
                        key("hooks"),
                        key(event),
                        OwnedPathStep::Index(at),
                        key("hooks"),
                        OwnedPathStep::Index(hook),
                    ]
                }
                (true, false, _) => vec![key("hooks"), key(event), OwnedPathStep::Index(at)],
                (true, true, false) => vec![key("hooks"), key(event)],
                (true, true, true) => vec![key("hooks")],
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(dialect: HookAgent) -> String {
        format!("/usr/bin/loopbreak hook {}", dialect.name())
    }

    #[test]
    fn hooks_come_and_go_without_a_trace() {
        let own = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]\n      }\n    ]\n  },\n  \"a\": 1\n}\n";
        for dialect in HookAgent::ALL {
            let command = command(dialect);
            for before in [own, "{}", "{\n\t\"z\": 1,\n\t\"a\": 2\n}\n", "{\"a\":1}"] {
                let with = with_hooks(dialect, before, &command).unwrap();
                let settings: Value = serde_json::from_str(&with).unwrap();
                for &event in events(dialect) {
                    let group = settings["hooks"][event].as_array().unwrap().last().unwrap();
                    assert_eq!(group["hooks"][0]["command"], command, "{event}");
                    assert_eq!(group.get("matcher"), None, "{event}");
                    assert_ne!(dialect.happening(event), crate::hook_agent::HookEventKind::Other, "{event}");
                }
                assert_eq!(installed(dialect, &with).as_ref(), Some(&command));
                assert_eq!(without_hooks(dialect, &with).unwrap(), before);
                assert_eq!(with_hooks(dialect, &with, &command).unwrap(), with, "twice is once");
                assert_eq!(installed(dialect, before), None);
            }
        }
    }

    #[test]
    fn seconds_are_seconds_and_milliseconds_are_milliseconds() {
        let timeout = |dialect| hook(dialect, "x")["timeout"].clone();
        assert_eq!(HookAgent::ALL.map(timeout), [json!(10), json!(10), json!(10_000)]);
    }

    #[test]
    fn hooks_of_the_user_and_of_another_agent_beside_ours_stay() {
        let (ours, other) = (command(HookAgent::ClaudeCode), command(HookAgent::Codex));
        let hooks = json!([{"command": "mine"}, {"command": ours}, {"command": other}]);
        let text = json!({"hooks": {"Stop": [{"hooks": hooks}]}}).to_string();
        let left: Value =
            serde_json::from_str(&without_hooks(HookAgent::ClaudeCode, &text).unwrap()).unwrap();
        let hooks = json!([{"command": "mine"}, {"command": other}]);
        assert_eq!(left, json!({"hooks": {"Stop": [{"hooks": hooks}]}}));
    }

    #[test]
    fn settings_that_cannot_be_understood_are_left_alone() {
        let with = |text: &str| with_hooks(HookAgent::ClaudeCode, text, &command(HookAgent::ClaudeCode));
        for text in ["{oops", "[]", "3", "{\"hooks\": 3}", "{\"hooks\": {\"Stop\": 3}}"] {
            assert!(with(text).is_err(), "{text}");
        }
        assert!(with("").unwrap().starts_with("{\n  \"hooks\": {\n"));
    }
}
