//! Installs hooks into the settings files of agents, and removes them.

mod hook_entries;
mod json_edit;
mod line_diff;
mod settings_file;
mod settings_location;

pub use hook_entries::installed_command;
pub use settings_file::{InstallError, SettingsChange, hook_command};
pub use settings_location::{SettingsLocation, SettingsScope};
