//! Settings as a tree of plain values, so that layers can be laid over each other option by option.

use toml::de::DeValue;
use toml::{Table, Value};

use super::{Profile, Settings};

/// The defaults of a profile.
pub(crate) fn defaults(profile: Profile) -> Table {
    // Settings are made of what TOML can hold; a test below holds every profile to it.
    Table::try_from(Settings::of(profile)).unwrap_or_default()
}

/// The value at a path such as `stagnation.max_turns`.
pub(crate) fn get<'t>(table: &'t Table, path: &str) -> Option<&'t Value> {
    let (parents, key) = split(path);
    let mut here = table;
    for name in parents {
        here = here.get(name)?.as_table()?;
    }
    here.get(key)
}

/// Puts a value at a path, and makes the tables on the way.
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

/// The tables on the way, and the last key. Names of texts may have dots in them, but no text of ours has.
fn split(path: &str) -> (impl Iterator<Item = &str>, &str) {
    let (parents, key) = path.rsplit_once('.').unwrap_or(("", path));
    (parents.split('.').filter(|name| !name.is_empty()), key)
}

/// A value without the places it came from; none for numbers that no option can hold.
pub(crate) fn plain(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
        }
        DeValue::Float(number) => Value::Float(number.as_str().parse().ok()?),
        DeValue::Boolean(switch) => Value::Boolean(*switch),
        DeValue::Datetime(datetime) => Value::Datetime(*datetime),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| plain(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => Value::Table(
            table
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), plain(value.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_can_be_written_as_toml_and_read_back() {
        for profile in Profile::ALL {
            let table = defaults(profile);
            assert_eq!(table.try_into::<Settings>().unwrap(), Settings::of(profile));
        }
    }

    #[test]
    fn a_value_is_found_where_it_was_put() {
        let mut table = Table::new();
        set(&mut table, "mode", "off".into());
        set(&mut table, "policy.ladder.hint", true.into());
        assert_eq!(get(&table, "mode"), Some(&"off".into()));
        assert_eq!(get(&table, "policy.ladder.hint"), Some(&true.into()));
        assert_eq!(get(&table, "policy.ladder.stop"), None);
        assert_eq!(get(&table, "mode.x"), None);
    }
}
