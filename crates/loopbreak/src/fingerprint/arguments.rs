//! Finds single arguments in the JSON of an action without parsing the rest.
//!
//! The JSON was validated when the step was read, so finding the start and end of a value is enough. Text that is not
//! JSON has no arguments.

use std::borrow::Cow;

use crate::text::scan::end_of_string;

/// Length limit of a text that can be a name, in bytes.
const LONGEST: usize = 4096;
/// Number of texts that are read.
const ARGUMENTS: usize = 32;

/// Returns the text argument whose name comes first in `names`.
pub(crate) fn text_under<'j>(json: &'j str, names: &[impl AsRef<str>]) -> Option<Cow<'j, str>> {
    let texts = fields(json).filter_map(|(key, value)| Some((key, text(value)?)));
    let mut texts = texts.filter(|(_, text)| text.len() <= LONGEST).take(ARGUMENTS);
    let (mut best, mut found) = (names.len(), None);
    while best > 0
        && let Some((key, text)) = texts.next()
    {
        if let Some(rank) = names[..best].iter().position(|name| key.eq_ignore_ascii_case(name.as_ref())) {
            (best, found) = (rank, Some(text));
        }
    }
    found
}

/// Returns the text of a JSON string.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// Returns the names and raw values of a JSON object in the order of the text.
pub(crate) fn fields(json: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    let mut reader = JsonParts::new(json, '{');
    std::iter::from_fn(move || {
        let key = reader.next()?;
        reader.skip_blanks();
        reader.at += usize::from(reader.peek()? == b':');
        let value = reader.next()?;
        Some((text(key)?, value))
    })
}

/// Returns the raw values of a JSON list.
pub(crate) fn items(json: &str) -> impl Iterator<Item = &str> {
    let mut reader = JsonParts::new(json, '[');
    std::iter::from_fn(move || reader.next())
}

/// Reads the values inside an object or a list.
struct JsonParts<'j> {
    json: &'j str,
    at: usize,
}

impl<'j> JsonParts<'j> {
    fn new(json: &'j str, opening: char) -> Self {
        JsonParts { json, at: if json.starts_with(opening) { 1 } else { json.len() } }
    }

    fn next(&mut self) -> Option<&'j str> {
        self.skip_blanks();
        let start = self.at;
        match self.peek()? {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_nested(),
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r');
                let rest = &self.json.as_bytes()[start..];
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
            }
        }
        self.json.get(start..self.at).filter(|value| !value.is_empty())
    }

    fn skip_string(&mut self) {
        let bytes = self.json.as_bytes();
        self.at = (end_of_string(bytes, self.at + 1) + 1).min(bytes.len());
    }

    fn skip_nested(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    /// Skips commas and white space before a value.
    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte == b',' || byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_first_name_that_has_a_text_wins() {
        let json = r#"{"limit":3,"path":"src","file_path":"a\n.rs","nested":{"url":"x"}}"#;
        assert_eq!(text_under(json, &["file_path", "path"]).as_deref(), Some("a\n.rs"));
        assert_eq!(text_under(json, &["path"]).as_deref(), Some("src"));
        assert_eq!(text_under(json, &["Path"]).as_deref(), Some("src"));
        assert_eq!(text_under(json, &["limit", "url"]), None);
        for odd in ["", "{", "\"path\"", "[1]", "null", "{\"path\":"] {
            assert_eq!(text_under(odd, &["path"]), None, "{odd}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..5)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_parts_equal_those_of_a_full_parse(value in any_json(), pretty in any::<bool>()) {
            let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let json = json.unwrap();
            let read = |part: &str| serde_json::from_str::<Value>(part).unwrap();
            let found: serde_json::Map<_, _> = fields(&json).map(|(key, value)| (key.into_owned(), read(value))).collect();
            prop_assert_eq!(found, value.as_object().cloned().unwrap_or_default());
            let found: Vec<Value> = items(&json).map(read).collect();
            prop_assert_eq!(found, value.as_array().cloned().unwrap_or_default());
            let told = text(&json);
            prop_assert_eq!(told.as_deref(), value.as_str());
        }

        #[test]
        fn no_text_makes_it_panic(json in "[{\\[\\]}\",:\\\\ a1]{0,30}") {
            let _ = (fields(&json).count(), items(&json).count(), text(&json));
        }
    }
}
