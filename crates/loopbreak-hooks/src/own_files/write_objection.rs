//! The objection to a call that would change the guard.

use std::path::Path;

use loopbreak::Action;
use loopbreak::text::printable;
use serde_json::{Map, Value};
use toml::Table;

use super::file_edit::{EditedContent, FileEdit, has_path};
use super::protected_files::{ProtectedFile, ProtectedFiles, resolve};
use super::shell_writes::{ShellWrite, ShellWrites, WriteEffect};
use crate::bounded_file::read_bounded;
use crate::hook_agent::HookAgent;
use crate::install::{installed_command, is_loopbreak_hook};

/// A call that mentions none of these changes no protected file. Nearly all calls end here.
const MENTIONS: [&str; 4] = ["loopbreak", "pyproject.toml", "settings.json", "hooks.json"];
/// Names of arguments that hold shell commands.
const COMMAND_KEYS: [&str; 5] = ["command", "cmd", "commands", "script", "shell_command"];

/// The files of the user that belong to Loopbreak.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnFiles<'o> {
    /// The user's own configuration file.
    pub(crate) user_config: Option<&'o Path>,
    /// The store.
    pub(crate) store: Option<&'o Path>,
}

impl OwnFiles<'_> {
    /// Returns what a call would change of the guard of a session in this folder, or `None` if it changes nothing of it.
    pub(crate) fn objection(&self, folder: &Path, action: &Action<'_>) -> Option<String> {
        let json = action.args.as_ref()?.json();
        if !MENTIONS.iter().any(|word| json.contains(word)) {
            return None;
        }
        let args: Map<String, Value> = serde_json::from_str(json).ok()?;
        let folder = std::path::absolute(folder).ok()?;
        let files = ProtectedFiles::new(&folder, &[self.user_config, self.store]);
        let edits = FileEdit::list(&action.name, &args);
        let edited = edits.iter().find_map(|edit| {
            let path = resolve(&folder, &edit.path)?;
            object_to_edit(files.find(&path)?, &path, &edit.change)
        });
        // A tool with a path is not a shell: its command says what it does with the file.
        let is_shell = !has_path(&args);
        edited.or_else(|| {
            let lines = COMMAND_KEYS.iter().filter_map(|key| args.get(*key)).flat_map(command_lines);
            lines.filter(|_| is_shell).find_map(|line| object_to_line(&files, &line, &folder))
        })
    }
}

/// Lists the shell lines in an argument: a text, a list of texts, or the words of one command.
fn command_lines(value: &Value) -> Vec<String> {
    match value {
        Value::String(line) => vec![line.clone()],
        Value::Array(items) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, option, line] if option.starts_with('-') && option.ends_with('c') => {
                    vec![(*line).to_owned()]
                }
                words => words.iter().map(|word| (*word).to_owned()).chain([words.join(" ")]).collect(),
            }
        }
        _ => Vec::new(),
    }
}

fn object_to_line(files: &ProtectedFiles, line: &str, folder: &Path) -> Option<String> {
    let writes = ShellWrites::list(line, folder);
    if let Some(command) = writes.users_commands.first() {
        return Some(format!("`{command}` changes what the guard does"));
    }
    writes.files.iter().find_map(|write| object_to_write(files.find(&write.path)?, write, line))
}

fn object_to_edit(kind: ProtectedFile, path: &Path, change: &EditedContent) -> Option<String> {
    let before = || read_bounded(path).unwrap_or_default();
    let is_harmful = match kind {
        ProtectedFile::Configuration | ProtectedFile::OwnFolder => true,
        ProtectedFile::Pyproject => changes_tables(&before(), change),
        ProtectedFile::AgentSettings(agent) => removes_hooks(agent, &before(), change),
    };
    is_harmful.then(|| describe(kind, path))
}

fn object_to_write(kind: ProtectedFile, write: &ShellWrite, line: &str) -> Option<String> {
    let before = || read_bounded(&write.path).unwrap_or_default();
    let is_harmful = match (kind, &write.effect) {
        (ProtectedFile::Configuration | ProtectedFile::OwnFolder, _) => true,
        (ProtectedFile::Pyproject, WriteEffect::Mode) => false,
        (ProtectedFile::Pyproject, WriteEffect::Removal) => has_tables(&before()),
        (ProtectedFile::Pyproject, WriteEffect::Inline { appends: false }) => {
            mentions_tables(line) || has_tables(&before())
        }
        (ProtectedFile::Pyproject, _) => mentions_tables(line),
        (ProtectedFile::AgentSettings(agent), effect) => {
            let (text, hook) = (before(), format!("hook {}", agent.name()));
            is_installed(agent, &text)
                && match effect {
                    _ if agent.plugin().is_some() => true,
                    WriteEffect::Removal => true,
                    WriteEffect::Inline { appends } => !appends && !line.contains(&hook),
                    WriteEffect::Edit(script) => script.contains("loopbreak"),
                    // The new file may have the hooks, unless the line removes them.
                    WriteEffect::Replace => line.contains("del(.hooks"),
                    WriteEffect::Mode => false,
                }
        }
    };
    is_harmful.then(|| describe(kind, &write.path))
}

