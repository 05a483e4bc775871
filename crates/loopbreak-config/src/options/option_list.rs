//! The list of options. It is read from the schema of the settings, so that help, checks and reference agree.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use loopbreak::{Profile, Settings};
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{NumberRange, OptionChoice, OptionType};
use crate::legacy_key::{LegacyKey, legacy_keys_of};
use crate::read::VARIABLE_PREFIX;
use crate::schema::settings_schema;
use crate::settings_tree::{self, join_path, last_key};

/// An option.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OptionInfo {
    /// Path of the option, such as `stagnation.max_turns`.
    pub path: String,
    /// Description of the option.
    pub description: String,
    /// Type of its value.
    pub option_type: OptionType,
}

/// A table of options.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TableInfo {
    /// Path of the table, such as `stagnation`; empty for the top level.
    pub path: String,
    /// Description of the table.
    pub description: String,
}

impl OptionInfo {
    /// Returns the path of its table; empty for the top level.
    pub fn table(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Returns its key in the table.
    pub fn key(&self) -> &str {
        last_key(&self.path)
    }

    /// Returns the name of the environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("{VARIABLE_PREFIX}{}", self.path.replace('.', "__").to_uppercase())
    }

    /// Returns the legacy keys that set it.
    pub fn legacy_keys(&self) -> impl Iterator<Item = &'static LegacyKey> {
        legacy_keys_of(&self.path)
    }

    /// Returns its default in a profile, or `None` if the profile does not set it.
    pub fn default_in(&self, profile: Profile) -> Option<toml::Value> {
        settings_tree::get(&settings_tree::defaults(profile), &self.path).cloned()
    }
}

/// Returns every option, in the order of declaration.
pub fn options() -> &'static [OptionInfo] {
    &OPTION_LIST.options
}

/// Returns every table of options, with the top level first, in the order of declaration.
pub fn tables() -> &'static [TableInfo] {
    &OPTION_LIST.tables
}

/// Returns the option at a path.
pub fn find_option(path: &str) -> Option<&'static OptionInfo> {
    OPTION_LIST.by_path.get(path).map(|index| &OPTION_LIST.options[*index])
}

struct OptionList {
    options: Vec<OptionInfo>,
    tables: Vec<TableInfo>,
    by_path: BTreeMap<String, usize>,
}

static OPTION_LIST: LazyLock<OptionList> = LazyLock::new(|| {
    let schema = settings_schema();
    let mut list = OptionList { options: Vec::new(), tables: Vec::new(), by_path: BTreeMap::new() };
    list.add_table("", schema.as_value(), schema.as_value());
    // The schema sorts options by name; people expect the order of declaration.
    let order = declared_order();
    let position = |path: &str| order.get(path).copied().unwrap_or(usize::MAX);
    list.options.sort_by_key(|option| (position(option.table()), position(&option.path)));
    list.tables.sort_by_key(|table| position(&table.path));
    list.by_path =
        list.options.iter().enumerate().map(|(index, option)| (option.path.clone(), index)).collect();
    list
});

impl OptionList {
    fn add_table(&mut self, path: &str, schema: &Value, root: &Value) {
        let target = resolve(schema, root);
        self.tables.push(TableInfo { path: path.to_owned(), description: description(schema, target) });
        for (name, schema) in target["properties"].as_object().into_iter().flatten() {
            let path = join_path(path, name);
            let target = resolve(schema, root);
            if target["properties"].is_object() {
                self.add_table(&path, schema, root);
            } else {
                let description = description(schema, target);
                self.options.push(OptionInfo { path, description, option_type: option_type(target, root) });
            }
        }
    }
}

/// Follows references. A nullable type resolves to the type itself, because TOML has no null.
fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    if let Some(name) = name {
        return resolve(&root["$defs"][name], root);
    }
    let parts = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
    match parts.iter().filter(|part| part["type"] != "null").collect::<Vec<_>>()[..] {
        [only] => resolve(only, root),
        _ => schema,
    }
}

fn description(schema: &Value, target: &Value) -> String {
    let text = schema["description"].as_str().or_else(|| target["description"].as_str()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn option_type(schema: &Value, root: &Value) -> OptionType {
    let types = &schema["type"];
    let is = |name: &str| {
        types == name || types.as_array().is_some_and(|types| types.iter().any(|kind| kind == name))
    };
    let choices = |value: &Value| {
        let choice = |(name, schema): (&String, &Value)| OptionChoice {
            name: name.clone(),
            description: description(schema, schema),
        };
        value.as_object().into_iter().flatten().map(choice).collect()
    };
    if let Some(variants) = schema["oneOf"].as_array() {
        let choice = |variant: &Value| {
            let name = variant["const"].as_str()?.to_owned();
            Some(OptionChoice { name, description: description(variant, variant) })
        };
        let choices: Option<Vec<OptionChoice>> = variants.iter().map(choice).collect();
        return choices.map_or(OptionType::Other, OptionType::Choice);
    }
    if schema["anyOf"].is_array() && schema["title"] == "Duration" {
        return OptionType::Duration;
    }
    if is("boolean") {
        OptionType::Boolean
    } else if is("integer") {
        let mut range = number_range(schema);
        if schema["format"] == "uint32" && range.max.is_none() {
            range.max = Some(f64::from(u32::MAX));
        }
        OptionType::Integer(range)
    } else if is("number") {
        OptionType::Number(number_range(schema))
    } else if is("string") {
        OptionType::String
    } else if is("array") {
        let item = resolve(&schema["items"], root);
        if item["properties"].is_object() {
            OptionType::TableList(choices(&item["properties"]))
        } else if item["type"] == "string" {
            OptionType::StringList
        } else {
            OptionType::Other
        }
    } else if is("object") && resolve(&schema["additionalProperties"], root)["properties"].is_object() {
        OptionType::NumberTables(choices(&resolve(&schema["additionalProperties"], root)["properties"]))
    } else if is("object") && schema["additionalProperties"]["type"] == "string" {
        OptionType::StringTable
    } else {
        OptionType::Other
    }
}

fn number_range(schema: &Value) -> NumberRange {
    let below = schema["exclusiveMaximum"].as_f64();
    NumberRange {
        min: schema["minimum"].as_f64(),
        max: schema["maximum"].as_f64().or(below),
        excludes_max: below.is_some(),
    }
}

/// Returns the position of every option and table in the serialized settings, which have the order of declaration.
fn declared_order() -> BTreeMap<String, usize> {
    fn add_table(prefix: &str, table: &DeTable<'_>, order: &mut BTreeMap<String, usize>) {
        for (key, value) in table {
            let path = join_path(prefix, key.get_ref());
            if let DeValue::Table(table) = value.get_ref() {
                add_table(&path, table, order);
            }
            order.insert(path, key.span().start + 1);
        }
    }
    let mut order = BTreeMap::from([(String::new(), 0)]);
    let text = toml::to_string(&Settings::default()).unwrap_or_default();
    if let Ok(table) = DeTable::parse(&text) {
        add_table("", table.get_ref(), &mut order);
    }
    order
}
