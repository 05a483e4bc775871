//! Goes through a table of options, as a file, a variable or a flag has it, and takes what it says: an entry for each
//! option that is set, a problem for everything that is no option or no value of it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::kind::{Choice, Kind, no_table};
use super::legacy::{DocumentsKey, Meaning, alias, aliases, documents_key};
use super::located::{ConfigError, Located, quoted};
use super::nearest::nearest;
use super::options::{OptionInfo, find_option, options, tables};
use super::origin::Origin;
use super::tree;
use crate::advice::TEMPLATES;

/// One option that is set.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The option's path.
    pub(crate) path: String,
    pub(crate) value: toml::Value,
    pub(crate) origin: Origin,
    /// For a list: where its items are.
    pub(crate) items: Vec<Range<usize>>,
}

/// What a layer says.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<Located>,
    /// Options whose value is no value of theirs: what is wrong with others because of them is not worth telling.
    pub(crate) spoilt: Vec<String>,
}

/// Turns bytes of a layer's text into where that is, given the documents' key if one was used.
pub(crate) type Locate<'l> = &'l dyn Fn(Range<usize>, Option<&'static str>) -> Origin;

/// A walk through one layer.
pub(crate) struct Walk<'w> {
    pub(crate) locate: Locate<'w>,
    pub(crate) reading: &'w mut Reading,
}

impl Walk<'_> {
    /// Takes a table of ours; an empty prefix is the top.
    pub(crate) fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in in_order(table) {
            if ConfigError::enough(&self.reading.problems) {
                return;
            }
            self.key(prefix, key, value);
        }
    }

    /// Takes the top of a file of ours, but for one table that is not.
    pub(crate) fn table_without(&mut self, left_out: &str, table: &DeTable<'_>) {
        for (key, value) in in_order(table) {
            if ConfigError::enough(&self.reading.problems) {
                return;
            }
            if key.get_ref() != left_out {
                self.key("", key, value);
            }
        }
    }

    fn key(&mut self, prefix: &str, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) {
        let name = key.get_ref().as_ref();
        let path = match alias(prefix, name) {
            Some(option) => option.to_owned(),
            None => join(prefix, name),
        };
        if !self.value(&path, value) {
            let (message, hint) = unknown(prefix, name);
            self.problem(Located::new(message, hint, (self.locate)(key.span(), None)));
        }
    }

    /// Takes the value of an option or a table; false if there is no such thing.
    pub(crate) fn value(&mut self, path: &str, value: &Spanned<DeValue<'_>>) -> bool {
        if let Some(option) = find_option(path) {
            self.option(option, path, value, None);
        } else if let Some(text) = path.strip_prefix(TEXTS).filter(|name| is_text(name)) {
            let path = format!("{TEXTS}{text}");
            self.take(&Kind::Text, &path, value, None);
        } else if !path.is_empty() && tables().iter().any(|table| table.path == path) {
            match value.get_ref() {
                DeValue::Table(table) => self.table(path, table),
                other => {
                    let origin = (self.locate)(value.span(), None);
                    let hint = format!("write its options under [{path}]");
                    self.problem(Located::new(format!("{path}: {}", no_table(other)), hint, origin));
                }
            }
        } else {
            return false;
        }
        true
    }

    fn option(
        &mut self,
        option: &OptionInfo,
        path: &str,
        value: &Spanned<DeValue<'_>>,
        key: Option<&'static DocumentsKey>,
    ) {
        match (&option.kind, value.get_ref()) {
            (Kind::Texts, DeValue::Table(texts)) => self.table(path, texts),
            (Kind::Rules(keys), DeValue::Array(items)) => self.rules(path, keys, items, value),
            (kind, _) => self.take(kind, path, value, key),
        }
    }

    fn take(
        &mut self,
        kind: &Kind,
        path: &str,
        value: &Spanned<DeValue<'_>>,
        key: Option<&'static DocumentsKey>,
    ) {
        let origin = (self.locate)(value.span(), key.map(|key| key.name));
        match kind.take(path, value.get_ref()) {
            Ok(value) => {
                self.reading.entries.push(Entry { path: path.to_owned(), value, origin, items: Vec::new() });
            }
            Err(wrong) => {
                // The example in a hint shows our key; whoever wrote the documents' one shall see that.
                let own = path.rsplit('.').next().unwrap_or(path);
                let hint = key.map_or(wrong.hint.clone(), |key| {
                    wrong.hint.replace(&format!("like {own} ="), &format!("like {} =", key.name))
                });
                let name = key.map_or(path, |key| key.name);
                self.reading.spoilt.push(path.to_owned());
                self.problem(Located::new(format!("{name}: {}", wrong.message), hint, origin).about(path));
            }
        }
    }

    fn rules(
        &mut self,
        path: &str,
        keys: &[Choice],
        items: &[Spanned<DeValue<'_>>],
        value: &Spanned<DeValue<'_>>,
    ) {
        let before = self.reading.problems.len();
        for (index, item) in items.iter().enumerate() {
            if ConfigError::enough(&self.reading.problems) {
                return;
            }
            let DeValue::Table(rule) = item.get_ref() else {
                let origin = (self.locate)(item.span(), None);
                let message = format!("{path}[{index}]: {}", no_table(item.get_ref()));
                self.problem(
                    Located::new(message, format!("write a rule as [[{path}]]"), origin).about(path),
                );
                continue;
            };
            for (key, value) in in_order(rule) {
                let (name, at) = (key.get_ref().as_ref(), format!("{path}[{index}]"));
                if !keys.iter().any(|known| known.name == name) {
                    let names: Vec<&str> = keys.iter().map(|known| known.name.as_str()).collect();
                    let hint = meant(name, names.iter().copied())
                        .unwrap_or_else(|| format!("a rule has the keys {}", names.join(", ")));
                    let message = format!("unknown key {} in {at}", quoted(name));
                    self.problem(Located::new(message, hint, (self.locate)(key.span(), None)).about(path));
                } else if let Err(wrong) = Kind::Text.take(path, value.get_ref()) {
                    let message = format!("{at}.{name}: {}", wrong.message);
                    let hint = format!("write it like {name} = \"bash*\"");
                    self.problem(Located::new(message, hint, (self.locate)(value.span(), None)).about(path));
                }
            }
        }
        let plain = tree::plain(value.get_ref()).filter(|_| self.reading.problems.len() == before);
        if let Some(plain) = plain {
            self.reading.entries.push(Entry {
                path: path.to_owned(),
                value: plain,
                origin: (self.locate)(value.span(), None),
                items: items.iter().map(Spanned::span).collect(),
            });
        }
    }

    /// Takes the documents' table.
    pub(crate) fn documents(&mut self, table: &DeTable<'_>) {
        for (key, value) in in_order(table) {
            if ConfigError::enough(&self.reading.problems) {
                return;
            }
            let name = key.get_ref().as_ref();
            let Some(known) = documents_key(name) else {
                let names = super::legacy::DOCUMENTS_KEYS.iter().map(|key| key.name);
                let hint = meant(name, names).unwrap_or_else(|| {
                    "this table has the documents' keys only; options of Loopbreak's own stand outside it"
                        .into()
                });
                let message = format!("unknown key {} in [tool.zorkgpt.loop_break]", quoted(name));
                self.problem(Located::new(message, hint, (self.locate)(key.span(), None)));
                continue;
            };
            match known.meaning {
                Meaning::Value => self.documents_value(known, value),
                Meaning::Switch => self.documents_switch(known, value),
            }
        }
    }

    fn documents_value(&mut self, key: &'static DocumentsKey, value: &Spanned<DeValue<'_>>) {
        for (index, path) in key.options.iter().enumerate() {
            // One wrong value is one problem, however many options it stands for.
            if let Some(option) = find_option(path)
                && (index == 0 || self.reading.spoilt.last().is_none_or(|spoilt| spoilt != key.options[0]))
            {
                self.option(option, path, value, Some(key));
            }
        }
    }

    fn documents_switch(&mut self, key: &'static DocumentsKey, value: &Spanned<DeValue<'_>>) {
        let origin = (self.locate)(value.span(), Some(key.name));
        match Kind::Switch.take(key.options[0], value.get_ref()) {
            Ok(toml::Value::Boolean(false)) => {
                let entry = |path: &&str| Entry {
                    path: (*path).to_owned(),
                    value: "off".into(),
                    origin: origin.clone(),
                    items: Vec::new(),
                };
                self.reading.entries.extend(key.options.iter().map(entry));
            }
            Ok(_) => {}
            Err(wrong) => {
                let message = format!("{}: {}", key.name, wrong.message);
                let hint = if wrong.hint.starts_with("leave") {
                    wrong.hint
                } else {
                    format!("write it like {} = false", key.name)
                };
                self.problem(Located::new(message, hint, origin).about(key.options[0]));
            }
        }
    }

    pub(crate) fn problem(&mut self, problem: Located) {
        self.reading.problems.push(problem);
    }
}