fn describe(kind: ProtectedFile, path: &Path) -> String {
    let path = printable(&path.display().to_string());
    match kind {
        ProtectedFile::Configuration => format!("{path} configures the guard of this session"),
        ProtectedFile::Pyproject => {
            format!("the tables of Loopbreak in {path} configure the guard of this session")
        }
        ProtectedFile::OwnFolder => format!("{path} belongs to the guard"),
        ProtectedFile::AgentSettings(_) => {
            format!("the hooks of Loopbreak in {path} are the guard of this session")
        }
    }
}

fn mentions_tables(text: &str) -> bool {
    text.contains("tool.loopbreak") || text.contains("loop_break")
}

/// Returns the tables of Loopbreak in a `pyproject.toml`, or `None` if the text is not TOML.
fn tables_in(text: &str) -> Option<[Option<toml::Value>; 2]> {
    let file: Table = text.parse().ok()?;
    let tool = file.get("tool");
    let own = tool.and_then(|tool| tool.get("loopbreak")).cloned();
    let legacy = tool.and_then(|tool| tool.get("zorkgpt")?.get("loop_break")).cloned();
    Some([own, legacy])
}

fn has_tables(text: &str) -> bool {
    tables_in(text).map_or_else(|| mentions_tables(text), |tables| tables.iter().any(Option::is_some))
}

/// Returns whether a change of a `pyproject.toml` touches the tables of Loopbreak.
fn changes_tables(before: &str, change: &EditedContent) -> bool {
    if let EditedContent::Lines(lines) = change {
        return patch_touches_tables(before, lines);
    }
    match change.apply(before).map(|after| (tables_in(before), tables_in(&after))) {
        Some((Some(old), Some(new))) => old != new,
        _ => mentions_tables(&change.text()),
    }
}

/// Returns whether the lines of a patch touch the tables of Loopbreak: by their name, below their name, or because a removed
/// line stands only there.
fn patch_touches_tables(before: &str, lines: &[String]) -> bool {
    let mut inside = false;
    let (own, other): (Vec<&str>, Vec<&str>) = before.lines().map(str::trim).partition(|line| {
        if line.starts_with('[') {
            inside = mentions_tables(line);
        }
        inside
    });
    let mut is_below = false;
    for line in lines {
        let text = line.trim_start_matches("@@").get(1..).unwrap_or_default().trim();
        if text.starts_with('[') {
            is_below = mentions_tables(text);
        }
        let is_removed = line.starts_with('-');
        if (is_removed || line.starts_with('+'))
            && !text.is_empty()
            && (is_below
                || mentions_tables(text)
                || is_removed && own.contains(&text) && !other.contains(&text))
        {
            return true;
        }
    }
    false
}

fn is_installed(agent: &dyn HookAgent, text: &str) -> bool {
    installed_command(agent, text).is_some()
}

/// Returns whether a change of a settings file removes or changes a hook of Loopbreak.
fn removes_hooks(agent: &dyn HookAgent, before: &str, change: &EditedContent) -> bool {
    if !is_installed(agent, before) {
        return false;
    }
    if agent.plugin().is_some() {
        return true;
    }
    match change {
        EditedContent::Lines(lines) => {
            lines.iter().any(|line| line.starts_with('-') && line.contains("loopbreak"))
        }
        change => match change.apply(before) {
            Some(after) => {
                let mut left = hook_commands(agent, &after);
                !hook_commands(agent, before).iter().all(|command| {
                    left.iter().position(|known| known == command).map(|at| left.swap_remove(at)).is_some()
                })
            }
            None => change.text().contains("loopbreak"),
        },
    }
}

/// Lists the commands of all hooks of Loopbreak in settings.
fn hook_commands(agent: &dyn HookAgent, text: &str) -> Vec<String> {
    fn collect(agent: &dyn HookAgent, value: &Value, commands: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                if is_loopbreak_hook(agent, value) {
                    commands.extend(object["command"].as_str().map(str::to_owned));
                }
                object.values().for_each(|value| collect(agent, value, commands));
            }
            Value::Array(items) => items.iter().for_each(|value| collect(agent, value, commands)),
            _ => {}
        }
    }
    let mut commands = Vec::new();
    if let Ok(settings) = serde_json::from_str(text) {
        collect(agent, &settings, &mut commands);
    }
    commands
}

#[cfg(test)]
impl OwnFiles<'_> {
    /// Returns whether a call of a tool is refused.
    pub(super) fn refuses(&self, folder: &Path, tool: &str, args: &Value) -> bool {
        let action = Action::new(tool).with_args(args);
        self.objection(folder, &action).is_some()
    }
}
