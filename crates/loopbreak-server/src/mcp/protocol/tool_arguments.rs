//! Reads the arguments of a call, and reports the invalid ones.

use std::any::Any;
use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::{ToolCallContext, schema_for_type};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use super::argument_check::check_arguments;

/// Arguments of a call. The schema of the tool is that of `T`.
pub(crate) struct ToolArguments<T>(pub(crate) Result<T, ToolError>);

impl<S, T: DeserializeOwned + JsonSchema + Any> FromContextPart<ToolCallContext<'_, S>> for ToolArguments<T> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(ToolArguments(read(context.arguments.take().unwrap_or_default())))
    }
}

impl<T: JsonSchema> JsonSchema for ToolArguments<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Checks arguments against the schema of `T` and reads them.
pub(crate) fn read<T: DeserializeOwned + JsonSchema + Any>(
    arguments: Map<String, Value>,
) -> Result<T, ToolError> {
    check_arguments(&schema_for_type::<T>(), &arguments)?;
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let error = error.to_string();
        // Arguments that were parsed again have a position, which means nothing to the caller.
        let what = error.split(" at line ").next().unwrap_or_default();
        ToolError::new(
            format!("Invalid arguments: {what}"),
            "See the input schema of the tool; nothing was recorded",
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::tools::{AttemptInput, StepInput};

    fn error<T: DeserializeOwned + JsonSchema + Any>(arguments: &Value) -> String {
        read::<T>(arguments.as_object().unwrap().clone()).map_or_else(|error| error.text(), |_| String::new())
    }

    #[test]
    fn an_error_names_the_wrong_argument() {
        for (arguments, expected) in [
            (json!({"actoin": "x"}), "Unknown argument `actoin`. Did you mean `action`?"),
            (
                json!({"usage": {"input_token": 1}}),
                "Unknown argument `usage.input_token`. Did you mean `input_tokens`?",
            ),
            (json!({"score": "high", "say": "x"}), "Invalid argument `score`: expected a number"),
            (
                json!({"say": "x", "usage": {"input_tokens": -1}}),
                "Invalid argument `usage.input_tokens`: expected at least 0",
            ),
            (json!({"run": 7, "say": "x"}), "Invalid argument `run`: expected a text"),
            (json!({"task": {"id": 7}}), "Invalid argument `task.id`: expected a text"),
            (json!({"critic": {}}), "Missing argument `critic.score`"),
            (json!({"action": 5}), "Invalid argument `action`: expected a text or an object"),
            (json!({"say": "x", "destination": []}), "Invalid arguments: "),
            (json!({"at": "noon"}), "Invalid arguments: invalid time: use RFC 3339"),
        ] {
            let error = error::<StepInput>(&arguments);
            assert!(error.starts_with(expected), "{error}");
            assert!(!error.contains(" at line "), "{error}");
        }
        assert!(error::<AttemptInput>(&json!({"status": "done"})).starts_with("Missing argument `taskId`"));
        assert_eq!(error::<AttemptInput>(&json!({"status": "done", "taskId": "a"})), "");
    }

    #[test]
    fn parts_of_a_step_may_be_incomplete_as_in_a_log() {
        for step in [
            json!({"action": {"args": {"command": "ls"}, "mood": "blue"}}),
            json!({"outcome": {"text": null, "error": null}, "place": {"id": 3}}),
            json!({"place": {"id": 3, "exits": ["north"]}, "destination": 4}),
            json!({"action": "north", "destination": "Hall"}),
            json!({"action": "north", "destination": {"id": 4, "name": "Hall"}}),
            json!({"objectives": {"active": null, "completed": ["a", {"objective": "b"}]}}),
        ] {
            assert_eq!(error::<StepInput>(&step), "", "{step}");
        }
    }
}
