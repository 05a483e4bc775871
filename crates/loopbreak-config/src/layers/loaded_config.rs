//! A loaded configuration.

use std::collections::BTreeMap;

use loopbreak::{Config, Profile};
use toml::{Table, Value};

use crate::options::options;
use crate::settings_tree;
use crate::source::{ConfigSource, ValueOrigin};
use crate::trust::IgnoredOption;

/// A checked configuration with the origin of every value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedConfig {
    /// The configuration.
    pub config: Config,
    /// The configuration file, if there was one.
    pub source: Option<ConfigSource>,
    /// The user's own configuration file, if there was one.
    pub user_source: Option<ConfigSource>,
    /// Options of an untrusted file that were not applied.
    pub ignored: Vec<IgnoredOption>,
    pub(crate) profile: Profile,
    pub(crate) table: Table,
    pub(super) origins: BTreeMap<String, ValueOrigin>,
}

/// The effective value of an option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EffectiveOption {
    /// Path of the option.
    pub path: String,
    /// The value.
    pub value: Value,
    /// Origin of the value.
    pub origin: ValueOrigin,
    /// True if the value equals the default of the profile.
    pub default: bool,
}

impl LoadedConfig {
    /// Returns every option with its value, in the order of declaration.
    pub fn effective_options(&self) -> Vec<EffectiveOption> {
        let defaults = settings_tree::defaults(self.profile);
        let mut effective = Vec::new();
        for option in options() {
            let value = settings_tree::get(&self.table, &option.path);
            let texts = value.and_then(Value::as_table).filter(|texts| !texts.is_empty());
            let parts = texts.map(|texts| {
                texts.iter().map(|(name, text)| (format!("{}.{name}", option.path), text)).collect::<Vec<_>>()
            });
            for (path, value) in
                parts.unwrap_or_else(|| value.map(|value| (option.path.clone(), value)).into_iter().collect())
            {
                let default = match path.as_str() {
                    "profile" => self.profile == Profile::default(),
                    path => settings_tree::get(&defaults, path) == Some(value),
                };
                let origin = self.origin(&path);
                effective.push(EffectiveOption { origin, value: value.clone(), default, path });
            }
        }
        effective
    }

    /// Returns the origin of an option's value.
    pub fn origin(&self, path: &str) -> ValueOrigin {
        self.origins.get(path).cloned().unwrap_or(ValueOrigin::Profile(self.profile))
    }
}
