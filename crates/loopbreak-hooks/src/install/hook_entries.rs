//! The entries of hooks in settings files.

use serde_json::{Map, Value, json};

use super::json_edit::{add, remove};
use super::json_node::JsonPathStep;
use super::plugin_file;
use crate::hook_agent::HookAgent;

/// The key of the version of a file.
const VERSION: &str = "version";

/// Adds the hooks of Loopbreak to settings. Installed ones are replaced.
pub(crate) fn with_hooks(agent: &dyn HookAgent, text: &str, command: &str) -> Result<String, String> {
    if let Some(source) = agent.plugin() {
        let is_ours = text.trim().is_empty() || installed_command(agent, text).is_some();
        return if is_ours {
            Ok(plugin_file::with_command(source, command))
        } else {
            Err("it is not the plugin of Loopbreak".to_owned())
        };
    }
    let form = agent.settings_form();
    let mut text = without_hooks(agent, text)?;
    if text.trim().is_empty() {
        agent.empty_settings().clone_into(&mut text);
    }
    let edit = |text: &str, path: &[JsonPathStep<'_>], key: Option<&str>, value: &str| {
        add(text, path, key, value).ok_or_else(|| "the key `hooks` has an unexpected value".to_owned())
    };
    if form.has_version() && parse(&text)?.as_object().is_some_and(Map::is_empty) {
        text = edit(&text, &[], Some(VERSION), "1")?;
    }
    let table = form.table(&parse(&text)?);
    if let Some(JsonPathStep::Key(key)) = table.first()
        && parse(&text)?.get(key).is_none()
    {
        text = edit(&text, &[], Some(key), "{}")?;
    }
    for (event, _) in agent.events() {
        let settings = parse(&text)?;
        let key = form.key(&settings, event);
        if form.events(&settings).is_none_or(|table| table.get(&key).is_none()) {
            text = edit(&text, &table, Some(&key), "[]")?;
        }
        // Without a matcher, a hook applies to all tools. The syntax of matchers differs between agents.
        let hook = agent.hook_entry(event, command);
        let element = if form.has_groups() { json!({"hooks": [hook]}) } else { hook };
        let list: Vec<_> = table.iter().copied().chain([JsonPathStep::Key(&key)]).collect();
        text = edit(&text, &list, None, &format!("{element:#}"))?;
    }
    Ok(text)
}

/// Removes the hooks of Loopbreak from settings.
pub(crate) fn without_hooks(agent: &dyn HookAgent, text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    if text.trim().is_empty() {
        return Ok(text);
    }
    if agent.plugin().is_some() {
        let is_ours = installed_command(agent, &text).is_some();
        return Ok(if is_ours { String::new() } else { text });
    }
    let before = text.clone();
    while let Some(path) = path_to_hook(agent, &parse(&text)?) {
        text = remove(&text, &path).ok_or("cannot find the hooks in the text")?;
    }
    let is_only_version = |settings: &Value| settings.as_object().is_some_and(|keys| keys.len() == 1);
    if agent.settings_form().has_version() && text != before {
        let settings = parse(&text)?;
        if settings.get(VERSION).is_some() && is_only_version(&settings) {
            text =
                remove(&text, &[JsonPathStep::Key(VERSION)]).ok_or("cannot find the version in the text")?;
        }
    }
    Ok(text)
}

/// Returns the installed command, if there is one.
pub fn installed_command(agent: &dyn HookAgent, text: &str) -> Option<String> {
    if agent.plugin().is_some() {
        return plugin_file::command_in(text);
    }
    let settings = parse(text).ok()?;
    let form = agent.settings_form();
    let events = form.events(&settings)?.as_object()?.values();
    let elements = events.filter_map(Value::as_array).flatten();
    let mut hooks = elements.flat_map(|element| match (form.has_groups(), element.get("hooks")) {
        (true, hooks) => hooks.and_then(Value::as_array).map_or(&[][..], Vec::as_slice),
        (false, _) => std::slice::from_ref(element),
    });
    hooks.find(|hook| is_loopbreak_hook(agent, hook))?["command"].as_str().map(str::to_owned)
}

fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let settings: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not valid JSON: {error}"))?;
    if settings.is_object() { Ok(settings) } else { Err("it is not a JSON object".to_owned()) }
}

