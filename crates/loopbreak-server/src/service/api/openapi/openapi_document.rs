//! The description of the API as `OpenAPI` 3.1, whose schemas are those of the types that the routes read and write.

use std::sync::OnceLock;

use axum::response::Response;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::api_operations::{ApiOperation, OPERATIONS, ReplyForm};
use super::input_schemas::{path_parameters, query_parameters};
use super::schema_adjustments::{adjust_definitions, bound_integers, generator};
use crate::service::api::api_error::{ApiError, ErrorBody};
use crate::service::api::service_api::json_text;
use crate::service::guards::StepReply;

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

/// Returns the description.
pub(in crate::service::api) async fn openapi() -> Result<Response, ApiError> {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    Ok(json_text(DOCUMENT.get_or_init(|| document().to_string()).clone()))
}

/// Builds the description.
fn document() -> Value {
    let mut inputs = generator(SchemaSettings::draft2020_12().for_deserialize());
    let mut outputs = generator(SchemaSettings::draft2020_12().for_serialize());
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let described = operation.describe(&mut inputs, &mut outputs);
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(operation.method.to_owned(), described);
        }
    }
    let error = outputs.subschema_for::<ErrorBody>();
    let mut responses = Map::new();
    for (status, description) in ERRORS {
        let mut response =
            json!({"description": description, "content": {"application/json": {"schema": error}}});
        if matches!(status, "429" | "503") {
            response["headers"] = json!({"Retry-After": {
                "description": "Seconds after which to try again", "required": true, "schema": {"type": "integer"},
            }});
        }
        // Telemetry that was let in gets the errors of OTLP.
        let mut telemetry = response.clone();
        telemetry["content"] = json!({
            "application/json": {"schema": {"anyOf": [error, {"$ref": "#/components/schemas/OtlpStatus"}]}},
            "application/x-protobuf": {},
        });
        responses.insert(format!("Otlp{status}"), telemetry);
        responses.insert(status.to_owned(), response);
    }
    let mut schemas = outputs.take_definitions(true);
    schemas.extend(inputs.take_definitions(true));
    schemas.insert("OtlpStatus".to_owned(), otlp_status());
    adjust_definitions(&mut schemas);
    let mut document = json!({
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
    });
    bound_integers(&mut document);
    document
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
                "name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "format": "int64", "minimum": 0},
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
            if self.is_telemetry() {
                content["application/x-protobuf"] = json!({"schema": {"type": "string", "format": "binary"}});
            }
            described["requestBody"] = json!({"required": true, "content": content});
        }
        if !self.scope.is_empty() {
            described["security"] = json!([{"token": []}]);
            described["description"] = format!("Needs the scope `{}`.", self.scope).into();
        }
        described
    }

    fn is_telemetry(&self) -> bool {
        matches!(self.reply, ReplyForm::Telemetry)
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
            ReplyForm::Telemetry => json!({
                "application/json": {"schema": {"type": "object", "properties": {"partialSuccess": {
                    "type": "object", "description": "What was not used, and notes for the sender",
                }}}},
                "application/x-protobuf": {},
            }),
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
                let kind = if self.is_telemetry() { "Otlp" } else { "" };
                let reference = format!("#/components/responses/{kind}{status}");
                responses.insert(status.to_owned(), json!({"$ref": reference}));
            }
        }
        responses.into()
    }
}

/// Returns the schema of an error of OTLP.
fn otlp_status() -> Value {
    json!({
        "type": "object", "required": ["code", "message"], "description": "An error of OTLP.",
        "properties": {
            "code": {"type": "integer", "description": "Status of gRPC."},
            "message": {"type": "string", "description": "Description of the problem."},
        },
    })
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
