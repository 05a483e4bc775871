//! Changes of schemas, so that they say exactly what is accepted.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Types of which unknown names are ignored, as they are in logs.
const OPEN_NAMES: [&str; 2] = ["Denial", "HarnessEvent"];

/// Returns a generator whose definitions are the components of the description.
pub(super) fn generator(settings: SchemaSettings) -> SchemaGenerator {
    let settings = settings.with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// Changes the definitions of types that are read more liberally than their fields say.
pub(super) fn adjust_definitions(schemas: &mut Map<String, Value>) {
    // An action without a name, or with `null` as its name, is read as one with an empty name.
    if let Some(action) = schemas.get_mut("Action") {
        remove_required(action);
        if let Some(kind) = action.pointer_mut("/anyOf/1/properties/name/type") {
            *kind = json!(["string", "null"]);
        }
    }
    for name in OPEN_NAMES {
        if let Some(schema) = schemas.get_mut(name) {
            *schema = json!({"type": "string", "description": schema["description"]});
        }
    }
}

/// Adds the bounds of integers to schemas that only name their format: JSON has larger numbers.
pub(super) fn bound_integers(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let bounds = match fields.get("format").and_then(Value::as_str) {
                Some("uint8") => Some((json!(0), json!(u8::MAX))),
                Some("uint16") => Some((json!(0), json!(u16::MAX))),
                Some("uint32") => Some((json!(0), json!(u32::MAX))),
                Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
                Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
                Some("int64" | "int") => Some((json!(i64::MIN), json!(i64::MAX))),
                _ => None,
            };
            if let Some((least, most)) = bounds {
                fields.entry("minimum").or_insert(least);
                fields.entry("maximum").or_insert(most);
            }
            fields.values_mut().for_each(bound_integers);
        }
        Value::Array(items) => items.iter_mut().for_each(bound_integers),
        _ => {}
    }
}

/// Removes the lists of required fields from a schema and its alternatives.
fn remove_required(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("required");
            fields.values_mut().for_each(remove_required);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_required),
        _ => {}
    }
}
