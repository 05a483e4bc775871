//! Schemas of the tools, in the form that clients accept.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use serde_json::{Map, Value};

/// Removes the formats of numbers such as `uint64`. They are not part of the standard, and clients warn about each.
pub(crate) fn without_number_formats<S>(mut router: ToolRouter<S>) -> ToolRouter<S> {
    for route in router.map.values_mut() {
        let tool = &mut route.attr;
        let output = tool.output_schema.as_mut();
        for schema in std::iter::once(&mut tool.input_schema).chain(output) {
            remove_formats(Arc::make_mut(schema));
        }
    }
    router
}

fn remove_formats(schema: &mut Map<String, Value>) {
    // An argument with this name would be an object.
    if schema.get("format").is_some_and(Value::is_string) {
        schema.remove("format");
    }
    schema.values_mut().for_each(remove_nested);
}

fn remove_nested(value: &mut Value) {
    match value {
        Value::Object(object) => remove_formats(object),
        Value::Array(items) => items.iter_mut().for_each(remove_nested),
        _ => {}
    }
}
