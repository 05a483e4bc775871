//! The arguments of a call, or what is wrong with them in words that help.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fault::Fault;

/// The arguments of a call. The schema of the tool is that of `T`.
pub(crate) struct Parameters<T>(pub(crate) Result<T, Fault>);

impl<S, T: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for Parameters<T> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(Parameters(read(&context.arguments.take().unwrap_or_default())))
    }
}

impl<T: JsonSchema> JsonSchema for Parameters<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

fn read<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, Fault> {
    let error = match T::deserialize(arguments) {
        Ok(read) => return Ok(read),
        Err(error) => error.to_string(),
    };
    // The parser does not say which argument it was at. It is the one without which there is another error, or none.
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
    Err(Fault::new(format!("wrong arguments{place}: {error}"), HINT))
}

const HINT: &str = "The input schema of the tool says what each argument looks like; nothing was recorded";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::input::{AttemptInput, StepInput};
    use super::*;

    fn wrong<T: DeserializeOwned>(arguments: &Value) -> String {
        read::<T>(arguments.as_object().unwrap()).err().map(|fault| fault.text()).unwrap_or_default()
    }

    #[test]
    fn what_is_wrong_is_named() {
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
