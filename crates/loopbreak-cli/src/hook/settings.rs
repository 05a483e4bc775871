//! The hooks in the settings of Claude Code.

use serde_json::{Value, json};

use super::json_text::{Way, add, remove};

/// The events that are listened to, and whether they are about calls of tools.
const EVENTS: [(&str, bool); 7] = [
    ("PreToolUse", true),
    ("PostToolUse", true),
    ("PostToolUseFailure", true),
    ("UserPromptSubmit", false),
    ("Stop", false),
    ("SubagentStop", false),
    ("SessionEnd", false),
];

/// How long the agent waits for an answer, in seconds; then it goes on. The store gives up earlier.
const TIMEOUT: u32 = 10;

/// What our commands end in, whatever the path before it.
const OURS: &str = "hook claude-code";

/// The settings with our hooks in them; those that were there before are replaced.
pub(crate) fn with_hooks(text: &str, command: &str) -> Result<String, String> {
    let mut text = without_hooks(text)?;
    if text.trim().is_empty() {
        "{}\n".clone_into(&mut text);
    }
    let edit = |text: &str, way: &[Way<'_>], key: Option<&str>, value: &str| {
        add(text, way, key, value).ok_or_else(|| "the key `hooks` is not as it should be".to_owned())
    };
    if read(&text)?.get("hooks").is_none() {
        text = edit(&text, &[], Some("hooks"), "{}")?;
    }
    for (event, of_tools) in EVENTS {
        if read(&text)?["hooks"].get(event).is_none() {
            text = edit(&text, &[Way::Key("hooks")], Some(event), "[]")?;
        }
        let hook = json!({"type": "command", "command": command, "timeout": TIMEOUT});
        let group =
            if of_tools { json!({"matcher": "*", "hooks": [hook]}) } else { json!({"hooks": [hook]}) };
        text = edit(&text, &[Way::Key("hooks"), Way::Key(event)], None, &format!("{group:#}"))?;
    }
    Ok(text)
}

/// The settings without our hooks.
pub(crate) fn without_hooks(text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    if text.trim().is_empty() {
        return Ok(text);
    }
    while let Some(way) = ours(&read(&text)?) {
        let way: Vec<Way<'_>> = way.iter().map(Step::way).collect();
        text = remove(&text, &way).ok_or("the hooks cannot be found in the text")?;
    }
    Ok(text)
}

/// The command of ours that is installed, if one is.
pub(crate) fn installed(text: &str) -> Option<String> {
    let settings = read(text).ok()?;
    let events = settings.get("hooks")?.as_object()?.values();
    let groups = events.filter_map(Value::as_array).flatten();
    let hooks = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
    hooks.into_iter().find(|hook| is_ours(hook))?["command"].as_str().map(str::to_owned)
}

fn read(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let settings: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    if settings.is_object() { Ok(settings) } else { Err("it is not a JSON object".to_owned()) }
}

fn is_ours(hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.trim_end().ends_with(OURS) && command.contains("loopbreak")
}

enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    fn way(&self) -> Way<'_> {
        match self {
            Step::Key(key) => Way::Key(key),
            Step::Index(index) => Way::Index(*index),
        }
    }
}

/// The way to the next thing that is only there because of us: a hook, else the group, event or table that would hold
/// nothing without it.
fn ours(settings: &Value) -> Option<Vec<Step>> {
    let key = |key: &str| Step::Key(key.to_owned());
    let events = settings.get("hooks")?.as_object()?;
    for (event, groups) in events {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let hooks: &[Value] = group.get("hooks").and_then(Value::as_array).map_or(&[], Vec::as_slice);
            let Some(hook) = hooks.iter().position(is_ours) else { continue };
            let alone =
                |list: Option<&Value>| list.and_then(Value::as_array).is_some_and(|list| list.len() == 1);
            return Some(match (alone(group.get("hooks")), alone(Some(groups)), events.len() == 1) {
                (false, _, _) => {
                    vec![key("hooks"), key(event), Step::Index(at), key("hooks"), Step::Index(hook)]
                }
                (true, false, _) => vec![key("hooks"), key(event), Step::Index(at)],
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

    const COMMAND: &str = "/usr/bin/loopbreak hook claude-code";

    #[test]
    fn hooks_come_and_go_without_a_trace() {
        let own = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]\n      }\n    ]\n  },\n  \"a\": 1\n}\n";
        for before in [own, "{}", "{\n\t\"z\": 1,\n\t\"a\": 2\n}\n", "{\"a\":1}"] {
            let with = with_hooks(before, COMMAND).unwrap();
            let settings: Value = serde_json::from_str(&with).unwrap();
            for (event, of_tools) in EVENTS {
                let group = settings["hooks"][event].as_array().unwrap().last().unwrap();
                assert_eq!(group["hooks"][0]["command"], COMMAND, "{event}");
                assert_eq!(group.get("matcher").is_some(), of_tools, "{event}");
            }
            assert_eq!(installed(&with).as_deref(), Some(COMMAND));
            assert_eq!(without_hooks(&with).unwrap(), before);
            assert_eq!(with_hooks(&with, COMMAND).unwrap(), with, "twice is once");
            assert_eq!(installed(before), None);
        }
    }

    #[test]
    fn a_hook_of_the_user_beside_ours_stays() {
        let text = json!({"hooks": {"Stop": [{"hooks": [{"command": "mine"}, {"command": COMMAND}]}]}});
        let left: Value = serde_json::from_str(&without_hooks(&text.to_string()).unwrap()).unwrap();
        assert_eq!(left, json!({"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}));
    }

    #[test]
    fn settings_that_cannot_be_understood_are_left_alone() {
        for text in ["{oops", "[]", "3", "{\"hooks\": 3}", "{\"hooks\": {\"Stop\": 3}}"] {
            assert!(with_hooks(text, COMMAND).is_err(), "{text}");
        }
        assert!(with_hooks("", COMMAND).unwrap().starts_with("{\n  \"hooks\": {\n"));
    }
}
