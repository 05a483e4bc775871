//! The surroundings of a hook.

use std::path::{Path, PathBuf};

use loopbreak::Settings;

use crate::hook_budget::HookLimit;

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
    /// Loads the settings that apply in a folder.
    pub load_settings: &'e dyn Fn(&Path) -> Result<Settings, String>,
    /// Receives messages for people.
    pub warn: &'e dyn Fn(&str),
}
