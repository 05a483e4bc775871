//! The guard that applies in the current folder.

use std::path::Path;

use loopbreak::Settings;
use loopbreak_config::GuardedConfig;
use serde_json::{Value, json};

use crate::args::ConfigOptions;
use crate::config_loading;
use crate::output::printable;

/// The guard that applies in the current folder.
pub(super) struct FolderGuard {
    /// `LOOPBREAK=off` is set, which hooks that are started from here have too.
    is_disabled: bool,
    config: Result<GuardedConfig, String>,
}

impl FolderGuard {
    /// Loads the configuration as a hook in the current folder does.
    pub(super) fn load() -> Self {
        let is_disabled = std::env::var_os("LOOPBREAK").is_some_and(|mode| mode == "off");
        let config = config_loading::load_guarded(&ConfigOptions::default(), Path::new("."));
        FolderGuard { is_disabled, config: config.map_err(|error| error.to_string()) }
    }

    /// Returns the settings, if they are valid.
    pub(super) fn settings(&self) -> Option<&Settings> {
        self.config.as_ref().ok().map(|config| &config.settings)
    }

    /// Renders what the user should know. Empty if the guard is on and uses all its files.
    pub(super) fn render(&self) -> String {
        let switch =
            if self.is_disabled { "Loopbreak: the guard is off: LOOPBREAK=off is set\n" } else { "" };
        let text = match &self.config {
            Ok(config) => config.render(),
            Err(error) => format!("Loopbreak: the guard is off: {}\n", printable(error)),
        };
        if switch.is_empty() && text.is_empty() { text } else { format!("{switch}{text}\n") }
    }

    /// Returns the state as JSON.
    pub(super) fn to_json(&self) -> Value {
        let mut state = match &self.config {
            Ok(config) => config.to_json(),
            Err(error) => json!({"mode": "off", "error": error}),
        };
        state["disabled"] = self.is_disabled.into();
        state
    }
}
