//! JSON schemas of the parts of a step that are not derived.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{ActionArgs, EpochMillis, Label, PlaceRef, StepText};

/// Accepts a plain text in place of the object.
pub(super) fn allow_text(schema: &mut Schema) {
    let object = std::mem::take(schema);
    *schema = json_schema!({"anyOf": [{"type": "string"}, object]});
}

/// Accepts a name or a number in place of the object, no key of which is required.
pub(super) fn allow_label(schema: &mut Schema) {
    let mut object = std::mem::take(schema);
    object.remove("required");
    *schema = json_schema!({"anyOf": [{"type": ["string", "integer"]}, object]});
}

/// Returns the schema of the exits of a place: names, objects with `name` and `to`, or an object from names to destinations.
pub(super) fn exits(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["array", "object", "null"], "items": {"type": ["string", "object"]}})
}

impl JsonSchema for PlaceRef<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PlaceRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "integer", "object"]})
    }
}

impl JsonSchema for StepText<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "StepText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl JsonSchema for Label<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Label".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "integer"]})
    }
}

impl JsonSchema for EpochMillis {
    fn schema_name() -> Cow<'static, str> {
        "EpochMillis".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A point in time: RFC 3339, or milliseconds since 1970.",
            "anyOf": [{"type": "string"}, {"type": "integer", "format": "int64"}]
        })
    }
}

impl JsonSchema for ActionArgs<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ActionArgs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;

    use crate::Step;

    #[test]
    fn the_schema_has_every_key_and_requires_none() {
        let schema = schema_for!(Step<'_>);
        let schema = schema.as_value();
        assert_eq!(schema["properties"].as_object().unwrap().len(), 20, "{schema}");
        assert!(schema.get("required").is_none(), "{schema}");
        let action = &schema["$defs"]["Action"]["anyOf"];
        assert_eq!(action[0]["type"], "string");
        assert_eq!(action[1]["required"], serde_json::json!(["name"]));
        assert_eq!(schema["$defs"]["Outcome"]["anyOf"][1].get("required"), None);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name} has no description");
        }
    }
}
