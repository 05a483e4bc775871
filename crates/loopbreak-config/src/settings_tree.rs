//! Settings as a tree of TOML values, so that layers can override single options.

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
    let (parents, key) = split(path);
    let mut here = table;
    for name in parents {
        here = here.get(name)?.as_table()?;
    }
    here.get(key)
}

/// Sets the value at a path and creates missing tables.
pub(crate) fn set(table: &mut Table, path: &str, value: Value) {
    let (parents, key) = split(path);
    let mut here = table;
    for name in parents {
        let next = here.entry(name.to_owned()).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(next) = next else { return };
        here = next;
    }
    here.insert(key.to_owned(), value);
}

/// Returns `table.key`, or the key alone for the top level.
pub(crate) fn join_path(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// Returns the last part of a path.
pub(crate) fn last_key(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Splits a path into the tables that lead to it and the last key.
fn split(path: &str) -> (impl Iterator<Item = &str>, &str) {
    let (parents, key) = path.rsplit_once('.').unwrap_or(("", path));
    (parents.split('.').filter(|name| !name.is_empty()), key)
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
}
