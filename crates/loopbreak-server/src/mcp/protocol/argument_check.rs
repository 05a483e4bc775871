//! Checks arguments against the schema of their tool, so that an error names the argument and what is expected.
//!
//! Understands the part of JSON Schema that the tools use: references, alternatives, types, minima, properties and
//! items. Objects that accept unknown keys are records of the engine, which also reads them with parts missing.

use loopbreak_config::nearest_name;
use serde_json::{Map, Value};

use super::ToolError;

/// Longest part of an unknown name that is quoted, in bytes.
const QUOTED_BYTES: usize = 100;
const NOTHING_RECORDED: &str = "See the input schema of the tool; nothing was recorded";

/// Checks arguments. Returns the first problem.
pub(super) fn check_arguments(
    schema: &Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Result<(), ToolError> {
    let definitions = schema.get("$defs").and_then(Value::as_object);
    ArgumentCheck { definitions }.object(schema, arguments, "")
}

struct ArgumentCheck<'s> {
    definitions: Option<&'s Map<String, Value>>,
}

impl<'s> ArgumentCheck<'s> {
    fn object(
        &self,
        schema: &'s Map<String, Value>,
        object: &Map<String, Value>,
        path: &str,
    ) -> Result<(), ToolError> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_open = schema.get("additionalProperties") != Some(&Value::Bool(false));
        for (key, value) in object {
            match properties.and_then(|properties| properties.get(key)) {
                // The engine reads `null` as a missing part.
                Some(_) if is_open && value.is_null() => {}
                Some(property) => self.value(property, value, &join(path, key))?,
                None if is_open => {}
                None => return Err(unknown_argument(key, properties, path)),
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = required.filter_map(Value::as_str).find(|key| !object.contains_key(*key));
        match missing {
            Some(key) if !is_open => {
                Err(ToolError::new(format!("Missing argument `{}`", join(path, key)), NOTHING_RECORDED))
            }
            _ => Ok(()),
        }
    }

    fn value(&self, schema: &'s Value, value: &Value, path: &str) -> Result<(), ToolError> {
        let mut alternatives = Vec::new();
        self.add_alternatives(schema, &mut alternatives);
        let Some(schema) = alternatives.iter().find(|schema| accepts_type(schema, value)) else {
            return Err(invalid_argument(path, &expected_types(&alternatives), type_name(value)));
        };
        match (value, schema.as_object()) {
            (Value::Object(object), Some(schema)) => self.object(schema, object, path),
            (Value::Array(items), Some(schema)) => schema.get("items").map_or(Ok(()), |schema| {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(at, item)| self.value(schema, item, &format!("{path}[{at}]")))
            }),
            (Value::Number(number), Some(schema)) => match schema.get("minimum").and_then(Value::as_f64) {
                Some(least) if number.as_f64().is_some_and(|number| number < least) => {
                    Err(invalid_argument(path, &format!("at least {least}"), &number.to_string()))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Lists the schemas of which a value has to match one, with references resolved.
    fn add_alternatives(&self, schema: &'s Value, found: &mut Vec<&'s Value>) {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference
            .and_then(|reference| reference.strip_prefix("#/$defs/"))
            .and_then(|name| self.definitions?.get(name));
        match (target, schema.get("anyOf").and_then(Value::as_array)) {
            (Some(target), _) => self.add_alternatives(target, found),
            (None, Some(schemas)) => schemas.iter().for_each(|schema| self.add_alternatives(schema, found)),
            (None, None) => found.push(schema),
        }
    }
}

/// Returns the names of the types that a schema accepts. Empty means any.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn accepts_type(schema: &Value, value: &Value) -> bool {
    let types = types(schema);
    let accepts = |name: &&str| match *name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    types.is_empty() || types.iter().any(accepts)
}

/// Describes the types that some schemas accept. Leaves out `null`, which means that the argument may be missing.
fn expected_types(schemas: &[&Value]) -> String {
    let names = schemas.iter().flat_map(|schema| types(schema)).filter(|name| *name != "null");
    let names: Vec<&str> = names.map(with_article).collect();
    names.join(" or ")
}

fn type_name(value: &Value) -> &'static str {
    with_article(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

fn with_article(name: &str) -> &'static str {
    match name {
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a text",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn invalid_argument(path: &str, expected: &str, found: &str) -> ToolError {
    ToolError::new(format!("Invalid argument `{path}`: expected {expected}, found {found}"), NOTHING_RECORDED)
}

fn unknown_argument(key: &str, known: Option<&Map<String, Value>>, path: &str) -> ToolError {
    let known = || known.into_iter().flat_map(Map::keys).map(String::as_str);
    let hint = nearest_name(key, known()).map_or_else(
        || {
            let names: Vec<String> = known().map(|name| format!("`{name}`")).collect();
            format!("Expected one of {}; nothing was recorded", names.join(", "))
        },
        |name| format!("Did you mean `{name}`? Nothing was recorded"),
    );
    let quoted = &key[..key.floor_char_boundary(QUOTED_BYTES)];
    ToolError::new(format!("Unknown argument `{}`", join(path, quoted)), hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the error for arguments of a tool with every kind of property.
    fn problem(arguments: &Value) -> String {
        let schema = json!({
            "$defs": {
                "Open": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["name"],
                    "properties": {"name": {"type": "string"}, "error": {"type": "boolean"}}}]},
                "Closed": {"type": "object", "additionalProperties": false, "required": ["id"],
                    "properties": {"id": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}}}},
            },
            "additionalProperties": false,
            "properties": {
                "any": {}, "count": {"type": ["integer", "null"], "minimum": 0}, "score": {"type": "number"},
                "open": {"anyOf": [{"$ref": "#/$defs/Open"}, {"type": "null"}]},
                "closed": {"$ref": "#/$defs/Closed"},
            },
        });
        let checked = check_arguments(schema.as_object().unwrap(), arguments.as_object().unwrap());
        checked.map_or_else(|error| error.text(), |()| String::new())
    }

