//! Messages and hints for keys that do not exist.

use loopbreak::advice::TEMPLATES;

use crate::legacy_key::{aliases, legacy_key};
use crate::nearest::did_you_mean;
use crate::options::{OptionInfo, options, tables};
use crate::problem::quote;
use crate::settings_tree::{join_path, last_key};

/// Prefix of the paths of advice texts, whose keys are the names of templates.
pub(super) const ADVICE_TEXTS: &str = "advice.texts.";

/// Returns the message and the hint for a key that a table does not have.
pub(super) fn describe_unknown_key(table: &str, name: &str) -> (String, String) {
    let place = if table.is_empty() { String::new() } else { format!(" in [{table}]") };
    (format!("unknown key {}{place}", quote(name)), hint(table, name))
}

fn hint(table: &str, name: &str) -> String {
    if let Some(key) = legacy_key(name) {
        return format!(
            "this legacy name of {} is only valid in [tool.zorkgpt.loop_break]",
            key.options.join(" and ")
        );
    }
    let valid_keys = valid_keys(table);
    if let Some(hint) = did_you_mean(name, valid_keys.iter().copied()) {
        return hint;
    }
    let paths = options().iter().map(|option| &option.path).chain(tables().iter().map(|table| &table.path));
    let elsewhere: Vec<&str> =
        paths.filter(|path| !path.is_empty() && last_key(path) == name).map(String::as_str).collect();
    if !elsewhere.is_empty() && elsewhere.len() <= 3 {
        return format!("did you mean {}?", elsewhere.join(" or "));
    }
    // If the table exists, its name alone would make every path in it similar.
    let known_table = !table.is_empty() && tables().iter().any(|known| known.path == table);
    let paths = options().iter().map(|option| option.path.as_str()).filter(|_| !known_table);
    did_you_mean(&join_path(table, name), paths)
        .unwrap_or_else(|| format!("valid keys here: {}", valid_keys.join(", ")))
}

/// Returns the keys of a table: options, aliases, templates and inner tables.
fn valid_keys(table: &str) -> Vec<&'static str> {
    let mut keys: Vec<&str> =
        options().iter().filter(|option| option.table() == table).map(OptionInfo::key).collect();
    keys.extend(aliases(table).map(|(name, _)| name));
    keys.extend(
        TEMPLATES.iter().filter(|_| join_path(table, "") == ADVICE_TEXTS).map(|template| template.name),
    );
    let inner = tables().iter().filter_map(|known| match known.path.rsplit_once('.') {
        Some((parent, name)) => (parent == table).then_some(name),
        None => (table.is_empty() && !known.path.is_empty()).then_some(known.path.as_str()),
    });
    keys.extend(inner);
    keys
}
