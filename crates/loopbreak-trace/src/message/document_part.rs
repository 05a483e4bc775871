//! Walks through a JSON document that holds a log, part by part. A truncated document yields the parts before the
//! cut.

use std::fmt;

use loopbreak::step::StepText;
use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::log_format::LogUnit;
use crate::skip_reason::SkipReason;

/// A part of a document.
#[derive(Debug)]
pub(crate) struct DocumentPart<'a> {
    /// Key of the part; empty in a list at the top.
    pub(crate) key: StepText<'a>,
    /// True if it is an element of a list under the key.
    pub(crate) listed: bool,
    /// JSON text of the part.
    pub(crate) json: &'a RawValue,
    /// Line number at which it starts.
    pub(crate) line: u64,
}

impl<'a> DocumentPart<'a> {
    /// Returns the part as a unit.
    pub(crate) fn unit(&self) -> LogUnit<'a> {
        LogUnit { text: self.json.get(), line: self.line, file: None }
    }
}

/// Visits every key of an object. Lists under the given keys, and a list at the top, are visited element by element.
pub(crate) fn walk_document<'a>(
    unit: LogUnit<'a>,
    lists: &[&str],
    take: &mut dyn FnMut(DocumentPart<'a>),
) -> Result<(), SkipReason> {
    let mut json = serde_json::Deserializer::from_str(unit.text);
    let mut place = LineCounter { text: unit.text, counted: 0, line: unit.line };
    let walked =
        json.deserialize_any(DocumentVisitor { lists, place: &mut place, take }).and_then(|()| json.end());
    walked.map_err(|error| SkipReason::malformed(unit.text, &error))
}

/// Finds the line at which a part starts.
struct LineCounter<'a> {
    text: &'a str,
    counted: usize,
    line: u64,
}

impl LineCounter<'_> {
    fn line_of(&mut self, part: &RawValue) -> u64 {
        // Parts arrive in order, so each byte is counted once.
        let at = (part.get().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if let Some(between) = self.text.as_bytes().get(self.counted..at) {
            self.line += memchr::memchr_iter(b'\n', between).count() as u64;
            self.counted = at;
        }
        self.line
    }
}

struct DocumentVisitor<'w, 'a> {
    lists: &'w [&'w str],
    place: &'w mut LineCounter<'a>,
    take: &'w mut dyn FnMut(DocumentPart<'a>),
}

impl<'a> Visitor<'a> for DocumentVisitor<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }
    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<StepText<'a>>()? {
            if self.lists.contains(&&*key) {
                map.next_value_seed(ElementVisitor { key, place: self.place, take: self.take })?;
            } else {
                let json: &'a RawValue = map.next_value()?;
                let line = self.place.line_of(json);
                (self.take)(DocumentPart { key, listed: false, json, line });
            }
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'a>>(self, list: A) -> Result<(), A::Error> {
        ElementVisitor { key: StepText::default(), place: self.place, take: self.take }.visit_seq(list)
    }
}

struct ElementVisitor<'w, 'a> {
    key: StepText<'a>,
    place: &'w mut LineCounter<'a>,
    take: &'w mut dyn FnMut(DocumentPart<'a>),
}

impl<'a> DeserializeSeed<'a> for ElementVisitor<'_, 'a> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for ElementVisitor<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(json) = list.next_element::<&'a RawValue>()? {
            let line = self.place.line_of(json);
            (self.take)(DocumentPart { key: self.key.clone(), listed: true, json, line });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Vec<(String, bool, String, u64)>, bool) {
        let mut parts = Vec::new();
        let whole = walk_document(LogUnit { text, line: 1, file: None }, &["list"], &mut |part| {
            parts.push((part.key.to_string(), part.listed, part.json.get().to_owned(), part.line));
        });
        (parts, whole.is_ok())
    }

    #[test]
    fn visits_keys_and_elements_with_their_lines() {
        let (parts, whole) = parts("{\n \"id\": \"x\",\n \"list\": [\n  {\"a\": 1},\n  2\n ]\n}");
        assert!(whole);
        let expected = [("id", false, "\"x\"", 2), ("list", true, "{\"a\": 1}", 4), ("list", true, "2", 5)];
        assert_eq!(parts, expected.map(|(key, listed, json, line)| (key.into(), listed, json.into(), line)));
    }

    #[test]
    fn visits_the_parts_before_a_cut() {
        let (parts, whole) = parts("{\"id\":1,\"list\":[1,{\"a\":2},{\"b\":");
        assert!(!whole);
        assert_eq!(parts.iter().map(|part| part.2.as_str()).collect::<Vec<_>>(), ["1", "1", "{\"a\":2}"]);
    }

    #[test]
    fn visits_a_list_at_the_top_and_ignores_other_values_under_a_list_key() {
        assert_eq!(parts("[1,[2]]").0.len(), 2);
        assert!(
            parts("{\"list\":null}").1 && parts("{\"list\":{\"a\":[1]}}").1 && parts("{\"list\":\"x\"}").1
        );
        assert!(!parts("3").1);
    }
}