/// Returns whether a hook calls Loopbreak for this agent. The path of the program does not matter.
pub(crate) fn is_loopbreak_hook(agent: &dyn HookAgent, hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.trim_end().ends_with(&format!("hook {}", agent.name())) && command.contains("loopbreak")
}

/// Returns the path of the next value to remove: a hook of Loopbreak or, if it would be empty without the hook, the group,
/// the event or the table around it.
fn path_to_hook<'s>(agent: &dyn HookAgent, settings: &'s Value) -> Option<Vec<JsonPathStep<'s>>> {
    let form = agent.settings_form();
    let is_ours = |hook: &Value| is_loopbreak_hook(agent, hook);
    let mut path: Vec<JsonPathStep<'s>> = form.table(settings);
    let is_root = path.is_empty();
    let events = form.events(settings)?.as_object()?;
    for (event, elements) in events {
        let elements = elements.as_array().map_or(&[][..], Vec::as_slice);
        for (at, element) in elements.iter().enumerate() {
            // The other hooks of the group, if the element is one.
            let (found, is_last_of_group) = if form.has_groups() {
                let hooks = element.get("hooks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                (hooks.iter().position(is_ours), hooks.len() == 1)
            } else {
                (is_ours(element).then_some(0), true)
            };
            let Some(hook) = found else { continue };
            let is_last_of_event = is_last_of_group && elements.len() == 1;
            if is_last_of_event && events.len() == 1 && !is_root {
                return Some(path);
            }
            path.push(JsonPathStep::Key(event));
            if !is_last_of_event {
                path.push(JsonPathStep::Index(at));
            }
            if !is_last_of_group {
                path.extend([JsonPathStep::Key("hooks"), JsonPathStep::Index(hook)]);
            }
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::agents;

    fn agent(name: &str) -> &'static dyn HookAgent {
        name.parse().unwrap()
    }

    fn command(agent: &dyn HookAgent) -> String {
        format!("/usr/bin/loopbreak hook {}", agent.name())
    }

    #[test]
    fn removing_installed_hooks_restores_the_text() {
        let own = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]\n      }\n    ]\n  },\n  \"a\": 1\n}\n";
        for agent in agents::ALL.iter().copied().filter(|agent| agent.plugin().is_none()) {
            let command = command(agent);
            for before in [own, "{}", "{\n\t\"z\": 1,\n\t\"a\": 2\n}\n", "{\"a\":1}"] {
                let with = with_hooks(agent, before, &command).unwrap();
                let settings: Value = serde_json::from_str(&with).unwrap();
                let form = agent.settings_form();
                for (event, _) in agent.events() {
                    let list = &form.events(&settings).unwrap()[form.key(&settings, event)];
                    let element = list.as_array().unwrap().last().unwrap();
                    let hook = if form.has_groups() { &element["hooks"][0] } else { element };
                    assert_eq!(hook["command"], command, "{event}");
                    assert_eq!(element.get("matcher"), None, "{event}");
                }
                assert_eq!(installed_command(agent, &with).as_ref(), Some(&command));
                assert_eq!(without_hooks(agent, &with).unwrap(), before);
                assert_eq!(with_hooks(agent, &with, &command).unwrap(), with, "installed twice");
                assert_eq!(installed_command(agent, before), None);
            }
        }
    }

    #[test]
    fn every_agent_waits_ten_seconds_in_its_own_unit() {
        for (name, timeout) in [("claude-code", 10), ("codex", 10), ("gemini", 10_000), ("qwen", 10_000)] {
            assert_eq!(agent(name).hook_entry("PreToolUse", "x")["timeout"], timeout, "{name}");
        }
        assert_eq!(agent("codex").hook_entry("SessionEnd", "x")["timeout"], 3);
    }

    #[test]
    fn a_plugin_is_written_and_removed_as_a_whole() {
        for agent in agents::ALL.iter().copied().filter(|agent| agent.plugin().is_some()) {
            let command = command(agent);
            let with = with_hooks(agent, "", &command).unwrap();
            assert_eq!(installed_command(agent, &with).as_ref(), Some(&command));
            assert_eq!(with_hooks(agent, &with, &command).unwrap(), with, "installed twice");
            assert_eq!(without_hooks(agent, &with).unwrap(), "");
            assert!(with_hooks(agent, "export const mine = 1\n", &command).is_err());
        }
    }

    #[test]
    fn the_plugins_for_each_agent_have_the_hooks_that_are_installed() {
        let integrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations");
        let read = |path: &str| -> Value {
            serde_json::from_str(&fs::read_to_string(integrations.join(path)).unwrap()).unwrap()
        };
        for (name, manifest) in [
            ("claude-code", "claude-code/.claude-plugin/plugin.json"),
            ("codex", "codex/.codex-plugin/plugin.json"),
            ("gemini", "gemini/gemini-extension.json"),
        ] {
            let agent = agent(name);
            let command = format!("loopbreak hook {name}");
            let entries = agent.events().iter().map(|(event, _)| {
                ((*event).to_owned(), json!([{"hooks": [agent.hook_entry(event, &command)]}]))
            });
            let expected = json!({"hooks": entries.collect::<Map<String, Value>>()});
            assert_eq!(read(&format!("{name}/hooks/hooks.json")), expected, "{name}");
            let manifest = read(manifest);
            assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "{name}");
            assert_eq!(manifest["name"], "loopbreak", "{name}");
        }
    }

    #[test]
    fn hooks_of_the_user_and_of_another_agent_are_kept() {
        let (own, other) = (command(agent("claude-code")), command(agent("codex")));
        let hooks = json!([{"command": "mine"}, {"command": own}, {"command": other}]);
        let text = json!({"hooks": {"Stop": [{"hooks": hooks}]}}).to_string();
        let left: Value = serde_json::from_str(&without_hooks(agent("claude-code"), &text).unwrap()).unwrap();
        let hooks = json!([{"command": "mine"}, {"command": other}]);
        assert_eq!(left, json!({"hooks": {"Stop": [{"hooks": hooks}]}}));
    }

    #[test]
    fn a_file_of_hooks_only_keeps_the_form_that_the_user_chose() {
        let agent = agent("openhands");
        let hook = json!({"hooks": [{"command": "mine"}]});
        for (before, key) in [
            (json!({ "PreToolUse": [hook] }), "/PreToolUse/1/hooks/0/command"),
            (json!({ "pre_tool_use": [hook] }), "/pre_tool_use/1/hooks/0/command"),
            (json!({"hooks": { "PreToolUse": [hook] }}), "/hooks/PreToolUse/1/hooks/0/command"),
        ] {
            let with = with_hooks(agent, &before.to_string(), &command(agent)).unwrap();
            let settings: Value = serde_json::from_str(&with).unwrap();
            assert_eq!(settings.pointer(key), Some(&command(agent).into()), "{with}");
            assert_eq!(settings.as_object().unwrap().contains_key("hooks"), before.get("hooks").is_some());
            assert_eq!(without_hooks(agent, &with).unwrap(), before.to_string());
        }
    }

    #[test]
    fn a_file_with_a_version_has_hooks_without_groups() {
        let agent = agent("cursor");
        let with = with_hooks(agent, "", &command(agent)).unwrap();
        let settings: Value = serde_json::from_str(&with).unwrap();
        assert_eq!(settings["version"], 1);
        assert_eq!(settings["hooks"]["preToolUse"], json!([{"command": command(agent), "timeout": 10}]));
        assert_eq!(without_hooks(agent, &with).unwrap().trim(), "{}");
        // The version of the user stays beside the hooks of the user.
        let own = "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"mine\"}]}}";
        let with = with_hooks(agent, own, &command(agent)).unwrap();
        assert_eq!(without_hooks(agent, &with).unwrap(), own);
    }

    #[test]
    fn settings_with_an_unexpected_form_are_refused() {
        let with = |text: &str| with_hooks(agent("claude-code"), text, &command(agent("claude-code")));
        for text in ["{oops", "[]", "3", "{\"hooks\": 3}", "{\"hooks\": {\"Stop\": 3}}"] {
            assert!(with(text).is_err(), "{text}");
        }
        assert!(with("").unwrap().starts_with("{\n  \"hooks\": {\n"));
    }
}
