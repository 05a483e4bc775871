//! The part of an untrusted file that is applied.

use std::collections::BTreeMap;

use loopbreak::Profile;
use loopbreak::settings::TaskPreset;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::IgnoredOption;
use super::project_rule::ProjectRule;
use crate::layers::{LoadedConfig, is_preset_limit};
use crate::options::{find_option, options};
use crate::problem::ConfigError;
use crate::read::{ConfigFile, OptionEntry};
use crate::reference::format_value;
use crate::settings_tree;
use crate::source::{ConfigSource, ValueOrigin};

/// Detectors that need places, which coding agents do not have. The profile `coding` switches them off, so nothing is said if
/// that is not applied.
const PLACE_DETECTORS: [&str; 4] = ["revisit.mode", "oscillation.mode", "camping.mode", "novelty.mode"];

/// Longest value that is shown, in characters.
const MAX_VALUE_CHARS: usize = 200;

/// The part of an untrusted file that is applied, and what is left out.
pub(crate) struct RestrictedFile {
    options: ConfigFile,
    ignored: Vec<IgnoredOption>,
}

impl RestrictedFile {
    /// Judges each option of a file by what applies without it.
    pub(crate) fn new(source: &ConfigSource, baseline: &LoadedConfig) -> Self {
        let file = ConfigFile::read(source);
        let mut restricted = RestrictedFile { options: ConfigFile::default(), ignored: Vec::new() };
        for problem in file.legacy.problems.iter().chain(&file.own.problems) {
            let origin = problem.labels.first().map(|label| label.origin.clone());
            restricted.ignore(&problem.message, None, &problem.hint, origin);
        }
        if file.incomplete {
            return restricted;
        }
        // The last entry of an option counts, as it does in the file.
        let entries = file.legacy.entries.iter().chain(&file.own.entries);
        let entries: BTreeMap<&str, &OptionEntry> =
            entries.map(|entry| (entry.path.as_str(), entry)).collect();
        restricted.add_profile(&file, &entries, baseline);
        restricted.add_preset(&entries, baseline);
        for entry in entries.values().filter(|entry| !["profile", "task.preset"].contains(&&*entry.path)) {
            match judge(entry, baseline) {
                Ok(kept) => restricted.options.own.entries.push(kept),
                Err(reason) => {
                    restricted.ignore(&entry.path, Some(&entry.value), &reason, Some(entry.origin.clone()));
                }
            }
        }
        restricted
    }

    /// Returns the options that are applied.
    pub(crate) fn options(&self) -> &ConfigFile {
        &self.options
    }

    /// Leaves out the options that do not fit the others. Returns false if nothing is left to leave out.
    pub(crate) fn leave_out(&mut self, error: &ConfigError) -> bool {
        let paths = error.problems.iter().filter_map(|problem| problem.option.as_deref());
        let tables: Vec<&str> = paths.map(table_of).collect();
        let (out, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.options.own.entries)
            .into_iter()
            .partition(|entry| tables.is_empty() || tables.contains(&table_of(&entry.path)));
        // Nothing of the named tables is from this file: all of it is left out, so that this ends.
        let (out, kept) = if out.is_empty() { (kept, Vec::new()) } else { (out, kept) };
        self.options.own.entries = kept;
        for entry in &out {
            let reason = "it does not fit the other values";
            self.ignore(&entry.path, Some(&entry.value), reason, Some(entry.origin.clone()));
        }
        !out.is_empty()
    }

    /// Returns what is left out.
    pub(crate) fn into_ignored(mut self) -> Vec<IgnoredOption> {
        self.ignored
            .sort_by_key(|ignored| ignored.origin.location().map_or(0, |location| location.span.start));
        self.ignored.dedup_by(|one, other| one.option == other.option);
        self.ignored
    }

    fn ignore(&mut self, option: &str, value: Option<&Value>, reason: &str, origin: Option<ValueOrigin>) {
        let origin = origin.unwrap_or(ValueOrigin::Profile(Profile::default()));
        let value = value.map(|value| format_value(value, MAX_VALUE_CHARS));
        let (option, reason) = (option.to_owned(), reason.to_owned());
        self.ignored.push(IgnoredOption { option, value, reason, origin });
    }

    /// Applies the defaults of a profile that are not looser, except where the user or the file has set an option.
    fn add_profile(
        &mut self,
        file: &ConfigFile,
        entries: &BTreeMap<&str, &OptionEntry>,
        baseline: &LoadedConfig,
    ) {
        let named = entries.get("profile");
        let profile = named.and_then(|entry| Profile::deserialize(entry.value.clone()).ok());
        let (profile, origin) = match (profile, named, &file.legacy_table) {
            (Some(profile), Some(entry), _) => (profile, entry.origin.clone()),
            (_, _, Some(origin)) => (Profile::Documents, origin.clone()),
            _ => return,
        };
        if baseline.origin("profile").rank() > origin.rank() {
            return;
        }
        let (old, new) = (settings_tree::defaults(baseline.profile), settings_tree::defaults(profile));
        let mut is_looser = false;
        for option in options().iter().filter(|option| option.path != "profile") {
            let path = option.path.as_str();
            let (before, after) = (settings_tree::get(&old, path), settings_tree::get(&new, path));
            let Some(value) = after.filter(|_| before != after) else { continue };
            if entries.contains_key(path) || baseline.origin(path).is_set() {
                continue;
            }
            match judge(&entry(path, value, &origin), baseline) {
                Ok(kept) => self.options.own.entries.push(kept),
                Err(_) => is_looser |= !PLACE_DETECTORS.contains(&path),
            }
        }
        if is_looser {
            let reason = "those of its defaults that would loosen the guard are not used";
            self.ignore("profile", Some(&profile.as_str().into()), reason, Some(origin));
        }
    }

    /// Applies the limits of a preset for tasks that are not looser.
    fn add_preset(&mut self, entries: &BTreeMap<&str, &OptionEntry>, baseline: &LoadedConfig) {
        let Some(named) = entries.get("task.preset") else { return };
        let preset = TaskPreset::deserialize(named.value.clone()).ok();
        let limits = preset.and_then(|preset| Table::try_from(preset.settings()).ok()).unwrap_or_default();
        let mut is_looser = false;
        for (key, value) in limits.iter().filter(|(key, _)| is_preset_limit(key)) {
            let path = format!("task.{key}");
            if entries.contains_key(path.as_str()) || baseline.origin(&path).is_set() {
                continue;
            }
            match judge(&entry(&path, value, &named.origin), baseline) {
                Ok(kept) => self.options.own.entries.push(kept),
                Err(_) => is_looser = true,
            }
        }
        if is_looser {
            let reason = "those of its limits that would loosen the guard are not used";
            self.ignore("task.preset", Some(&named.value), reason, Some(named.origin.clone()));
        }
    }
}

fn entry(path: &str, value: &Value, origin: &ValueOrigin) -> OptionEntry {
    let (path, value, origin) = (path.to_owned(), value.clone(), origin.clone());
    OptionEntry { path, value, origin, items: Vec::new() }
}

/// Returns the entry to apply, or the reason why it is left out.
fn judge(entry: &OptionEntry, baseline: &LoadedConfig) -> Result<OptionEntry, String> {
    // A text of `advice.texts` is not an option of its own.
    let rule = find_option(&entry.path).map_or(ProjectRule::UserOnly, ProjectRule::from_option);
    let without = settings_tree::get(&baseline.table, &entry.path);
    let value = rule.judge(&entry.value, without, baseline.origin(&entry.path).is_set())?;
    Ok(OptionEntry { value, ..entry.clone() })
}

fn table_of(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}
