//! Reads a table of options from a file, a variable or a flag: an entry for each option that is set, a
//! problem for every unknown key and every value of the wrong type.

use std::ops::Range;

use loopbreak::advice::TEMPLATES;
use loopbreak::settings::AlertKind;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::unknown_key::{ADVICE_TEXTS, describe_unknown_key};
use crate::legacy_key::{LEGACY_KEYS, LegacyKey, LegacyMeaning, alias, legacy_key};
use crate::nearest::did_you_mean;
use crate::options::{NumberRange, OptionChoice, OptionInfo, OptionType, find_option, not_a_table, tables};
use crate::problem::{ConfigError, ConfigProblem, quote};
use crate::settings_tree::{self, join_path, last_key};
use crate::source::ValueOrigin;

/// An option that is set.
#[derive(Clone, Debug)]
pub(crate) struct OptionEntry {
    /// Path of the option.
    pub(crate) path: String,
    pub(crate) value: toml::Value,
    pub(crate) origin: ValueOrigin,
    /// Bytes of each item, for a list.
    pub(crate) items: Vec<Range<usize>>,
}

/// The content of a layer.
#[derive(Debug, Default)]
pub(crate) struct LayerReading {
    pub(crate) entries: Vec<OptionEntry>,
    pub(crate) problems: Vec<ConfigProblem>,
    /// Options whose value has the wrong type. Problems of other options because of them are not reported.
    pub(crate) invalid: Vec<String>,
}

/// Converts bytes of a layer's text to an origin; takes the legacy key if one was used.
pub(crate) type OriginLookup<'l> = &'l dyn Fn(Range<usize>, Option<&'static str>) -> ValueOrigin;

/// Reads the tables of one layer.
pub(crate) struct TableReader<'r> {
    pub(crate) locate: OriginLookup<'r>,
    pub(crate) reading: &'r mut LayerReading,
}

