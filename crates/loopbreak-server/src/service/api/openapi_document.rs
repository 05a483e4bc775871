//! The description of the API as `OpenAPI` 3.1, whose schemas are those of the types that the routes read and write.

use std::sync::OnceLock;

use axum::response::Response;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::api_error::{ApiError, ErrorBody};
use super::event_stream::EventsQuery;
use super::loop_routes::LoopsQuery;
use super::run_output::{
    DoneOutput, EntryPage, HealthOutput, IssueOutput, IssuePage, LoopDecision, RunOutput, RunPage,
    StopRequest, UsageOutput,
};
use super::run_routes::{DaysQuery, EntriesQuery, RunsQuery, StatusQuery};
use super::service_api::json_text;
use super::step_routes::StepRequest;
use crate::mcp::tools::output::{
    AttemptOutput, LoopOutput, PlanOutput, RecoveryOutput, StatusOutput, TasksOutput,
};
use crate::mcp::tools::{
    AttemptInput, LoopInput, PlanInput, ProposalInput, RecoveryInput, StepInput, TaskStatusInput,
};
use crate::service::guards::{RulingReply, StepReply};

/// Function that returns a schema and adds what it refers to.
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// An operation of the API.
struct ApiOperation {
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    /// Scope that a token needs, empty if none is needed.
    scope: &'static str,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    reply: ReplyForm,
}

