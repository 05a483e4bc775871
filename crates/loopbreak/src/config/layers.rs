//! Lays the layers over each other: profile, task preset, the documents' table, our table, environment, flags. Each
//! value remembers where it came from.

use std::collections::BTreeMap;

use serde::Deserialize as _;
use toml::{Table, Value};

use super::environment;
use super::file::File;
use super::flags;
use super::kind::probe;
use super::locate::locate;
use super::located::{ConfigError, Located, Mark};
use super::options::options;
use super::origin::{Origin, Positions, Source};
use super::walk::{Entry, Reading};
use super::{Config, Profile, Settings, tree};
use crate::detect::task::TaskPreset;

/// Everything that settings can come from. Nothing is read here: whoever calls gives the texts.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    source: Option<Source>,
    variables: Vec<(String, String)>,
    profile: Option<String>,
    assignments: Vec<String>,
}

impl Layers {
    /// The text of a configuration file.
    #[must_use]
    pub fn file(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    /// Environment variables; those that are not ours are left alone.
    #[must_use]
    pub fn environment<N: Into<String>, V: Into<String>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.variables.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// The profile to start from, whatever the file and the environment say: `--profile NAME`.
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// One option: `--set key=value`. The last one for an option holds.
    #[must_use]
    pub fn set(mut self, assignment: impl Into<String>) -> Self {
        self.assignments.push(assignment.into());
        self
    }

    /// The settings that come out, or everything that is wrong.
    pub fn load(&self) -> Result<Loaded, ConfigError> {
        let file = self.source.as_ref().map(File::read).unwrap_or_default();
        let mut merge = Merge { source: self.source.as_ref(), ..Merge::default() };
        let profile = merge.profile(&file, self);
        let (table, settings) = merge.settings(profile);
        if let Some(settings) = settings {
            merge.check(&settings, &table, file.broken);
            if merge.problems.is_empty() {
                match Config::new(settings) {
                    Ok(config) => return Ok(Loaded { config, profile, table, origins: merge.origins }),
                    // Not reached: whatever the check finds, it tells.
                    Err(problems) => merge.problems.extend(problems.0.into_iter().map(|problem| {
                        Located::new(problem.message, problem.hint, Origin::Profile(profile))
                            .about(&problem.path)
                    })),
                }
            }
        }
        Err(ConfigError::of(merge.problems))
    }
}

/// Settings, and where each of them came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    profile: Profile,
    table: Table,
    origins: BTreeMap<String, Origin>,
}

/// An option's value that holds, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// The option.
    pub path: String,
    /// Its value.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
    /// Whether it is what the profile sets.
    pub default: bool,
}

impl Loaded {
    /// Every option with its value, in the order in which they are declared.
    pub fn values(&self) -> Vec<Effective> {
        let defaults = tree::defaults(self.profile);
        let mut values = Vec::new();
        for option in options() {
            let value = tree::get(&self.table, &option.path);
            let texts = value.and_then(Value::as_table).filter(|texts| !texts.is_empty());
            let parts = texts.map(|texts| {
                texts.iter().map(|(name, text)| (format!("{}.{name}", option.path), text)).collect::<Vec<_>>()
            });
            for (path, value) in
                parts.unwrap_or_else(|| value.map(|value| (option.path.clone(), value)).into_iter().collect())
            {
                let default = match path.as_str() {
                    "profile" => self.profile == Profile::default(),
                    path => tree::get(&defaults, path) == Some(value),
                };
                values.push(Effective { origin: self.origin(&path), value: value.clone(), default, path });
            }
        }
        values
    }

    /// Where the value of an option came from.
    pub fn origin(&self, path: &str) -> Origin {
        self.origins.get(path).cloned().unwrap_or(Origin::Profile(self.profile))
    }
}

/// The work of laying layers over each other.
#[derive(Default)]
pub(crate) struct Merge<'s> {
    source: Option<&'s Source>,
    /// What is set, the lowest layer first.
    entries: Vec<Entry>,
    pub(crate) origins: BTreeMap<String, Origin>,
    pub(crate) problems: Vec<Located>,
    pub(crate) spoilt: Vec<String>,
}

