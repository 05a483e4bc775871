//! The surroundings of a hook.

use std::path::{Path, PathBuf};

use loopbreak::Settings;
use loopbreak_client::ServerLink;
use loopbreak_process::AgentSearch;

use crate::hook_budget::HookLimit;

/// Connects to the service that settings and environment name. `None` if they name none. An error has the reason why it cannot be
/// asked.
pub type ServerConnector<'e> = &'e dyn Fn(&Settings) -> Result<Option<ServerLink>, String>;

/// The surroundings of a hook.
pub struct HookEnvironment<'e> {
    /// Path of the store; `None` if the user has no folder for it.
    pub store: Option<PathBuf>,
    /// True if the guard is switched off: the event is read, and nothing else happens.
    pub disabled: bool,
    /// Limit on the time of the hook. Recorded sessions are replayed without one.
    pub limit: Option<HookLimit>,
    /// Returns the time, in milliseconds since 1970. Recorded sessions are replayed with the times of their events.
    pub clock: &'e dyn Fn() -> i64,
    /// The user's own configuration file, whether it exists or not. The agent may not write to its folder.
    pub user_config: Option<PathBuf>,
    /// Loads the settings that apply in a folder.
    pub load_settings: &'e dyn Fn(&Path) -> Result<HookSettings, String>,
    /// Finds the process of the agent, which is stored with the session, so that it can be paused. Recorded sessions are replayed
    /// without one.
    pub find_agent: Option<AgentSearch>,
    /// The run of `loopbreak run` that has started the agent, if there is one. The cost that it reports contains that of the
    /// session.
    pub parent_run: Option<String>,
    /// Connects to the service. Recorded sessions are replayed without one.
    pub connect: Option<ServerConnector<'e>>,
    /// Receives messages for people.
    pub warn: &'e dyn Fn(&str),
}

/// The settings of a session.
#[derive(Clone, Debug, Default)]
pub struct HookSettings {
    /// The settings.
    pub settings: Settings,
    /// A notice for the user about them. It is said once per session, and again if it changes.
    pub notice: Option<String>,
}

impl From<Settings> for HookSettings {
    fn from(settings: Settings) -> Self {
        HookSettings { settings, notice: None }
    }
}