/// The form of the answer of an operation.
enum ReplyForm {
    Json(SchemaOf),
    /// The answers to steps, in the form in which they came.
    Steps,
    Text(&'static str),
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Returns the schema of an object itself, not a reference to it.
fn inline<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

const fn get(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    query: Option<SchemaOf>,
    reply: ReplyForm,
) -> ApiOperation {
    ApiOperation { method: "get", path, id, summary, scope: "read", query, body: None, reply }
}

const fn post(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    scope: &'static str,
    body: SchemaOf,
    reply: ReplyForm,
) -> ApiOperation {
    ApiOperation { method: "post", path, id, summary, scope, query: None, body: Some(body), reply }
}

const fn open(path: &'static str, id: &'static str, summary: &'static str, reply: ReplyForm) -> ApiOperation {
    ApiOperation { method: "get", path, id, summary, scope: "", query: None, body: None, reply }
}

/// All operations.
const OPERATIONS: &[ApiOperation] = &[
    ApiOperation {
        method: "post",
        path: "/v1/steps",
        id: "postSteps",
        summary: "Records steps and returns a verdict on each, in their order",
        scope: "ingest",
        query: None,
        body: Some(step_body),
        reply: ReplyForm::Steps,
    },
    post(
        "/v1/weigh",
        "weigh",
        "Asks whether to take an action. Records nothing",
        "ingest",
        run_body::<ProposalInput>,
        ReplyForm::Json(schema::<RulingReply>),
    ),
    post(
        "/v1/attempts",
        "recordAttempt",
        "Records an attempt at a task",
        "ingest",
        run_body::<AttemptInput>,
        ReplyForm::Json(schema::<AttemptOutput>),
    ),
    post(
        "/v1/detect_loop",
        "detectLoop",
        "Asks whether a run or a task loops. Records nothing",
        "ingest",
        run_body::<LoopInput>,
        ReplyForm::Json(schema::<LoopOutput>),
    ),
    post(
        "/v1/plan_next",
        "planNext",
        "Adds tasks and returns the next one",
        "ingest",
        run_body::<PlanInput>,
        ReplyForm::Json(schema::<PlanOutput>),
    ),
    post(
        "/v1/apply_recovery",
        "applyRecovery",
        "Applies the recommended recovery to a looping task",
        "ingest",
        run_body::<RecoveryInput>,
        ReplyForm::Json(schema::<RecoveryOutput>),
    ),
    post(
        "/v1/task_status",
        "taskStatus",
        "Returns the tasks of a run",
        "ingest",
        run_body::<TaskStatusInput>,
        ReplyForm::Json(schema::<TasksOutput>),
    ),
    get(
        "/v1/status",
        "status",
        "Returns the status of the runs of the last hour",
        Some(inline::<StatusQuery>),
        ReplyForm::Json(schema::<StatusOutput>),
    ),
    get(
        "/v1/usage",
        "usage",
        "Returns usage and waste by day",
        Some(inline::<DaysQuery>),
        ReplyForm::Json(schema::<UsageOutput>),
    ),
    get(
        "/v1/runs",
        "listRuns",
        "Returns runs, the latest first",
        Some(inline::<RunsQuery>),
        ReplyForm::Json(schema::<RunPage>),
    ),
    get("/v1/runs/{run}", "getRun", "Returns a run", None, ReplyForm::Json(schema::<RunOutput>)),
    ApiOperation {
        method: "delete",
        path: "/v1/runs/{run}",
        id: "forgetRun",
        summary: "Deletes a run with everything that is stored of it",
        scope: "admin",
        query: None,
        body: None,
        reply: ReplyForm::Json(schema::<DoneOutput>),
    },
    get(
        "/v1/runs/{run}/steps",
        "runSteps",
        "Returns the steps of a run with their answers",
        Some(inline::<EntriesQuery>),
        ReplyForm::Json(schema::<EntryPage>),
    ),
    get(
        "/v1/runs/{run}/events",
        "runEvents",
        "Returns what was found and done in a run",
        Some(inline::<EntriesQuery>),
        ReplyForm::Json(schema::<EntryPage>),
    ),
    post(
        "/v1/runs/{run}/stop",
        "stopRun",
        "Asks to stop a run: its next verdicts are `stop`",
        "admin",
        schema::<StopRequest>,
        ReplyForm::Json(schema::<DoneOutput>),
    ),
    get(
        "/v1/loops",
        "listLoops",
        "Returns loops over all runs",
        Some(inline::<LoopsQuery>),
        ReplyForm::Json(schema::<IssuePage>),
    ),
    get("/v1/loops/{loop}", "getLoop", "Returns a loop", None, ReplyForm::Json(schema::<IssueOutput>)),
    post(
        "/v1/loops/{loop}",
        "decideLoop",
        "Decides about a loop",
        "admin",
        schema::<LoopDecision>,
        ReplyForm::Json(schema::<IssueOutput>),
    ),
    get(
        "/v1/events",
        "events",
        "Streams entries as they are stored, as server-sent events",
        Some(inline::<EventsQuery>),
        ReplyForm::Text("text/event-stream"),
    ),
    get("/metrics", "metrics", "Returns metrics for Prometheus", None, ReplyForm::Text("text/plain")),
    open("/healthz", "health", "Returns whether the server runs", ReplyForm::Json(schema::<HealthOutput>)),
    open(
        "/readyz",
        "readiness",
        "Returns whether the store can be used",
        ReplyForm::Json(schema::<HealthOutput>),
    ),
];

/// Statuses of errors, with what they mean.
const ERRORS: [(&str, &str); 10] = [
    ("400", "The request cannot be used"),
    ("401", "The request has no valid token"),
    ("403", "The token has not the scope, or the host or origin is not accepted"),
    ("404", "There is no such run or loop in the project of the token"),
    ("408", "The body did not arrive in time"),
    ("413", "The body is too large"),
    ("415", "The body has a type that is not accepted"),
    ("422", "The request has the right form, and cannot be carried out"),
    ("429", "Too many steps or requests"),
    ("503", "The store cannot be used now, or another server guards the run"),
];

/// Types of which unknown names are ignored, as they are in logs.
const OPEN_NAMES: [&str; 2] = ["Denial", "HarnessEvent"];

/// Returns the description.
pub(super) async fn openapi() -> Result<Response, ApiError> {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    Ok(json_text(DOCUMENT.get_or_init(|| document().to_string()).clone()))
}

/// Builds the description.
pub(super) fn document() -> Value {
    let settings = |settings: SchemaSettings| {
        let settings = settings.with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        settings.into_generator()
    };
    let mut inputs = settings(SchemaSettings::draft2020_12().for_deserialize());
    let mut outputs = settings(SchemaSettings::draft2020_12().for_serialize());
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let described = operation.describe(&mut inputs, &mut outputs);
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(operation.method.to_owned(), described);
        }
    }
    let error = outputs.subschema_for::<ErrorBody>();
    let responses: Map<String, Value> = ERRORS
        .iter()
        .map(|(status, description)| {
            let mut response = json!({"description": description, "content": {"application/json": {"schema": error}}});
            if matches!(*status, "429" | "503") {
                response["headers"] = json!({"Retry-After": {
                    "description": "Seconds after which to try again", "required": true, "schema": {"type": "integer"},
                }});
            }
            ((*status).to_owned(), response)
        })
        .collect();
    let mut schemas = outputs.take_definitions(true);
    schemas.extend(inputs.take_definitions(true));
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
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Loopbreak",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The circuit breaker for agents as a service: steps in, verdicts out.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": responses,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

impl ApiOperation {
    fn describe(&self, inputs: &mut SchemaGenerator, outputs: &mut SchemaGenerator) -> Value {
        let mut parameters = path_parameters(self.path);
        parameters.extend(self.query.map(|query| query_parameters(&query(inputs))).unwrap_or_default());
        let mut described = json!({
            "operationId": self.id,
            "summary": self.summary,
            "responses": self.responses(outputs),
        });
        if self.id == "events" {
            parameters.push(json!({
                "name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "minimum": 0},
                "description": "Continue after this event",
            }));
        }
        if !parameters.is_empty() {
            described["parameters"] = parameters.into();
        }
        if let Some(body) = self.body {
            let schema = body(inputs);
            let mut content = json!({"application/json": {"schema": schema}});
            if self.id == "postSteps" {
                content["application/x-ndjson"] = json!({"schema": {"type": "string"}});
            }
            described["requestBody"] = json!({"required": true, "content": content});
        }
        if !self.scope.is_empty() {
            described["security"] = json!([{"token": []}]);
            described["description"] = format!("Needs the scope `{}`.", self.scope).into();
        }
        described
    }

