//! Settings as a tree of TOML values, so that layers can override single options.

use std::borrow::Cow;

use loopbreak::{Profile, Settings};
use toml::de::DeValue;
use toml::{Table, Value};

/// Returns the defaults of a profile.
pub(crate) fn defaults(profile: Profile) -> Table {
    // Settings consist of values that TOML can hold; a test below checks every profile.
    Table::try_from(Settings::from(profile)).unwrap_or_default()
}

/// Returns the value at a path such as `stagnation.max_turns`.
pub(crate) fn get<'t>(table: &'t Table, path: &str) -> Option<&'t Value> {
    let mut names = split(path);
    let key = names.pop()?;
    let mut here = table;
    for name in &names {
        here = here.get(name.as_ref())?.as_table()?;
    }
    here.get(key.as_ref())
}

/// Sets the value at a path and creates missing tables.
pub(crate) fn set(table: &mut Table, path: &str, value: Value) {
    let mut names = split(path);
    let Some(key) = names.pop() else { return };
    let mut here = table;
    for name in names {
        let next = here.entry(name.into_owned()).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(next) = next else { return };
        here = next;
    }
    here.insert(key.into_owned(), value);
}

/// Returns `table.key`, or the key alone for the top level. A key with a point or a quote is quoted, as in TOML.
pub(crate) fn join_path(table: &str, key: &str) -> String {
    let key = if key.contains(['.', '"']) { Cow::Owned(format!("{key:?}")) } else { Cow::Borrowed(key) };
    if table.is_empty() { key.into_owned() } else { format!("{table}.{key}") }
}

/// Returns the last part of a path.
pub(crate) fn last_key(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Splits a path into its keys.
fn split(path: &str) -> Vec<Cow<'_, str>> {
    let mut names = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let mut escaped = false;
        let closes = |letter: char| {
            let closes = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            closes
        };
        let quoted = rest.strip_prefix('"').and_then(|inner| Some((inner, inner.find(closes)?)));
        if let Some((inner, end)) = quoted {
            let name = inner[..end].replace("\\\"", "\"").replace("\\\\", "\\");
            names.push(Cow::Owned(name));
            rest = inner[end + 1..].strip_prefix('.').unwrap_or(&inner[end + 1..]);
            continue;
        }
        let (name, after) = rest.split_once('.').unwrap_or((rest, ""));
        if !name.is_empty() {
            names.push(Cow::Borrowed(name));
        }
        rest = after;
    }
    names
}

/// Converts a parsed value to plain data without spans. Returns `None` for a number that no option can hold.
pub(crate) fn without_spans(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
        }
        DeValue::Float(number) => Value::Float(number.as_str().parse().ok()?),
        DeValue::Boolean(switch) => Value::Boolean(*switch),
        DeValue::Datetime(datetime) => Value::Datetime(*datetime),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| without_spans(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => Value::Table(
            table
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), without_spans(value.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_can_be_written_as_toml_and_read_back() {
        for profile in Profile::ALL.iter().copied() {
            let table = defaults(profile);
            assert_eq!(table.try_into::<Settings>().unwrap(), Settings::from(profile));
        }
    }

    #[test]
    fn a_value_is_found_at_the_path_where_it_was_set() {
        let mut table = Table::new();
        set(&mut table, "mode", "off".into());
        set(&mut table, "policy.ladder.hint", true.into());
        assert_eq!(get(&table, "mode"), Some(&"off".into()));
        assert_eq!(get(&table, "policy.ladder.hint"), Some(&true.into()));
        assert_eq!(get(&table, "policy.ladder.stop"), None);
        assert_eq!(get(&table, "mode.x"), None);
    }

    #[test]
    fn a_key_with_points_and_quotes_is_one_key() {
        for key in ["gpt-4.1", "a\"b", "a.\"b\".c", "plain", "with blank"] {
            let mut table = Table::new();
            let path = join_path(&join_path("prices", key), "input");
            set(&mut table, &path, 1.into());
            assert_eq!(table["prices"][key]["input"], 1.into(), "{path}");
            assert_eq!(get(&table, &path), Some(&1.into()), "{path}");
        }
        assert_eq!(get(&Table::new(), ""), None);
        assert_eq!(get(&Table::new(), "\"open"), None);
    }
}
