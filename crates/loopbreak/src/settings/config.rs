//! Settings that were checked.

use std::ops::Deref;
use std::sync::Arc;

use super::{Profile, Settings, SettingsProblems};
use crate::fingerprint::VocabularyTables;

/// Settings that were checked. A config that exists is valid.
#[derive(Clone, Debug)]
pub struct Config(Arc<PreparedSettings>);

/// Settings, and the tables that are built from them once.
#[derive(Debug)]
struct PreparedSettings {
    settings: Settings,
    tables: VocabularyTables,
}

impl Config {
    /// Checks settings.
    pub fn new(settings: Settings) -> Result<Self, SettingsProblems> {
        let problems = settings.problems();
        if problems.is_empty() { Ok(Config::checked(settings)) } else { Err(SettingsProblems(problems)) }
    }

    fn checked(settings: Settings) -> Self {
        let tables = VocabularyTables::from(&settings);
        Config(Arc::new(PreparedSettings { settings, tables }))
    }

    /// Returns the tables that explain actions and replies.
    pub(crate) fn tables(&self) -> &VocabularyTables {
        &self.0.tables
    }
}

impl From<Profile> for Config {
    /// Returns the defaults of a profile.
    fn from(profile: Profile) -> Self {
        Config::checked(Settings::from(profile))
    }
}

impl Default for Config {
    fn default() -> Self {
        Config::from(Profile::default())
    }
}

impl Deref for Config {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.0.settings
    }
}
