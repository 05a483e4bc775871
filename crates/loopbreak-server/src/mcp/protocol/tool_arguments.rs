//! Reads the arguments of a call, and reports the invalid ones.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;

/// Arguments of a call. The schema of the tool is that of `T`.
pub(crate) struct ToolArguments<T>(pub(crate) Result<T, ToolError>);

impl<S, T: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for ToolArguments<T> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(ToolArguments(read(&context.arguments.take().unwrap_or_default())))
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

fn read<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, ToolError> {
    let error = match T::deserialize(arguments) {
        Ok(read) => return Ok(read),
        Err(error) => error.to_string(),
    };
    // The parser does not name the wrong argument. It is the one without which the error changes or
    // disappears.
    let without = |key: &String| {
        let fewer: Map<String, Value> = arguments
            .iter()
            .filter(|(other, _)| *other != key)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        T::deserialize(&fewer).map_or_else(|error| error.to_string(), |_| String::new())
    };
    let named = error.contains("field `");
    let culprit = arguments.keys().find(|key| !named && without(key) != error);
    let place = culprit.map_or_else(String::new, |key| format!(" in `{key}`"));
    Err(ToolError::new(format!("Invalid arguments{place}: {error}"), HINT))
}

const HINT: &str = "See the input schema of the tool; nothing was recorded";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::tools::input::{AttemptInput, StepInput};

    fn wrong<T: DeserializeOwned>(arguments: &Value) -> String {
        read::<T>(arguments.as_object().unwrap()).err().map(|error| error.text()).unwrap_or_default()
    }

    #[test]
    fn an_error_names_the_wrong_argument() {
        for (arguments, expected) in [
            (json!({"actoin": "x"}), "unknown field `actoin`, expected one of `run`"),
            (json!({"score": "high", "say": "x"}), "in `score`: invalid type: string \"high\""),
            (json!({"say": "x", "usage": {"input_tokens": -1}}), "in `usage`: invalid value: integer `-1`"),
        ] {
            let told = wrong::<StepInput>(&arguments);
            assert!(told.contains(expected), "{told}");
        }
        assert!(wrong::<AttemptInput>(&json!({"status": "done"})).contains("missing field `taskId`"));
        assert_eq!(wrong::<AttemptInput>(&json!({"status": "done", "taskId": "a"})), "");
    }
}
