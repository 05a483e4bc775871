//! The outline of a JSON value: enough to distinguish formats, even if only the beginning of the value is
//! available.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use loopbreak::step::StepText;

/// Maximum nesting depth.
const DEPTH: usize = 6;
/// Maximum number of paths.
const PATHS: usize = 600;
/// Number of list elements inspected.
const ELEMENTS: usize = 8;
/// Number of bytes kept of each text.
const TEXT: usize = 64;

/// The outline of a value: its paths, such as `messages.[].role`, and the beginnings of its texts.
#[derive(Debug)]
pub(crate) struct JsonOutline<'a> {
    /// The text of the value.
    pub(crate) text: &'a str,
    seen: Vec<(String, OutlineEntry)>,
    end: OutlineEnd,
}

#[derive(Debug, PartialEq, Eq)]
enum OutlineEntry {
    Object,
    List,
    Text(String),
    Other,
}

/// The end of the text of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutlineEnd {
    /// The value is complete.
    Whole,
    /// The text ends before the value does.
    Cut,
    /// The text is not JSON.
    Broken,
}

impl<'a> JsonOutline<'a> {
    /// Builds the outline of a text.
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut seen = Vec::new();
        let mut json = serde_json::Deserializer::from_str(text);
        let visited = json.deserialize_any(OutlineVisitor { path: "", depth: 0, seen: &mut seen });
        let end = match visited.and_then(|()| json.end()) {
            Ok(()) => OutlineEnd::Whole,
            Err(error) if error.is_eof() => OutlineEnd::Cut,
            Err(_) => OutlineEnd::Broken,
        };
        JsonOutline { text, seen, end }
    }

    /// Returns the end of the text.
    pub(crate) fn end(&self) -> OutlineEnd {
        self.end
    }

    /// Returns whether the text starts an object or a list, complete or not.
    pub(crate) fn is_container(&self) -> bool {
        matches!(self.get(""), Some(OutlineEntry::Object | OutlineEntry::List))
    }

    /// Returns whether the path exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Returns whether all paths exist.
    pub(crate) fn has_all(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| self.has(path))
    }

    /// Returns whether there is a list at the path.
    pub(crate) fn is_list(&self, path: &str) -> bool {
        self.get(path) == Some(&OutlineEntry::List)
    }

    /// Returns whether there is an object at the path.
    pub(crate) fn is_object(&self, path: &str) -> bool {
        self.get(path) == Some(&OutlineEntry::Object)
    }

    /// Returns the first text at the path.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.seen.iter().find_map(|(at, seen)| match seen {
            OutlineEntry::Text(text) if at == path => Some(text.as_str()),
            _ => None,
        })
    }

    fn get(&self, path: &str) -> Option<&OutlineEntry> {
        self.seen.iter().find(|(at, _)| at == path).map(|(_, seen)| seen)
    }
}

/// Records the value at a path and descends into it.
struct OutlineVisitor<'p, 's> {
    path: &'p str,
    depth: usize,
    seen: &'s mut Vec<(String, OutlineEntry)>,
}

impl OutlineVisitor<'_, '_> {
    /// Records only the first value of each type per path: the elements of a list usually look alike.
    fn record(&mut self, seen: OutlineEntry) {
        let is_same = |(path, before): &(String, OutlineEntry)| {
            path == self.path && std::mem::discriminant(before) == std::mem::discriminant(&seen)
        };
        if self.seen.len() < PATHS && !self.seen.iter().any(is_same) {
            self.seen.push((self.path.to_owned(), seen));
        }
    }

    fn inner(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

impl<'de> DeserializeSeed<'de> for OutlineVisitor<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth >= DEPTH || self.seen.len() >= PATHS {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OutlineVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_bool<E: Error>(mut self, _: bool) -> Result<(), E> {
        self.record(OutlineEntry::Other);
        Ok(())
    }
    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.record(OutlineEntry::Other);
        Ok(())
    }
    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.record(OutlineEntry::Other);
        Ok(())
    }
    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.record(OutlineEntry::Other);
        Ok(())
    }
    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.record(OutlineEntry::Other);
        Ok(())
    }
    fn visit_str<E: Error>(mut self, text: &str) -> Result<(), E> {
        let mut end = text.len().min(TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.record(OutlineEntry::Text(text[..end].to_owned()));
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.record(OutlineEntry::Object);
        while let Some(key) = map.next_key::<StepText<'de>>()? {
            let path = self.inner(&key);
            map.next_value_seed(OutlineVisitor { path: &path, depth: self.depth + 1, seen: self.seen })?;
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.record(OutlineEntry::List);
        let path = self.inner("[]");
        for _ in 0..ELEMENTS {
            let look = OutlineVisitor { path: &path, depth: self.depth + 1, seen: self.seen };
            if list.next_element_seed(look)?.is_none() {
                return Ok(());
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_paths_and_texts() {
        let outline =
            JsonOutline::parse(r#"{"type":"user","message":{"content":[{"text":"a"},{"id":1}]},"x":null}"#);
        assert_eq!(outline.end(), OutlineEnd::Whole);
        assert_eq!(outline.text("type"), Some("user"));
        assert!(outline.is_list("message.content"));
        assert!(outline.has_all(&["message.content.[].text", "message.content.[].id", "x"]));
        assert!(!outline.has("y"));
    }

    #[test]
    fn the_beginning_of_a_document_is_enough() {
        let outline = JsonOutline::parse("{\n \"messages\": [\n {\"role\": \"user\", \"con");
        assert_eq!(outline.end(), OutlineEnd::Cut);
        assert_eq!(outline.text("messages.[].role"), Some("user"));
        assert_eq!(JsonOutline::parse("{\"a\" 1}").end(), OutlineEnd::Broken);
        assert_eq!(JsonOutline::parse("{} {}").end(), OutlineEnd::Broken);
    }

    #[test]
    fn deep_and_wide_values_stay_within_the_limits() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(JsonOutline::parse(&deep).seen.len() <= PATHS);
        let wide =
            format!("{{{}\"z\":1}}", (0..5000).map(|i| format!("\"k{i}\":1,")).collect::<Vec<_>>().concat());
        assert_eq!(JsonOutline::parse(&wide).end(), OutlineEnd::Whole);
        assert_eq!(JsonOutline::parse(&wide).seen.len(), PATHS);
    }
}