    fn responses(&self, outputs: &mut SchemaGenerator) -> Value {
        let content = match &self.reply {
            ReplyForm::Json(schema) => json!({"application/json": {"schema": schema(outputs)}}),
            ReplyForm::Steps => {
                let reply = outputs.subschema_for::<StepReply>();
                json!({
                    "application/json": {"schema": {"anyOf": [reply, {"type": "array", "items": reply}]}},
                    "application/x-ndjson": {"schema": {"type": "string"}},
                })
            }
            ReplyForm::Text("text/event-stream") => json!({"text/event-stream": {}}),
            ReplyForm::Text(kind) => json!({*kind: {"schema": {"type": "string"}}}),
        };
        let mut responses = Map::new();
        responses.insert("200".to_owned(), json!({"description": self.summary, "content": content}));
        for (status, _) in ERRORS {
            let applies = match status {
                "401" => !self.scope.is_empty(),
                "404" => self.path.contains('{') || self.id == "status",
                "408" | "413" | "415" | "422" => self.body.is_some(),
                _ => true,
            };
            if applies {
                let reference = format!("#/components/responses/{status}");
                responses.insert(status.to_owned(), json!({"$ref": reference}));
            }
        }
        responses.into()
    }
}

fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names
        .map(|name| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}})
        })
        .collect()
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

/// Returns the fields of an object as parameters of a query.
fn query_parameters(schema: &Schema) -> Vec<Value> {
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

/// Returns the schema of a body that names its run.
fn run_body<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
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
fn step_body(generator: &mut SchemaGenerator) -> Schema {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_of_the_description_exists() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    for (name, field) in fields {
                        match field {
                            Value::String(text) if name == "$ref" => found.push(text.clone()),
                            field => references(field, found),
                        }
                    }
                }
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                _ => {}
            }
        }
        let document = document();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 50);
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn every_parameter_and_field_is_described() {
        let document = document();
        let parameters = document["paths"]["/v1/runs"]["get"]["parameters"].as_array().unwrap();
        assert_eq!(parameters.len(), 6);
        for parameter in parameters {
            assert!(parameter["description"].is_string(), "{parameter}");
        }
        let run = &document["components"]["schemas"]["RunOutput"]["properties"];
        for field in ["run", "steps", "verdict", "cost"] {
            assert!(run[field]["description"].is_string(), "{field}");
        }
    }
}
