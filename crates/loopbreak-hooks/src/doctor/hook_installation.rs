//! Hooks of Loopbreak in a settings file.

use std::io::ErrorKind;
use std::path::PathBuf;

use serde_json::Value;

use crate::bounded_file::read_bounded;
use crate::hook_agent::HookAgent;
use crate::install::{InstalledEntry, SettingsScope, installed_command, with_hooks};

/// The hooks of Loopbreak in the settings file of a project or of the user.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookInstallation {
    /// The scope.
    pub scope: SettingsScope,
    /// The settings file.
    pub file: PathBuf,
    /// The command of the first hook.
    pub command: String,
    pub(crate) entries: Vec<InstalledEntry>,
    text: String,
}

impl HookInstallation {
    /// Looks for the hooks of an agent. An error says why a settings file cannot be checked.
    pub fn find(agent: &dyn HookAgent, scope: SettingsScope) -> Result<Option<Self>, String> {
        let Ok(file) = agent.settings_location().path(scope) else { return Ok(None) };
        let failed = |reason: String| format!("cannot check {}: {reason}", file.display());
        let text = match read_bounded(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error.to_string())),
        };
        let is_json = file.extension().is_some_and(|ending| ending == "json");
        if is_json && !text.trim().is_empty() {
            serde_json::from_str::<Value>(&text)
                .map_err(|error| failed(format!("it is not valid JSON: {error}")))?;
        }
        let Some(command) = installed_command(agent, &text) else { return Ok(None) };
        let entries = InstalledEntry::list(agent, &text);
        Ok(Some(HookInstallation { scope, file, command, entries, text }))
    }

    /// Lists the events that this version installs and the file does not have.
    pub(crate) fn missing_events(&self, agent: &dyn HookAgent) -> Vec<&'static str> {
        let names = agent.events().iter().map(|(event, _)| *event);
        names.filter(|event| !self.entries.iter().any(|entry| entry.event == *event)).collect()
    }

    /// Returns whether this version would write the same file. Plugins are files of their own, which nobody else changes.
    pub(crate) fn is_rewritten_alike(&self, agent: &dyn HookAgent) -> bool {
        with_hooks(agent, &self.text, &self.command).is_ok_and(|text| text == self.text)
    }

    /// Returns the scope as an option of the command line.
    pub fn scope_option(&self) -> &'static str {
        match self.scope {
            SettingsScope::User => " --user",
            SettingsScope::Project => "",
        }
    }
}
