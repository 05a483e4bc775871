//! The JSON schema of a configuration file.

use loopbreak::Settings;
use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use crate::legacy_key::{LEGACY_KEYS, LegacyMeaning, aliases};

/// Returns the JSON schema of `loopbreak.toml`, legacy names included.
pub fn schema() -> Schema {
    let mut schema = settings_schema();
    schema.insert("title".into(), "Loopbreak configuration".into());
    let mut keys = serde_json::Map::new();
    for key in LEGACY_KEYS {
        let (description, mut value) = match key.meaning {
            LegacyMeaning::Value => (
                format!("Legacy name of {}.", key.options.join(" and ")),
                option_schema(schema.as_value(), key.options[0]),
            ),
            LegacyMeaning::Switch => {
                let modes = key.options.join(" and ");
                (format!("`false` sets {modes} to \"off\"."), json!({"type": "boolean"}))
            }
        };
        if let Some(value) = value.as_object_mut() {
            value.insert("description".into(), description.into());
            // The default depends on the profile, and the legacy table selects another one.
            value.remove("default");
        }
        keys.insert(key.name.into(), value);
    }
    let table = |name: &str, inner: Value| json!({"type": "object", "properties": {name: inner}, "additionalProperties": false});
    let legacy = json!({
        "description": "Table of legacy keys. It selects the profile \"documents\".",
        "type": "object",
        "properties": keys.clone(),
        "additionalProperties": false,
    });
    let tool = table("zorkgpt", table("loop_break", legacy));
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        // A list declares tools, a table holds legacy keys.
        let rules = properties.remove("tool").unwrap_or_default();
        properties.insert("tool".into(), json!({"anyOf": [rules, tool]}));
    }
    let task = schema.pointer_mut("/$defs/TaskSettings/properties").and_then(Value::as_object_mut);
    if let Some(properties) = task {
        for (name, _) in aliases("task") {
            properties.insert(name.into(), keys[name].clone());
        }
    }
    schema
}

/// Returns the schema of the settings alone.
pub(crate) fn settings_schema() -> Schema {
    let mut schema = schema_for!(Settings);
    if let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        for (name, definition) in definitions {
            // The list of options recognizes durations by this title.
            if name == "Duration" {
                definition["title"] = "Duration".into();
            }
            let properties = definition.get_mut("properties").and_then(Value::as_object_mut);
            for (_, property) in properties.into_iter().flatten() {
                exclude_zero_penalty(property);
            }
        }
    }
    schema
}

/// Makes the upper bound of a penalty exclusive. A penalty goes from -1 to below 0, but the attribute that declares
/// ranges only has inclusive bounds. An option that is 0 by default, such as the growth of a penalty, may be 0.
fn exclude_zero_penalty(property: &mut Value) {
    if property["minimum"] == -1.0
        && property["maximum"] == 0.0
        && property["default"].as_f64() != Some(0.0)
        && let Some(property) = property.as_object_mut()
    {
        property.remove("maximum");
        property.insert("exclusiveMaximum".into(), 0.0.into());
    }
}

/// Returns the schema of one option.
fn option_schema(root: &Value, path: &str) -> Value {
    let mut here = root;
    for name in path.split('.') {
        here = &here["properties"][name];
        // A reference to a table has to be followed. An option that is a choice stays a reference.
        let target = here["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(target) =
            target.map(|name| &root["$defs"][name]).filter(|it| it["properties"].is_object())
        {
            here = target;
        }
    }
    here.clone()
}
