//! Codex CLI.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::bounded_file::read_bounded;
use crate::doctor::{CheckFinding, DoctorContext, HookInstallation, InstalledPlugin};
use crate::install::SettingsScope;

fn config(context: &DoctorContext<'_>) -> Table {
    let text = context.user_file("config.toml").and_then(|file| read_bounded(&file).ok());
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn text_at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t str> {
    value_at(table, path)?.as_str()
}

fn value_at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t Value> {
    let (last, before) = path.split_last()?;
    before.iter().try_fold(table, |table, key| table.get(*key)?.as_table())?.get(*last)
}

/// Checks the switch for hooks, and the trust in each hook and in the project.
pub(crate) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let config = config(context);
    let mut findings = Vec::new();
    for feature in ["hooks", "codex_hooks"] {
        if value_at(&config, &["features", feature]).and_then(Value::as_bool) == Some(false) {
            findings.push(CheckFinding::problem(
                format!("Codex CLI runs no hooks: {feature} = false under [features] in its config.toml"),
                "remove the setting",
            ));
        }
    }
    if let Some(found) = context.tested() {
        if found.scope == SettingsScope::Project && !is_trusted_project(&config, context) {
            findings.push(CheckFinding::warning(
                "this project is not trusted: Codex CLI does not read its hooks",
                "start `codex` here and trust the folder, or install with --user",
            ));
        }
        findings.push(check_hooks(&config, found));
    }
    findings
}

/// Codex CLI keeps the hash of each hook that the user has reviewed. Only its presence is checked.
fn check_hooks(config: &Table, found: &HookInstallation) -> CheckFinding {
    let absolute = std::path::absolute(&found.file).unwrap_or_else(|_| found.file.clone());
    let real = fs::canonicalize(&found.file).unwrap_or_else(|_| absolute.clone());
    let state = |event: &str, group: usize, position: usize, field: &str| {
        [&absolute, &real].into_iter().find_map(|file| {
            let key = format!("{}:{}:{group}:{position}", file.display(), snake_case(event));
            value_at(config, &["hooks", "state", &key, field]).cloned()
        })
    };
    let (mut untrusted, mut disabled) = (Vec::new(), Vec::new());
    for entry in &found.entries {
        let state = |field| state(&entry.event, entry.group, entry.position, field);
        if state("enabled").and_then(|value| value.as_bool()) == Some(false) {
            disabled.push(entry.event.as_str());
        } else if state("trusted_hash").is_none() {
            untrusted.push(entry.event.as_str());
        }
    }
    if !disabled.is_empty() {
        let text = format!("hooks that are switched off in Codex CLI: {}", disabled.join(", "));
        return CheckFinding::warning(text, "start `codex` and switch them on with /hooks");
    }
    if untrusted.is_empty() {
        return CheckFinding::good(
            "Codex CLI has a trusted hash for every hook; it asks again if a hook has changed since",
        );
    }
    CheckFinding::warning(
        format!(
            "hooks that are not trusted yet, which Codex CLI skips without a word: {}",
            untrusted.join(", ")
        ),
        "start `codex` and trust them with /hooks",
    )
}

fn is_trusted_project(config: &Table, context: &DoctorContext<'_>) -> bool {
    let level = |folder: &Path| text_at(config, &["projects", &folder.to_string_lossy(), "trust_level"]);
    // The folder itself, then the root of its repository.
    let root = context.project_folders().find(|folder| folder.join(".git").exists());
    context.project_folders().next().and_then(level).or_else(|| root.and_then(level)) == Some("trusted")
}

/// Lists the enabled plugins of Loopbreak.
pub(crate) fn plugins(context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
    let config = config(context);
    let plugins = config.get("plugins").and_then(Value::as_table).into_iter().flatten();
    let is_enabled = |plugin: &Value| plugin.get("enabled").and_then(Value::as_bool) != Some(false);
    let ours = plugins.filter(|(name, plugin)| name.starts_with("loopbreak@") && is_enabled(plugin));
    ours.map(|(name, _)| {
        InstalledPlugin::new(format!("plugin {name} of Codex CLI"), format!("codex plugin remove {name}"))
    })
    .collect()
}

/// Returns the name of an event as Codex CLI writes it in keys.
fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_named_as_in_the_keys_of_codex() {
        assert_eq!(snake_case("PreToolUse"), "pre_tool_use");
        assert_eq!(snake_case("Stop"), "stop");
    }
}
