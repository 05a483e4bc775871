//! The schemas of the tools, as clients want them.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use serde_json::{Map, Value};

/// Takes out the formats of numbers (`uint64`): they are no part of the standard, and clients complain of each of them.
pub(crate) fn standard<S>(mut router: ToolRouter<S>) -> ToolRouter<S> {
    for route in router.map.values_mut() {
        let tool = &mut route.attr;
        let output = tool.output_schema.as_mut();
        for schema in std::iter::once(&mut tool.input_schema).chain(output) {
            without_formats(Arc::make_mut(schema));
        }
    }
    router
}

fn without_formats(schema: &mut Map<String, Value>) {
    // An argument of this name would be an object.
    if schema.get("format").is_some_and(Value::is_string) {
        schema.remove("format");
    }
    schema.values_mut().for_each(look_into);
}

fn look_into(value: &mut Value) {
    match value {
        Value::Object(object) => without_formats(object),
        Value::Array(items) => items.iter_mut().for_each(look_into),
        _ => {}
    }
}
