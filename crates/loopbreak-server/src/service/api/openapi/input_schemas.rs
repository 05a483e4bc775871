//! Schemas of bodies and parameters that differ from those of their types.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::mcp::tools::StepInput;
use crate::service::api::step_routes::StepRequest;

/// Returns the schema of a body that names its run.
pub(super) fn run_body<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    require_run(&mut schema);
    schema
}

fn require_run(schema: &mut Schema) {
    // Not blank, and on one line.
    let pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
    let run = json!({
        "type": "string", "minLength": 1, "maxLength": 200, "pattern": pattern,
        "description": "Name of the run, the same for one job: 1 to 200 characters on one line.",
    });
    let object = schema.ensure_object();
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("run".to_owned(), run);
    }
    match object.get_mut("required").and_then(Value::as_array_mut) {
        Some(required) => required.push("run".into()),
        None => drop(object.insert("required".to_owned(), json!(["run"]))),
    }
}

/// Returns the schema of steps: one, or an array of them.
pub(super) fn step_body(generator: &mut SchemaGenerator) -> Schema {
    let mut step = StepInput::json_schema(generator);
    require_run(&mut step);
    let request = StepRequest::json_schema(generator);
    let object = step.ensure_object();
    let id = request.pointer("/properties/id").cloned();
    if let (Some(properties), Some(id)) = (object.get_mut("properties").and_then(Value::as_object_mut), id) {
        properties.insert("id".to_owned(), id);
    }
    generator.definitions_mut().insert("StepRecord".to_owned(), step.to_value());
    let step = json!({"$ref": "#/components/schemas/StepRecord"});
    let steps = json!({"anyOf": [step, {"type": "array", "items": step, "maxItems": 1000}]});
    Schema::try_from(steps).unwrap_or_default()
}

/// Returns the schema of a request of OTLP in JSON. Its content is described by OpenTelemetry, and unknown fields are ignored.
pub(super) fn telemetry_body(_: &mut SchemaGenerator) -> Schema {
    let schema =
        json!({"type": "object", "description": "A request of OTLP: `resourceSpans` or `resourceLogs`."});
    Schema::try_from(schema).unwrap_or_default()
}

/// Returns the schema of a body that is not read.
pub(super) fn any_body(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}

/// Returns the parameters of a path.
pub(super) fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names
        .map(|name| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}})
        })
        .collect()
}

/// Returns the fields of an object as parameters of a query.
pub(super) fn query_parameters(schema: &Schema) -> Vec<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let fields = properties.into_iter().flatten().map(|(name, field)| {
        let mut field = field.clone();
        let description = field.as_object_mut().and_then(|field| field.remove("description"));
        without_null(&mut field);
        json!({"name": name, "in": "query", "description": description, "schema": field})
    });
    fields.collect()
}

/// Removes `null` from a schema: a parameter is absent instead.
fn without_null(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("default");
    if let Some(Value::Array(types)) = object.get("type") {
        let kept: Vec<Value> = types.iter().filter(|kind| *kind != "null").cloned().collect();
        if let [only] = kept.as_slice() {
            object.insert("type".to_owned(), only.clone());
        }
    }
    if let Some(Value::Array(choices)) = object.get("anyOf") {
        let kept: Vec<Value> = choices.iter().filter(|kind| kind["type"] != "null").cloned().collect();
        if let [only] = kept.as_slice() {
            *schema = only.clone();
        }
    }
}