const TEXTS: &str = "advice.texts.";

fn is_text(name: &str) -> bool {
    TEMPLATES.iter().any(|template| template.name == name)
}

pub(crate) fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// A table's keys in the order in which they were written.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    keys
}

pub(crate) fn meant<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(name, names).map(|name| format!("did you mean {name}?"))
}

/// What to say about a key that no table of ours has.
pub(crate) fn unknown(prefix: &str, name: &str) -> (String, String) {
    let place = if prefix.is_empty() { String::new() } else { format!(" in [{prefix}]") };
    (format!("unknown key {}{place}", quoted(name)), unknown_hint(prefix, name))
}

fn unknown_hint(prefix: &str, name: &str) -> String {
    let mut siblings: Vec<&str> =
        options().iter().filter(|option| option.table() == prefix).map(OptionInfo::key).collect();
    siblings.extend(aliases(prefix).map(|(name, _)| name));
    siblings.extend(TEMPLATES.iter().filter(|_| join(prefix, "") == TEXTS).map(|template| template.name));
    let inner = tables().iter().filter_map(|table| match table.path.rsplit_once('.') {
        Some((parent, name)) => (parent == prefix).then_some(name),
        None => (prefix.is_empty() && !table.path.is_empty()).then_some(table.path.as_str()),
    });
    siblings.extend(inner);
    if let Some(key) = documents_key(name) {
        return format!(
            "that is the documents' name of {}; it is known in [tool.zorkgpt.loop_break]",
            key.options.join(" and ")
        );
    }
    if let Some(hint) = meant(name, siblings.iter().copied()) {
        return hint;
    }
    let paths = options().iter().map(|option| &option.path).chain(tables().iter().map(|table| &table.path));
    let elsewhere: Vec<&str> = paths
        .filter(|path| !path.is_empty() && path.rsplit('.').next() == Some(name))
        .map(String::as_str)
        .collect();
    if !elsewhere.is_empty() && elsewhere.len() <= 3 {
        return format!("did you mean {}?", elsewhere.join(" or "));
    }
    // With a table that is right, its name alone would make everything in it look near.
    let known_table = !prefix.is_empty() && tables().iter().any(|table| table.path == prefix);
    let paths = options().iter().map(|option| option.path.as_str()).filter(|_| !known_table);
    meant(&join(prefix, name), paths)
        .unwrap_or_else(|| format!("the keys known here are: {}", siblings.join(", ")))
}
