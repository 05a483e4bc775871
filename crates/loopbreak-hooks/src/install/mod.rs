//! Installs hooks into the settings files of agents, and removes them.

mod agent_choice;
mod found_agent;
mod hook_entries;
mod install_error;
mod installed_entry;
mod json_edit;
mod json_node;
mod line_diff;
mod plugin_file;
mod program_search;
mod settings_change;
mod settings_form;
mod settings_location;
mod settings_target;

pub use agent_choice::{AgentChoice, AgentChoiceError, find_named_agent};
pub use found_agent::FoundAgent;
pub use hook_entries::installed_command;
pub(crate) use hook_entries::{is_loopbreak_hook, with_hooks};
pub use install_error::InstallError;
pub(crate) use installed_entry::InstalledEntry;
pub use program_search::find_program;
pub(crate) use program_search::{is_executable, program_on_path};
pub use settings_change::{SettingsChange, hook_command};
pub use settings_form::SettingsForm;
pub use settings_location::{SettingsLocation, SettingsScope};