impl Merge<'_> {
    /// Takes all layers in, and says which profile they start from.
    fn profile(&mut self, file: &File, layers: &Layers) -> Profile {
        let (variables, flags) = (
            environment::read(&layers.variables),
            flags::read(layers.profile.as_deref(), &layers.assignments),
        );
        for reading in [&file.documents, &file.own] {
            self.twice(reading);
        }
        for reading in [&file.documents, &file.own, &variables, &flags] {
            self.entries.extend(reading.entries.iter().cloned());
            self.problems.extend(reading.problems.iter().cloned());
            self.spoilt.extend(reading.spoilt.iter().cloned());
        }
        let named = self.entries.iter().rev().find(|entry| entry.path == "profile");
        if let Some(profile) = named.and_then(|entry| Profile::deserialize(entry.value.clone()).ok()) {
            return profile;
        }
        if let Some(origin) = &file.documents_at {
            self.origins.insert("profile".into(), origin.clone());
            return Profile::Documents;
        }
        Profile::default()
    }

    /// One option under two names with two values: nobody knows which is meant.
    fn twice(&mut self, reading: &Reading) {
        let mut seen: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in &reading.entries {
            let Some(first) = seen.insert(&entry.path, entry) else { continue };
            if first.value != entry.value {
                let mut problem = Located::new(
                    format!("{} is set twice, to {} and to {}", entry.path, first.value, entry.value),
                    "the two keys are two names of one option: leave one of them out",
                    first.origin.clone(),
                );
                problem.marks.push(Mark { origin: entry.origin.clone(), label: "and here".into() });
                self.problems.push(problem.about(&entry.path));
                self.spoilt.push(entry.path.clone());
            }
        }
    }

    fn settings(&mut self, profile: Profile) -> (Table, Option<Settings>) {
        let mut table = tree::defaults(profile);
        let preset = self.entries.iter().rev().find(|entry| entry.path == "task.preset");
        if let Some(preset) = preset.and_then(|entry| TaskPreset::deserialize(entry.value.clone()).ok())
            && let Ok(limits) = Table::try_from(preset.settings())
        {
            let name = limits.get("preset").and_then(Value::as_str).unwrap_or_default().to_owned();
            for (key, value) in limits.into_iter().filter(|(key, _)| key != "mode" && key != "preset") {
                let path = format!("task.{key}");
                tree::set(&mut table, &path, value);
                self.origins.insert(path, Origin::Preset(name.clone()));
            }
        }
        for entry in &self.entries {
            tree::set(&mut table, &entry.path, entry.value.clone());
            self.origins.insert(entry.path.clone(), entry.origin.clone());
        }
        tree::set(&mut table, "profile", profile.as_str().into());
        let settings = table.clone().try_into::<Settings>();
        if let Err(error) = &settings {
            // Not reached as long as the kinds of values are told apart as the settings do; told all the same.
            let culprit = self.entries.iter().find(|entry| probe(&entry.path, &entry.value).is_err());
            let origin = culprit.map_or(Origin::Profile(profile), |entry| entry.origin.clone());
            let name = culprit.map_or("settings", |entry| &entry.path);
            let message = format!("{name}: {}", error.message());
            self.problems.push(Located::new(
                message,
                "`loopbreak config explain` tells what it takes",
                origin,
            ));
        }
        (table, settings.ok())
    }

    fn check(&mut self, settings: &Settings, table: &Table, broken: bool) {
        let found = locate(settings, table, self, broken);
        self.problems.extend(found);
    }

    /// Where an option was set; where an item of a list is, for a path such as `allow[2]`.
    pub(crate) fn origin(&self, path: &str, profile: Profile) -> Origin {
        let (list, index) = match path.split_once('[') {
            Some((list, rest)) => {
                (list, rest.split(']').next().and_then(|index| index.parse::<usize>().ok()))
            }
            None => (path, None),
        };
        if let (Some(index), Some(source)) = (index, self.source)
            && let Some(entry) = self.entries.iter().rev().find(|entry| entry.path == list)
            && let (Origin::File(_), Some(span)) = (&entry.origin, entry.items.get(index))
        {
            return Origin::File(Positions::of(source).spot(span.clone(), None));
        }
        self.origins.get(list).cloned().unwrap_or(Origin::Profile(profile))
    }
}
