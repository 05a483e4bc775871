//! Merges the layers: profile, task preset, the user's file, the file of the project (of each, the legacy table first),
//! environment, flags.

use std::collections::BTreeMap;

use loopbreak::settings::TaskPreset;
use loopbreak::{Profile, Settings};
use serde::Deserialize as _;
use toml::{Table, Value};

use super::ConfigLayers;
use crate::options::check_value;
use crate::problem::{ConfigProblem, ProblemLabel, locate_problems};
use crate::read::{ConfigFile, LayerReading, OptionEntry, read_environment, read_flags};
use crate::settings_tree;
use crate::source::{ConfigSource, ValueOrigin};

const WARN_AT: &str = "stagnation.warn_at";
/// The lowest value of this option.
const LOWEST_WARN_AT: i64 = 5;

/// Returns whether a preset for tasks sets an option. Cycles of tasks are no part of a preset, so that the profile decides about
/// them.
pub(crate) fn is_preset_limit(key: &str) -> bool {
    !["mode", "preset", "cycle_tasks", "cycle_rounds"].contains(&key)
}

/// The state of a merge. Remembers the origin of each value.
pub(crate) struct LayerMerge<'s> {
    /// The file of the project, and that of the user.
    sources: [Option<&'s ConfigSource>; 2],
    /// Options that are set, the lowest layer first.
    entries: Vec<OptionEntry>,
    pub(crate) origins: BTreeMap<String, ValueOrigin>,
    pub(crate) problems: Vec<ConfigProblem>,
    /// Options whose value has the wrong type.
    pub(crate) invalid: Vec<String>,
}

