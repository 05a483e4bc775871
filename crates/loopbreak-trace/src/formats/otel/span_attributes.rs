//! The attributes of a span that matter.

use std::fmt;

use loopbreak::step::StepText;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Attributes by name. A value that is not a text is kept as JSON.
#[derive(Debug, Default)]
pub(super) struct SpanAttributes<'a>(Vec<(StepText<'a>, StepText<'a>)>);

impl<'a> SpanAttributes<'a> {
    /// Returns the first of these attributes that exists and is not empty.
    pub(super) fn get(&self, names: &[&str]) -> Option<&StepText<'a>> {
        names.iter().find_map(|name| {
            let (_, value) = self.0.iter().find(|(key, value)| &**key == *name && !value.is_empty())?;
            Some(value)
        })
    }

    /// Returns the first of these attributes as a number.
    pub(super) fn count(&self, names: &[&str]) -> Option<u64> {
        self.get(names)?.trim().parse().ok()
    }
}

/// Returns whether an attribute is used. Others repeat the whole conversation in every span.
fn is_wanted(key: &str) -> bool {
    const NAMES: &[&str] = &[
        "openinference.span.kind",
        "traceloop.span.kind",
        "traceloop.entity.name",
        "traceloop.entity.input",
        "traceloop.entity.output",
        "input.value",
        "output.value",
        "tool.name",
        "agent.name",
        "session.id",
        "llm.model_name",
        "error.type",
        // Events of agents.
        "conversation.id",
        "event.name",
        "event.kind",
        "event.timestamp",
        "agent_id",
        "agent_name",
        "model",
        "prompt",
        "response",
        "metadata",
        "tool_name",
        "function_name",
        "tool_input",
        "tool_parameters",
        "arguments",
        "function_args",
        "tool_use_id",
        "call_id",
        "success",
        "error",
        "error_message",
        "output",
        "tool_output",
        "decision",
        "source",
        "cost_usd",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_creation_tokens",
        "cache_creation_1h_tokens",
        "cache_write_token_count",
        "input_token_count",
        "output_token_count",
        "cached_token_count",
        "cached_content_token_count",
    ];
    NAMES.contains(&key)
        || key.starts_with("llm.token_count.")
        || key.starts_with("llm.output_messages.0.")
        || key.starts_with("gen_ai.completion.0.")
        || (key.starts_with("gen_ai.")
            && !key.starts_with("gen_ai.input")
            && !key.starts_with("gen_ai.prompt"))
}

impl<'de: 'a, 'a> Deserialize<'de> for SpanAttributes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AttributesVisitor;
        impl<'de> Visitor<'de> for AttributesVisitor {
            type Value = SpanAttributes<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("attributes")
            }
            fn visit_unit<E: Error>(self) -> Result<SpanAttributes<'de>, E> {
                Ok(SpanAttributes::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SpanAttributes<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    if is_wanted(&key) {
                        all.push((key, plain(map.next_value()?)));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(SpanAttributes(all))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SpanAttributes<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(pair) = list.next_element::<OtlpAttribute<'de>>()? {
                    if is_wanted(&pair.key)
                        && let Some(value) = pair.value
                    {
                        all.push((pair.key, tagged(value)));
                    }
                }
                Ok(SpanAttributes(all))
            }
        }
        deserializer.deserialize_any(AttributesVisitor)
    }
}

/// An attribute in the form of OTLP.
#[derive(Deserialize)]
struct OtlpAttribute<'a> {
    #[serde(borrow)]
    key: StepText<'a>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
}

fn plain(json: &RawValue) -> StepText<'_> {
    match json.get() {
        "null" => StepText::default(),
        text => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    }
}

/// Parses a value under the name of its type.
pub(super) fn tagged(json: &RawValue) -> StepText<'_> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct OtlpValue<'a> {
        #[serde(borrow, rename = "stringValue", alias = "string_value")]
        string: Option<StepText<'a>>,
        #[serde(borrow, rename = "intValue", alias = "int_value")]
        int: Option<&'a RawValue>,
        #[serde(borrow, rename = "doubleValue", alias = "double_value")]
        double: Option<&'a RawValue>,
        #[serde(borrow, rename = "boolValue", alias = "bool_value")]
        bool: Option<&'a RawValue>,
    }
    let tagged: OtlpValue<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    match (tagged.string, tagged.int.or(tagged.double).or(tagged.bool)) {
        (Some(text), _) => text,
        (None, Some(other)) => plain(other),
        (None, None) => structured(json.get()).unwrap_or_else(|| json.get().into()),
    }
}

/// Largest depth of lists and objects that are written as plain JSON.
const MAX_DEPTH: usize = 32;

/// Writes a list or an object of OTLP as plain JSON, as instrumentations write it into a text.
fn structured(json: &str) -> Option<StepText<'static>> {
    let value: Value = serde_json::from_str(json).ok()?;
    Some(plain_value(&value, 0)?.to_string().into())
}

fn plain_value(value: &Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let (kind, content) = value.as_object()?.iter().next()?;
    let values = || content.get("values").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match kind.as_str() {
        "arrayValue" | "array_value" => values().iter().map(|item| plain_value(item, depth + 1)).collect(),
        "kvlistValue" | "kvlist_value" => {
            let pairs = values().iter().map(|pair| {
                let key = pair.get("key")?.as_str()?.to_owned();
                Some((
                    key,
                    pair.get("value").map_or(Some(Value::Null), |value| plain_value(value, depth + 1))?,
                ))
            });
            pairs.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
        }
        "intValue" | "int_value" => {
            let number = content.as_str().and_then(|digits| digits.parse::<i64>().ok());
            Some(number.map_or_else(|| content.clone(), Value::from))
        }
        _ => Some(content.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms_of_attributes() {
        for json in [
            r#"{"tool.name":"find","llm.token_count.prompt":12,"llm.input_messages.0.message.content":"long"}"#,
            r#"[{"key":"tool.name","value":{"stringValue":"find"}},{"key":"llm.token_count.prompt","value":{"intValue":"12"}},{"key":"x"}]"#,
        ] {
            let attributes: SpanAttributes<'_> = serde_json::from_str(json).unwrap();
            assert_eq!(attributes.0.len(), 2);
            assert_eq!(attributes.get(&["no", "tool.name"]).map(|name| &**name), Some("find"));
            assert_eq!(attributes.count(&["llm.token_count.prompt"]), Some(12));
        }
    }

    #[test]
    fn objects_and_lists_become_plain_json() {
        let json = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            tagged(&raw).to_string()
        };
        let object = r#"{"kvlistValue":{"values":[{"key":"command","value":{"stringValue":"ls"}},
            {"key":"list","value":{"arrayValue":{"values":[{"intValue":"1"},{"boolValue":true}]}}},{"key":"none"}]}}"#;
        assert_eq!(json(object), r#"{"command":"ls","list":[1,true],"none":null}"#);
        assert_eq!(json(r#"{"arrayValue":{}}"#), "[]");
        let deep = format!("{}{}", r#"{"arrayValue":{"values":["#.repeat(40), "]}}".repeat(40));
        assert_eq!(json(&deep), deep, "too deep to be rewritten");
    }
}