    #[test]
    fn valid_arguments_pass() {
        for arguments in [
            json!({}),
            json!({"any": [1, {}], "count": null, "score": 1, "open": "text", "closed": {"id": "a", "list": []}}),
            json!({"count": 3, "score": 1.5, "open": null}),
        ] {
            assert_eq!(problem(&arguments), "");
        }
    }

    #[test]
    fn an_unknown_argument_is_reported_with_the_nearest_name() {
        assert_eq!(
            problem(&json!({"coutn": 1})),
            "Unknown argument `coutn`. Did you mean `count`? Nothing was recorded."
        );
        assert_eq!(
            problem(&json!({"closed": {"id": "a", "lits": []}})),
            "Unknown argument `closed.lits`. Did you mean `list`? Nothing was recorded."
        );
        let far = problem(&json!({"elsewhere": 1}));
        assert!(far.contains("Expected one of `any`, `closed`, `count`, `open`, `score`;"), "{far}");
        assert!(problem(&json!({"x".repeat(10_000): 1})).len() < 300);
    }

    #[test]
    fn a_wrong_type_is_reported_with_its_path() {
        for (arguments, expected) in [
            (json!({"score": "high"}), "Invalid argument `score`: expected a number, found a text."),
            (json!({"count": 1.5}), "Invalid argument `count`: expected an integer, found a number."),
            (json!({"count": -1}), "Invalid argument `count`: expected at least 0, found -1."),
            (json!({"open": [1]}), "Invalid argument `open`: expected a text or an object, found a list."),
            (
                json!({"open": {"error": "yes"}}),
                "Invalid argument `open.error`: expected true or false, found a text.",
            ),
            (json!({"closed": null}), "Invalid argument `closed`: expected an object, found null."),
            (
                json!({"closed": {"id": "a", "list": ["b", 1]}}),
                "Invalid argument `closed.list[1]`: expected a text",
            ),
            (json!({"closed": {}}), "Missing argument `closed.id`."),
        ] {
            let problem = problem(&arguments);
            assert!(problem.starts_with(expected), "{problem}");
        }
    }

    #[test]
    fn an_open_object_may_have_unknown_keys_and_lack_known_ones() {
        assert_eq!(problem(&json!({"open": {"more": 1, "error": null}})), "");
    }
}
