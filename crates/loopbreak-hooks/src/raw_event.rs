//! An event as the agent sent it, for agents that spell its keys in their own way.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// The keys of an event with the text of their values. The values are kept as they are: the same arguments have to give the
/// same text every time.
#[derive(Debug)]
pub(crate) struct RawEvent<'a>(BTreeMap<String, Cow<'a, RawValue>>);

impl<'a> RawEvent<'a> {
    /// Parses an event, or returns `None` if it is not an object.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let keys: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
        Some(RawEvent(keys.into_iter().map(|(key, value)| (key, Cow::Borrowed(value))).collect()))
    }

    /// Rewrites an event. A text that is not an object is returned as it is, so that its error is reported as usual.
    pub(crate) fn rewrite(text: &'a str, change: impl FnOnce(&mut Self)) -> Cow<'a, str> {
        let Some(mut event) = RawEvent::parse(text) else { return Cow::Borrowed(text) };
        change(&mut event);
        serde_json::to_string(&event.0).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Gives a key another name, unless there is a value with that name already.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        if self.has(to) {
            return;
        }
        if let Some(value) = self.0.remove(from) {
            self.0.insert(to.to_owned(), value);
        }
    }

    /// Returns whether a key has a value that is neither null nor an empty text.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| !matches!(value.get(), "null" | "\"\""))
    }

    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.0.get(key)?.get()).ok()
    }

    /// Returns the value of a key that is a text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.0.get(key)?.get()).ok()
    }

    /// Sets the value of a key.
    pub(crate) fn set(&mut self, key: &str, value: &Value) {
        if let Ok(value) = RawValue::from_string(value.to_string()) {
            self.0.insert(key.to_owned(), Cow::Owned(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn renamed_values_keep_their_text() {
        let text = r#"{"id": "a", "input": {"z": 1.0, "a": 2}, "name": null}"#;
        let renamed = RawEvent::rewrite(text, |event| {
            event.rename("id", "session_id");
            event.rename("input", "tool_input");
            event.rename("absent", "cwd");
            event.set("name", &json!("Stop"));
        });
        assert_eq!(renamed, r#"{"name":"Stop","session_id":"a","tool_input":{"z": 1.0, "a": 2}}"#);
    }

    #[test]
    fn a_name_that_is_taken_is_kept() {
        let text = r#"{"id":"a","session_id":"b","dir":"c","cwd":""}"#;
        let renamed = RawEvent::rewrite(text, |event| {
            event.rename("id", "session_id");
            event.rename("dir", "cwd");
        });
        assert_eq!(renamed, r#"{"cwd":"c","id":"a","session_id":"b"}"#);
    }

    #[test]
    fn a_text_that_is_not_an_object_is_returned_as_it_is() {
        for text in ["", "[]", "3", "{\"a\":", "null", "{\"a\":1}x"] {
            assert!(matches!(RawEvent::rewrite(text, |_| {}), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn a_value_is_read_if_it_has_the_type() {
        let event = RawEvent::parse(r#"{"text":"a\"b","number":3}"#).unwrap();
        assert_eq!((event.text("text").as_deref(), event.text("number")), (Some("a\"b"), None));
        assert_eq!((event.value("number"), event.value("none")), (Some(json!(3)), None));
        assert!(event.has("number") && !event.has("none"));
    }
}
