//! The list of all options, read from the schema that comes from the settings themselves: help, checks, reference and
//! reading all go by it, so none of them can forget an option or tell another story about it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::kind::{Choice, Kind, Range};
use super::legacy::{DocumentsKey, documents_keys_of};
use super::{Profile, Settings, schema, tree};

/// What is known about an option.
#[derive(Clone, Debug)]
pub struct OptionInfo {
    /// Its path, as in `stagnation.max_turns`.
    pub path: String,
    /// What it is.
    pub doc: String,
    /// What values it takes.
    pub kind: Kind,
}

/// What is known about a table of options.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Its path, as in `stagnation`; empty for the top.
    pub path: String,
    /// What it is.
    pub doc: String,
}

impl OptionInfo {
    /// The table it is in; empty for the top.
    pub fn table(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Its key in that table.
    pub fn key(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("{}{}", super::environment::PREFIX, self.path.replace('.', "__").to_uppercase())
    }

    /// The documents' keys that set it.
    pub fn documents_keys(&self) -> impl Iterator<Item = &'static DocumentsKey> {
        documents_keys_of(&self.path)
    }

    /// What a profile sets it to; none for an option that is absent there.
    pub fn default_in(&self, profile: Profile) -> Option<toml::Value> {
        tree::get(&tree::defaults(profile), &self.path).cloned()
    }
}

/// Every option, in the order in which they are declared.
pub fn options() -> &'static [OptionInfo] {
    &LIST.options
}

/// Every table of options, the top included, in the order in which they are declared.
pub fn tables() -> &'static [TableInfo] {
    &LIST.tables
}

/// An option by its path.
pub fn find_option(path: &str) -> Option<&'static OptionInfo> {
    LIST.by_path.get(path).map(|index| &LIST.options[*index])
}

struct List {
    options: Vec<OptionInfo>,
    tables: Vec<TableInfo>,
    by_path: BTreeMap<String, usize>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    let schema = schema::of_settings();
    let mut list = List { options: Vec::new(), tables: Vec::new(), by_path: BTreeMap::new() };
    list.read("", schema.as_value(), schema.as_value());
    // JSON objects are sorted by name; people expect what is declared together to stand together.
    let order = declared_order();
    let place = |path: &str| order.get(path).copied().unwrap_or(usize::MAX);
    list.options.sort_by_key(|option| (place(option.table()), place(&option.path)));
    list.tables.sort_by_key(|table| place(&table.path));
    list.by_path =
        list.options.iter().enumerate().map(|(index, option)| (option.path.clone(), index)).collect();
    list
});

impl List {
    fn read(&mut self, path: &str, schema: &Value, root: &Value) {
        let target = resolve(schema, root);
        self.tables.push(TableInfo { path: path.to_owned(), doc: doc(schema, target) });
        for (name, schema) in target["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let target = resolve(schema, root);
            if target["properties"].is_object() {
                self.read(&path, schema, root);
            } else {
                self.options.push(OptionInfo { path, doc: doc(schema, target), kind: kind(target, root) });
            }
        }
    }
}

/// What a schema refers to. An absent value is no matter here: absent is how TOML writes null.
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

fn doc(schema: &Value, target: &Value) -> String {
    let text = schema["description"].as_str().or_else(|| target["description"].as_str()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind(schema: &Value, root: &Value) -> Kind {
    let types = &schema["type"];
    let is = |name: &str| {
        types == name || types.as_array().is_some_and(|types| types.iter().any(|kind| kind == name))
    };
    let choices = |value: &Value| {
        let choice =
            |(name, schema): (&String, &Value)| Choice { name: name.clone(), doc: doc(schema, schema) };
        value.as_object().into_iter().flatten().map(choice).collect()
    };
    if let Some(variants) = schema["oneOf"].as_array() {
        let names: Option<Vec<Choice>> = variants
            .iter()
            .map(|variant| {
                Some(Choice { name: variant["const"].as_str()?.to_owned(), doc: doc(variant, variant) })
            })
            .collect();
        return names.map_or(Kind::Other, Kind::Choice);
    }
    if schema["anyOf"].is_array() && schema["title"] == "Duration" {
        return Kind::Duration;
    }
    if is("boolean") {
        Kind::Switch
    } else if is("integer") {
        let mut range = range(schema);
        if schema["format"] == "uint32" && range.max.is_none() {
            range.max = Some(f64::from(u32::MAX));
        }
        Kind::Whole(range)
    } else if is("number") {
        Kind::Number(range(schema))
    } else if is("string") {
        Kind::Text
    } else if is("array") {
        let item = resolve(&schema["items"], root);
        if item["properties"].is_object() {
            Kind::Rules(choices(&item["properties"]))
        } else if item["type"] == "string" {
            Kind::List
        } else {
            Kind::Other
        }
    } else if is("object") && schema["additionalProperties"]["type"] == "string" {
        Kind::Texts
    } else {
        Kind::Other
    }
}

fn range(schema: &Value) -> Range {
    let below = schema["exclusiveMaximum"].as_f64();
    Range {
        min: schema["minimum"].as_f64(),
        max: schema["maximum"].as_f64().or(below),
        below_max: below.is_some(),
    }
}

/// The place of every option and table in the settings as they are declared.
fn declared_order() -> BTreeMap<String, usize> {
    fn walk(prefix: &str, table: &DeTable<'_>, order: &mut BTreeMap<String, usize>) {
        for (key, value) in table {
            let path = if prefix.is_empty() {
                key.get_ref().to_string()
            } else {
                format!("{prefix}.{}", key.get_ref())
            };
            if let DeValue::Table(table) = value.get_ref() {
                walk(&path, table, order);
            }
            order.insert(path, key.span().start + 1);
        }
    }
    let mut order = BTreeMap::from([(String::new(), 0)]);
    let text = toml::to_string(&Settings::default()).unwrap_or_default();
    if let Ok(table) = DeTable::parse(&text) {
        walk("", table.get_ref(), &mut order);
    }
    order
}
