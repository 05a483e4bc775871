//! Plugins of agents that call Loopbreak.

/// A plugin or extension that an agent has installed by itself, and that calls Loopbreak.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledPlugin {
    /// The place where it was found.
    pub place: String,
    /// The command that removes it.
    pub removal: String,
}

impl InstalledPlugin {
    /// Creates a plugin from the place where it was found and the command that removes it.
    pub fn new(place: impl Into<String>, removal: impl Into<String>) -> Self {
        InstalledPlugin { place: place.into(), removal: removal.into() }
    }
}