impl TableReader<'_> {
    /// Reads a table of options; an empty path is the top level.
    pub(crate) fn read_table(&mut self, path: &str, table: &DeTable<'_>) {
        for (key, value) in keys_in_file_order(table) {
            if ConfigError::is_full(&self.reading.problems) {
                return;
            }
            self.read_key(path, key, value);
        }
    }

    /// Reads the top level of a file, except one key.
    pub(crate) fn read_top_level_except(&mut self, except: &str, table: &DeTable<'_>) {
        for (key, value) in keys_in_file_order(table) {
            if ConfigError::is_full(&self.reading.problems) {
                return;
            }
            if key.get_ref() != except {
                self.read_key("", key, value);
            }
        }
    }

    fn read_key(&mut self, table: &str, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) {
        let name = key.get_ref().as_ref();
        let path = match alias(table, name) {
            Some(option) => option.to_owned(),
            None => join_path(table, name),
        };
        if !self.read_value(&path, value) {
            let (message, hint) = describe_unknown_key(table, name);
            self.report(ConfigProblem::new(message, hint, (self.locate)(key.span(), None)));
        }
    }

    /// Reads the value of an option or a table. Returns `false` if neither exists.
    pub(crate) fn read_value(&mut self, path: &str, value: &Spanned<DeValue<'_>>) -> bool {
        if let Some(option) = find_option(path) {
            self.read_option(option, path, value, None);
        } else if let Some(text) = path.strip_prefix(ADVICE_TEXTS).filter(|name| is_template(name)) {
            let path = format!("{ADVICE_TEXTS}{text}");
            self.convert_value(&OptionType::String, &path, value, None);
        } else if !path.is_empty() && tables().iter().any(|table| table.path == path) {
            match value.get_ref() {
                DeValue::Table(table) => self.read_table(path, table),
                other => {
                    let origin = (self.locate)(value.span(), None);
                    let hint = format!("put its options under [{path}]");
                    self.report(ConfigProblem::new(format!("{path}: {}", not_a_table(other)), hint, origin));
                }
            }
        } else {
            return false;
        }
        true
    }

    fn read_option(
        &mut self,
        option: &OptionInfo,
        path: &str,
        value: &Spanned<DeValue<'_>>,
        key: Option<&'static LegacyKey>,
    ) {
        match (&option.option_type, value.get_ref()) {
            (OptionType::StringTable, DeValue::Table(texts)) => self.read_table(path, texts),
            (OptionType::NumberTables(keys), DeValue::Table(tables)) => {
                self.read_number_tables(path, keys, tables);
            }
            (OptionType::TableList(keys), DeValue::Array(items)) => {
                self.read_table_list(path, keys, items, value);
            }
            (option_type, _) => self.convert_value(option_type, path, value, key),
        }
    }

    /// Reads tables with free names, such as `[prices."gpt-4.1"]`. Each number is an entry of its own, so that layers add to each
    /// other.
    fn read_number_tables(&mut self, path: &str, keys: &[OptionChoice], tables: &DeTable<'_>) {
        for (name, value) in keys_in_file_order(tables) {
            if ConfigError::is_full(&self.reading.problems) {
                return;
            }
            let table = join_path(path, name.get_ref());
            let DeValue::Table(numbers) = value.get_ref() else {
                let message = format!("{table}: {}", not_a_table(value.get_ref()));
                let hint = format!("put its prices under [{table}]");
                let origin = (self.locate)(value.span(), None);
                self.report(ConfigProblem::new(message, hint, origin).with_option(path));
                continue;
            };
            for (key, value) in keys_in_file_order(numbers) {
                let name: &str = key.get_ref();
                if keys.iter().any(|known| known.name == name) {
                    let number = OptionType::Number(NumberRange { min: Some(0.0), ..NumberRange::default() });
                    self.convert_value(&number, &join_path(&table, name), value, None);
                    continue;
                }
                let names: Vec<&str> = keys.iter().map(|known| known.name.as_str()).collect();
                let hint = did_you_mean(name, names.iter().copied())
                    .unwrap_or_else(|| format!("valid keys here: {}", names.join(", ")));
                let message = format!("unknown key {} in [{table}]", quote(name));
                let origin = (self.locate)(key.span(), None);
                self.report(ConfigProblem::new(message, hint, origin).with_option(path));
            }
        }
    }

    fn convert_value(
        &mut self,
        option_type: &OptionType,
        path: &str,
        value: &Spanned<DeValue<'_>>,
        key: Option<&'static LegacyKey>,
    ) {
        let origin = (self.locate)(value.span(), key.map(|key| key.name));
        match option_type.convert(path, value.get_ref()) {
            Ok(value) => {
                let path = path.to_owned();
                self.reading.entries.push(OptionEntry { path, value, origin, items: Vec::new() });
            }
            Err(mismatch) => {
                // The example in a hint has the key of the option; the user wrote the legacy key.
                let own = last_key(path);
                let hint = key.map_or(mismatch.hint.clone(), |key| {
                    mismatch.hint.replace(&format!("example: {own} ="), &format!("example: {} =", key.name))
                });
                let name = key.map_or(path, |key| key.name);
                self.reading.invalid.push(path.to_owned());
                let message = format!("{name}: {}", mismatch.message);
                self.report(ConfigProblem::new(message, hint, origin).with_option(path));
            }
        }
    }

    fn read_table_list(
        &mut self,
        path: &str,
        keys: &[OptionChoice],
        items: &[Spanned<DeValue<'_>>],
        value: &Spanned<DeValue<'_>>,
    ) {
        let before = self.reading.problems.len();
        for (index, item) in items.iter().enumerate() {
            if ConfigError::is_full(&self.reading.problems) {
                return;
            }
            let at = format!("{path}[{index}]");
            if let DeValue::Table(table) = item.get_ref() {
                self.check_list_item(path, &at, keys, table);
            } else {
                let message = format!("{at}: {}", not_a_table(item.get_ref()));
                let hint = format!("write each item as a table: [[{path}]]");
                let origin = (self.locate)(item.span(), None);
                self.report(ConfigProblem::new(message, hint, origin).with_option(path));
            }
        }
        let plain =
            settings_tree::without_spans(value.get_ref()).filter(|_| self.reading.problems.len() == before);
        if let Some(plain) = plain {
            self.reading.entries.push(OptionEntry {
                path: path.to_owned(),
                value: plain,
                origin: (self.locate)(value.span(), None),
                items: items.iter().map(Spanned::span).collect(),
            });
        }
    }

    fn check_list_item(&mut self, path: &str, at: &str, keys: &[OptionChoice], table: &DeTable<'_>) {
        for (key, value) in keys_in_file_order(table) {
            let name = key.get_ref().as_ref();
            if !keys.iter().any(|known| known.name == name) {
                let names: Vec<&str> = keys.iter().map(|known| known.name.as_str()).collect();
                let hint = did_you_mean(name, names.iter().copied())
                    .unwrap_or_else(|| format!("valid keys here: {}", names.join(", ")));
                let message = format!("unknown key {} in {at}", quote(name));
                let origin = (self.locate)(key.span(), None);
                self.report(ConfigProblem::new(message, hint, origin).with_option(path));
                continue;
            }
            let (option_type, sample) = type_of_item(path, name);
            if let Err(mismatch) = option_type.convert(path, value.get_ref()) {
                let message = format!("{at}.{name}: {}", mismatch.message);
                let hint = format!("for example: {name} = {sample}");
                let origin = (self.locate)(value.span(), None);
                self.report(ConfigProblem::new(message, hint, origin).with_option(path));
            }
        }
    }

    /// Reads the table of legacy keys.
    pub(crate) fn read_legacy_table(&mut self, table: &DeTable<'_>) {
        for (key, value) in keys_in_file_order(table) {
            if ConfigError::is_full(&self.reading.problems) {
                return;
            }
            let name = key.get_ref().as_ref();
            let Some(known) = legacy_key(name) else {
                let names = LEGACY_KEYS.iter().map(|key| key.name);
                let hint = did_you_mean(name, names).unwrap_or_else(|| {
                    "this table only takes legacy keys; put other options outside it".into()
                });
                let message = format!("unknown key {} in [tool.zorkgpt.loop_break]", quote(name));
                self.report(ConfigProblem::new(message, hint, (self.locate)(key.span(), None)));
                continue;
            };
            match known.meaning {
                LegacyMeaning::Value => self.read_legacy_value(known, value),
                LegacyMeaning::Switch => self.read_legacy_switch(known, value),
            }
        }
    }

    fn read_legacy_value(&mut self, key: &'static LegacyKey, value: &Spanned<DeValue<'_>>) {
        for (index, path) in key.options.iter().enumerate() {
            // One invalid value is one problem, even if it stands for several options.
            if let Some(option) = find_option(path)
                && (index == 0 || self.reading.invalid.last().is_none_or(|path| path != key.options[0]))
            {
                self.read_option(option, path, value, Some(key));
            }
        }
    }

    fn read_legacy_switch(&mut self, key: &'static LegacyKey, value: &Spanned<DeValue<'_>>) {
        let origin = (self.locate)(value.span(), Some(key.name));
        match OptionType::Boolean.convert(key.options[0], value.get_ref()) {
            Ok(toml::Value::Boolean(false)) => {
                let entry = |path: &&str| OptionEntry {
                    path: (*path).to_owned(),
                    value: "off".into(),
                    origin: origin.clone(),
                    items: Vec::new(),
                };
                self.reading.entries.extend(key.options.iter().map(entry));
            }
            Ok(_) => {}
            Err(mismatch) => {
                let message = format!("{}: {}", key.name, mismatch.message);
                let hint = if mismatch.hint.starts_with("remove") {
                    mismatch.hint
                } else {
                    format!("for example: {} = false", key.name)
                };
                self.report(ConfigProblem::new(message, hint, origin).with_option(key.options[0]));
            }
        }
    }

    pub(crate) fn report(&mut self, problem: ConfigProblem) {
        self.reading.problems.push(problem);
    }
}

fn is_template(name: &str) -> bool {
    TEMPLATES.iter().any(|template| template.name == name)
}

/// Returns the keys of a table in the order of the file.
fn keys_in_file_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    keys
}

/// Returns the kinds of alerts.
fn alert_kinds() -> Vec<OptionChoice> {
    let choice =
        |kind: AlertKind| OptionChoice { name: kind.as_str().to_owned(), description: String::new() };
    AlertKind::ALL.into_iter().map(choice).collect()
}

/// Returns the type of a key in a list of tables, and a sample.
fn type_of_item(path: &str, name: &str) -> (OptionType, &'static str) {
    match (path, name) {
        ("tool", "polls" | "mutates") => (OptionType::Boolean, "true"),
        ("tool", "volatile" | "key") => (OptionType::StringList, "[\"id\"]"),
        ("alert", "threshold") => (OptionType::Number(NumberRange::default()), "50.0"),
        ("alert", "quiet") => (OptionType::Duration, "\"1h\""),
        ("alert", "kind") => (OptionType::Choice(alert_kinds()), "\"cost_per_day\""),
        ("alert", _) => (OptionType::String, "\"expensive day\""),
        _ => (OptionType::String, "\"bash*\""),
    }
}
