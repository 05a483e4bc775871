//! The facts that checks look at.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::Mode;
use serde_json::Value;

use super::hook_installation::HookInstallation;
use super::installed_plugin::InstalledPlugin;
use crate::bounded_file::read_bounded;
use crate::hook_agent::HookAgent;
use crate::hook_environment::HookSettings;
use crate::install::SettingsScope;

/// The agent that is checked, its installations, and the guard that applies.
#[derive(Debug)]
pub struct DoctorContext<'d> {
    /// The agent.
    pub agent: &'d dyn HookAgent,
    /// The scope that the user asked about, or both.
    pub scope: Option<SettingsScope>,
    /// The hooks in settings files, those of the project first.
    pub installations: Vec<HookInstallation>,
    /// The reasons why settings files cannot be checked.
    pub faults: Vec<String>,
    /// The mode that the configuration sets, or why it cannot be loaded.
    pub mode: Result<Mode, String>,
    /// The notice about the configuration that the user gets in each session.
    pub notice: Option<String>,
    /// The environment switches the guard off.
    pub is_disabled: bool,
    pub(crate) project: PathBuf,
}

impl<'d> DoctorContext<'d> {
    /// Looks for the installations of an agent. `settings` are those of the current folder.
    pub fn new(
        agent: &'d dyn HookAgent,
        scope: Option<SettingsScope>,
        settings: Result<HookSettings, String>,
    ) -> Self {
        let (mut installations, mut faults): (Vec<HookInstallation>, _) = (Vec::new(), Vec::new());
        for candidate in [SettingsScope::Project, SettingsScope::User] {
            match HookInstallation::find(agent, candidate) {
                Ok(Some(found)) => {
                    let place = fs::canonicalize(&found.file).ok();
                    // In the home folder, both scopes have the same file.
                    if !installations.iter().any(|other| fs::canonicalize(&other.file).ok() == place) {
                        installations.push(found);
                    }
                }
                Ok(None) => {}
                Err(fault) => faults.push(fault),
            }
        }
        let project = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
        let is_disabled = std::env::var_os("LOOPBREAK").is_some_and(|mode| mode == "off");
        let notice = settings.as_ref().ok().and_then(|settings| settings.notice.clone());
        let mode = settings.map(|settings| settings.settings.mode);
        DoctorContext { agent, scope, installations, faults, mode, notice, is_disabled, project }
    }

    /// Returns the installation that the user asked about. Without a scope, that of the project comes first.
    pub fn tested(&self) -> Option<&HookInstallation> {
        self.installations.iter().find(|found| self.scope.is_none_or(|scope| found.scope == scope))
    }

    /// Lists the plugins of the agent that call Loopbreak.
    pub fn plugins(&self) -> Vec<InstalledPlugin> {
        self.agent.installed_plugins(self)
    }

    /// Returns whether the hook is installed in the scope that the user asked about, or as a plugin.
    pub fn is_installed(&self) -> bool {
        self.tested().is_some() || self.scope != Some(SettingsScope::Project) && !self.plugins().is_empty()
    }

    /// Returns a file in the user's folder of the agent.
    pub(crate) fn user_file(&self, name: &str) -> Option<PathBuf> {
        Some(self.agent.settings_location().user_folder()?.join(name))
    }

    /// Returns the folder of the project and all folders above it.
    pub(crate) fn project_folders(&self) -> impl Iterator<Item = &Path> {
        self.project.ancestors()
    }

    /// Returns whether hooks are installed for the project, as far as the user asked about it.
    pub(crate) fn has_project_hooks(&self) -> bool {
        self.tested().is_some_and(|found| found.scope == SettingsScope::Project)
    }
}

/// Parses a JSON file. `None` if it is missing, too long, or not plain JSON.
pub(crate) fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_str(&read_bounded(path).ok()?).ok()
}

/// Returns a variable of the environment.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
