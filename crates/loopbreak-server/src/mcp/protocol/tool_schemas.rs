//! Schemas of the tools, in the form that clients get.
//!
//! Every session of a client loads the list of tools, and most clients put it into the context of the model, so it is kept
//! small. Arguments are checked against the full schemas, which are in `ToolArguments`.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use serde_json::{Map, Value, json};

/// Largest depth at which definitions are inserted. The schemas of the tools have no recursion.
const MAX_DEPTH: usize = 16;

/// Parts of the usage of a step that are accepted but not listed: few clients know them.
const UNLISTED: [&str; 3] = ["cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens"];

/// Shortens the schemas of all tools. Names, types and requirements of arguments stay as they are.
pub(crate) fn compact<S>(mut router: ToolRouter<S>) -> ToolRouter<S> {
    for route in router.map.values_mut() {
        let tool = &mut route.attr;
        tool.input_schema = Arc::new(compact_input(&tool.input_schema));
        tool.output_schema = tool.output_schema.as_deref().map(outline_output).map(Arc::new);
        if let Some(annotations) = &mut tool.annotations {
            annotations.title = None;
        }
        // Doc comments are wrapped.
        tool.description = tool.description.take().map(|text| text.replace('\n', " ").into());
    }
    router
}

/// Shortens the schema of arguments: definitions are inserted where they are used, and only the arguments themselves are
/// described, not their parts.
fn compact_input(schema: &Map<String, Value>) -> Map<String, Value> {
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut compact = schema.clone();
    for key in ["$defs", "$schema", "description", "title"] {
        compact.remove(key);
    }
    let properties = compact.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        let description = property.get("description").cloned();
        insert_definitions(property, &definitions, 0);
        if let (Some(text), Some(property)) = (description, property.as_object_mut()) {
            property.insert("description".to_owned(), text);
        }
    }
    compact
}

/// Inserts definitions where they are used, and removes what no client needs. Number formats such as `uint64` are not part
/// of the standard, and clients warn about each.
fn insert_definitions(value: &mut Value, definitions: &Map<String, Value>, depth: usize) {
    if let Some(definition) = value
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| definitions.get(reference.strip_prefix("#/$defs/")?))
        .filter(|_| depth < MAX_DEPTH)
    {
        *value = definition.clone();
    }
    match value {
        Value::Object(object) => {
            // A property with one of these names would be an object.
            object.retain(|key, value| {
                !(matches!(key.as_str(), "description" | "format") && value.is_string()
                    || UNLISTED.contains(&key.as_str()))
            });
            if let Some(names) = object.get("oneOf").and_then(constants) {
                *value = json!({"type": "string", "enum": names});
                return;
            }
            for part in object.values_mut() {
                insert_definitions(part, definitions, depth + 1);
            }
            merge_alternatives(object);
        }
        Value::Array(items) => {
            for item in items {
                insert_definitions(item, definitions, depth + 1);
            }
        }
        _ => {}
    }
}

/// Merges alternatives: those of an alternative become alternatives themselves, and a schema or `null` becomes one schema
/// with both types.
fn merge_alternatives(schema: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = schema.remove("anyOf") else { return };
    let mut merged = Vec::new();
    for alternative in alternatives {
        match alternative {
            Value::Object(mut inner) if inner.len() == 1 && inner.contains_key("anyOf") => {
                merged.extend(
                    inner.remove("anyOf").and_then(|inner| inner.as_array().cloned()).into_iter().flatten(),
                );
            }
            other => merged.push(other),
        }
    }
    let null = json!({"type": "null"});
    match merged.as_mut_slice() {
        [Value::Object(only), other] if *other == null && only.get("type").is_some_and(Value::is_string) => {
            schema.append(only);
            let name = schema["type"].take();
            schema.insert("type".to_owned(), json!([name, "null"]));
            if let Some(Value::Array(names)) = schema.get_mut("enum") {
                names.push(Value::Null);
            }
        }
        _ => {
            schema.insert("anyOf".to_owned(), merged.into());
        }
    }
}

/// Returns the names in a choice of texts, `None` for any other choice.
fn constants(choice: &Value) -> Option<Vec<&str>> {
    choice.as_array()?.iter().map(|part| part.get("const")?.as_str()).collect()
}

/// Returns the outline of the schema of a result: its keys and their types. The parts of a result are in the guide.
fn outline_output(schema: &Map<String, Value>) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let outlined = properties.into_iter().flatten();
    let outlined = outlined.map(|(name, property)| (name.clone(), outline_property(property)));
    let mut outline = Map::new();
    outline.insert("type".to_owned(), "object".into());
    outline.insert("properties".to_owned(), Value::Object(outlined.collect()));
    outline.extend(schema.get_key_value("required").map(|(key, names)| (key.clone(), names.clone())));
    outline
}

/// Returns the type of a part of a result. A part without one is another result, which may be absent.
fn outline_property(property: &Value) -> Value {
    match (property.get("type"), property.get("anyOf")) {
        (Some(name), _) => json!({"type": name}),
        (None, Some(_)) => json!({"type": ["object", "null"]}),
        (None, None) => json!({"type": "object"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::protocol::McpServer;

    #[test]
    fn the_list_of_tools_is_small_and_refers_to_nothing() {
        let tools = compact(McpServer::router()).list_all();
        let list = serde_json::to_string(&tools).unwrap();
        // The message around the list needs less than 100 bytes.
        assert!(list.len() <= 11_900, "{} bytes: shorten descriptions", list.len());
        for part in ["$ref", "$defs", "\"format\"", "$schema"] {
            assert!(!list.contains(part), "{part}");
        }
        for tool in tools {
            let description = tool.description.unwrap_or_default();
            assert!(description.len() > 60, "{}: {description}", tool.name);
            assert!(!description.contains('\n'), "{}", tool.name);
        }
    }

    #[test]
    fn alternatives_are_merged() {
        let mut schema = json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]});
        let definitions = json!({
            "A": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {
                "b": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "null"}], "description": "gone"},
                "c": {"anyOf": [{"type": "object", "required": ["d"]}, {"type": "null"}]},
                "format": {"type": "integer", "format": "uint64", "minimum": 0}}}]},
            "B": {"oneOf": [{"const": "x", "type": "string", "description": "gone"}, {"const": "y", "type": "string"}]},
        });
        insert_definitions(&mut schema, definitions.as_object().unwrap(), 0);
        let expected = json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {
            "b": {"type": ["string", "null"], "enum": ["x", "y", null]},
            "c": {"type": ["object", "null"], "required": ["d"]},
            "format": {"type": "integer", "minimum": 0}}}, {"type": "null"}]});
        assert_eq!(schema, expected);
    }

    #[test]
    fn every_result_has_the_type_that_its_outline_says() {
        let full = McpServer::router();
        for tool in compact(McpServer::router()).list_all() {
            let outline = tool.output_schema.unwrap();
            let full = full.map[&tool.name].attr.output_schema.clone().unwrap();
            assert_eq!(outline["required"], full["required"], "{}", tool.name);
            let definitions = full.get("$defs").cloned().unwrap_or_default();
            for (name, property) in full["properties"].as_object().unwrap() {
                let reference = property.pointer("/anyOf/0/$ref").or(property.get("$ref"));
                let Some(reference) = reference.and_then(Value::as_str) else { continue };
                let definition = &definitions[reference.rsplit('/').next().unwrap()];
                assert_eq!(definition["type"], "object", "{name}");
                let outlined = outline["properties"][name]["type"].to_string();
                assert_eq!(outlined.contains("null"), property.get("anyOf").is_some(), "{name}: {outlined}");
            }
        }
    }
}