impl<'s> LayerMerge<'s> {
    pub(crate) fn new(sources: [Option<&'s ConfigSource>; 2]) -> Self {
        LayerMerge {
            sources,
            entries: Vec::new(),
            origins: BTreeMap::new(),
            problems: Vec::new(),
            invalid: Vec::new(),
        }
    }

    /// Reads all layers and returns the profile whose defaults they override.
    pub(crate) fn add_layers(
        &mut self,
        user: &ConfigFile,
        file: &ConfigFile,
        layers: &ConfigLayers,
    ) -> Profile {
        let variables = read_environment(&layers.variables);
        let flags = read_flags(layers.profile.as_deref(), &layers.assignments);
        for reading in [&user.legacy, &user.own, &file.legacy, &file.own] {
            self.report_duplicates(reading);
        }
        for reading in [&user.legacy, &user.own, &file.legacy, &file.own, &variables, &flags] {
            self.entries.extend(reading.entries.iter().cloned());
            self.problems.extend(reading.problems.iter().cloned());
            self.invalid.extend(reading.invalid.iter().cloned());
        }
        let no_table = None;
        for (reading, legacy_table) in [
            (&flags, &no_table),
            (&variables, &no_table),
            (&file.own, &file.legacy_table),
            (&user.own, &user.legacy_table),
        ] {
            let named = reading.entries.iter().rev().find(|entry| entry.path == "profile");
            if let Some(profile) = named.and_then(|entry| Profile::deserialize(entry.value.clone()).ok()) {
                return profile;
            }
            if let Some(origin) = legacy_table {
                self.origins.insert("profile".into(), origin.clone());
                self.entries.retain(|entry| entry.path != "profile");
                return Profile::Documents;
            }
        }
        Profile::default()
    }

    /// Reports an option that one table sets to different values under two names.
    fn report_duplicates(&mut self, reading: &LayerReading) {
        let mut seen: BTreeMap<&str, &OptionEntry> = BTreeMap::new();
        for entry in &reading.entries {
            let Some(first) = seen.insert(&entry.path, entry) else { continue };
            if first.value != entry.value {
                let mut problem = ConfigProblem::new(
                    format!("{} is set twice, to {} and to {}", entry.path, first.value, entry.value),
                    "both keys are names of the same option: remove one of them",
                    first.origin.clone(),
                );
                problem.labels.push(ProblemLabel { origin: entry.origin.clone(), text: "and here".into() });
                self.problems.push(problem.with_option(&entry.path));
                self.invalid.push(entry.path.clone());
            }
        }
    }

    /// Applies the layers to the defaults of the profile.
    pub(crate) fn apply(&mut self, profile: Profile) -> (Table, Option<Settings>) {
        let mut table = settings_tree::defaults(profile);
        let preset = self.entries.iter().rev().find(|entry| entry.path == "task.preset");
        if let Some(preset) = preset.and_then(|entry| TaskPreset::deserialize(entry.value.clone()).ok())
            && let Ok(limits) = Table::try_from(preset.settings())
        {
            let name = limits.get("preset").and_then(Value::as_str).unwrap_or_default().to_owned();
            for (key, value) in limits.into_iter().filter(|(key, _)| is_preset_limit(key)) {
                let path = format!("task.{key}");
                settings_tree::set(&mut table, &path, value);
                self.origins.insert(path, ValueOrigin::Preset(name.clone()));
            }
        }
        for entry in &self.entries {
            settings_tree::set(&mut table, &entry.path, entry.value.clone());
            self.origins.insert(entry.path.clone(), entry.origin.clone());
        }
        if let Some((warn_at, origin)) = self.adapted_warning(&table) {
            settings_tree::set(&mut table, WARN_AT, warn_at.into());
            self.origins.insert(WARN_AT.into(), origin);
        }
        settings_tree::set(&mut table, "profile", profile.as_str().into());
        let settings = table.clone().try_into::<Settings>();
        if let Err(error) = &settings {
            // Not reached as long as `OptionType` accepts the same values as the settings; reported in any case.
            let culprit = self.entries.iter().find(|entry| check_value(&entry.path, &entry.value).is_err());
            let origin = culprit.map_or(ValueOrigin::Profile(profile), |entry| entry.origin.clone());
            let name = culprit.map_or("settings", |entry| &entry.path);
            self.problems.push(ConfigProblem::new(
                format!("{name}: {}", error.message()),
                "see `loopbreak config explain` for valid values",
                origin,
            ));
        }
        (table, settings.ok())
    }

    /// Returns the threshold of warnings if the legacy table sets a limit that the default threshold does not fit, and
    /// nothing sets the threshold: half the limit, as in the defaults. One of the documents has no such threshold, so
    /// its tables must not fail because of it.
    fn adapted_warning(&self, table: &Table) -> Option<(i64, ValueOrigin)> {
        if self.entries.iter().any(|entry| entry.path == WARN_AT) {
            return None;
        }
        let limit = self.entries.iter().rev().find(|entry| entry.path == "stagnation.max_turns")?;
        limit.origin.legacy_key()?;
        let max_turns = limit.value.as_integer()?;
        let default = settings_tree::get(table, WARN_AT)?.as_integer()?;
        let warn_at = (max_turns / 2).max(LOWEST_WARN_AT);
        (max_turns <= default && warn_at < max_turns).then(|| (warn_at, limit.origin.clone()))
    }

    /// Checks the settings as a whole.
    pub(crate) fn check(&mut self, settings: &Settings, table: &Table, incomplete: bool) {
        let found = locate_problems(settings, table, self, incomplete);
        self.problems.extend(found);
    }

    /// Returns where an option was set. For a path such as `allow[2]`, returns where the item of the list is.
    pub(crate) fn origin(&self, path: &str, profile: Profile) -> ValueOrigin {
        let (list, index) = match path.split_once('[') {
            Some((list, rest)) => {
                (list, rest.split(']').next().and_then(|index| index.parse::<usize>().ok()))
            }
            None => (path, None),
        };
        if let Some(index) = index
            && let Some(entry) = self.entries.iter().rev().find(|entry| entry.path == list)
            && let (ValueOrigin::File(location), Some(span)) = (&entry.origin, entry.items.get(index))
            && let Some(source) =
                self.sources.into_iter().flatten().find(|source| *source.name == *location.file)
        {
            return ValueOrigin::File(source.location(span.clone()));
        }
        self.origins.get(list).cloned().unwrap_or(ValueOrigin::Profile(profile))
    }
}
