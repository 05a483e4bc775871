//! The positions of values in a JSON text.

use std::ops::Range;

/// A value in a text, with its position.
#[derive(Debug)]
pub(super) struct JsonNode {
    pub(super) span: Range<usize>,
    kind: JsonNodeKind,
}

#[derive(Debug)]
enum JsonNodeKind {
    Object(Vec<(String, Range<usize>, JsonNode)>),
    Array(Vec<JsonNode>),
    Plain,
}

/// A step of the path to a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JsonPathStep<'a> {
    Key(&'a str),
    Index(usize),
}

impl JsonNode {
    /// Parses a text. Returns `None` if it is not JSON.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // Serde checks that it is JSON. The scanner only finds positions.
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        JsonScanner { text, at: 0, depth: 0 }.value()
    }

    /// Returns the object or array at a path.
    pub(super) fn find(&self, path: &[JsonPathStep<'_>]) -> Option<&JsonNode> {
        let Some((first, rest)) = path.split_first() else {
            return (!matches!(self.kind, JsonNodeKind::Plain)).then_some(self);
        };
        let index = self.index_of(*first)?;
        let next = match &self.kind {
            JsonNodeKind::Object(members) => &members.get(index)?.2,
            JsonNodeKind::Array(values) => values.get(index)?,
            JsonNodeKind::Plain => return None,
        };
        next.find(rest)
    }

    /// Returns the index of a member or an element.
    pub(super) fn index_of(&self, step: JsonPathStep<'_>) -> Option<usize> {
        match (step, &self.kind) {
            (JsonPathStep::Key(key), JsonNodeKind::Object(members)) => {
                members.iter().position(|(name, _, _)| name == key)
            }
            (JsonPathStep::Index(index), JsonNodeKind::Array(_)) => Some(index),
            _ => None,
        }
    }

    /// Returns the positions of the members, with their keys, or of the elements.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        match &self.kind {
            JsonNodeKind::Object(members) => {
                members.iter().map(|(_, key, value)| key.start..value.span.end).collect()
            }
            JsonNodeKind::Array(values) => values.iter().map(|value| value.span.clone()).collect(),
            JsonNodeKind::Plain => Vec::new(),
        }
    }
}

/// Finds the positions of values in a text that is valid JSON.
struct JsonScanner<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl JsonScanner<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn value(&mut self) -> Option<JsonNode> {
        self.depth += 1;
        let first = self.peek().filter(|_| self.depth < 100)?;
        let start = self.at;
        let kind = match first {
            b'{' => JsonNodeKind::Object(self.list(b'}', |scan| {
                let key = scan.string()?;
                let name = serde_json::from_str(&scan.text[key.clone()]).ok()?;
                scan.peek().filter(|byte| *byte == b':')?;
                scan.at += 1;
                Some((name, key, scan.value()?))
            })?),
            b'[' => JsonNodeKind::Array(self.list(b']', JsonScanner::value)?),
            b'"' => {
                self.string()?;
                JsonNodeKind::Plain
            }
            _ => {
                let rest = &self.text[self.at..];
                self.at += rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                JsonNodeKind::Plain
            }
        };
        self.depth -= 1;
        Some(JsonNode { span: start..self.at, kind })
    }

    fn list<T>(&mut self, end: u8, mut part: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut parts = Vec::new();
        self.at += 1;
        while self.peek()? != end {
            if self.peek()? == b',' {
                self.at += 1;
                self.peek()?;
            }
            parts.push(part(self)?);
        }
        self.at += 1;
        Some(parts)
    }

    fn string(&mut self) -> Option<Range<usize>> {
        self.peek().filter(|byte| *byte == b'"')?;
        let start = self.at;
        self.at += 1;
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at)
    }
}
