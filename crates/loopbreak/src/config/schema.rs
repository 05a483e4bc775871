//! The JSON schema of a configuration file, for editors.

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use super::Settings;
use super::legacy::{DOCUMENTS_KEYS, Meaning, aliases};

/// The JSON schema of a `loopbreak.toml`, the documents' table and names included.
pub fn schema() -> Schema {
    let mut schema = of_settings();
    schema.insert("title".into(), "The configuration of Loopbreak".into());
    let mut keys = serde_json::Map::new();
    for key in DOCUMENTS_KEYS {
        let (description, mut value) = match key.meaning {
            Meaning::Value => (
                format!("The same as {}.", key.options.join(" and ")),
                of_option(schema.as_value(), key.options[0]),
            ),
            Meaning::Switch => {
                let modes = key.options.join(" and ");
                (format!("False is the same as {modes} = \"off\"."), json!({"type": "boolean"}))
            }
        };
        if let Some(value) = value.as_object_mut() {
            value.insert("description".into(), description.into());
            // The default of an option depends on the profile, and here the profile is another one.
            value.remove("default");
        }
        keys.insert(key.name.into(), value);
    }
    let table = |name: &str, inner: Value, closed: bool| json!({"type": "object", "properties": {name: inner}, "additionalProperties": !closed});
    let documents = json!({
        "description": "The table of the documents. It selects the profile \"documents\".",
        "type": "object",
        "properties": keys.clone(),
        "additionalProperties": false,
    });
    let tool = table("zorkgpt", table("loop_break", documents, true), true);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("tool".into(), tool);
    }
    let task = schema.pointer_mut("/$defs/TaskSettings/properties").and_then(Value::as_object_mut);
    if let Some(properties) = task {
        for (name, _) in aliases("task") {
            properties.insert(name.into(), keys[name].clone());
        }
    }
    schema
}

/// The schema of the settings alone.
pub(super) fn of_settings() -> Schema {
    let mut schema = schema_for!(Settings);
    if let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        for (name, definition) in definitions {
            // The list of options tells lengths of time from other values by this.
            if name == "Duration" {
                definition["title"] = "Duration".into();
            }
            let properties = definition.get_mut("properties").and_then(Value::as_object_mut);
            for (_, property) in properties.into_iter().flatten() {
                penalty_below_zero(property);
            }
        }
    }
    schema
}

/// A penalty goes from -1 to below 0, but the attribute that declares ranges only knows bounds that are inside.
fn penalty_below_zero(property: &mut Value) {
    if property["minimum"] == -1.0
        && property["maximum"] == 0.0
        && let Some(property) = property.as_object_mut()
    {
        property.remove("maximum");
        property.insert("exclusiveMaximum".into(), 0.0.into());
    }
}

/// The schema of one option.
fn of_option(root: &Value, path: &str) -> Value {
    let mut here = root;
    for name in path.split('.') {
        here = &here["properties"][name];
        // An option that is a choice is left as a reference; a table has to be followed.
        let target = here["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(target) =
            target.map(|name| &root["$defs"][name]).filter(|it| it["properties"].is_object())
        {
            here = target;
        }
    }
    here.clone()
}
