//! Installs hooks into the settings of an agent, and removes them.

mod hook_entries;
mod json_edit;
mod line_diff;
mod settings_file;

pub use hook_entries::installed;
pub use settings_file::{
    InstallError, SettingsChange, SettingsScope, hook_command, install_hint, settings_file,
};
