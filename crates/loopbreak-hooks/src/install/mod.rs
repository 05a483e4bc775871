//! Installs hooks into the settings files of agents, and removes them.

mod hook_entries;
mod install_error;
mod json_edit;
mod json_node;
mod line_diff;
mod plugin_file;
mod settings_change;
mod settings_form;
mod settings_location;

pub use hook_entries::installed_command;
pub use install_error::InstallError;
pub use settings_change::{SettingsChange, hook_command};
pub use settings_form::SettingsForm;
pub use settings_location::{SettingsLocation, SettingsScope};
