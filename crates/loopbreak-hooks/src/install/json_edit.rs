//! Edits one value of a JSON text. The rest is kept as it is: order, indentation, line ends.

use std::ops::Range;

use super::json_node::{JsonNode, JsonPathStep};

/// Adds a member to the object at a path, or an element to the array there.
pub(crate) fn add(text: &str, path: &[JsonPathStep<'_>], key: Option<&str>, value: &str) -> Option<String> {
    let root = JsonNode::parse(text)?;
    let node = root.find(path)?;
    let spans: Vec<Range<usize>> = node.parts();
    let ends = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let outer = indent_before(text, node.span.start);
    // If the first part is on its own line, its indentation applies to all.
    let inner = spans.first().and_then(|first| own_line_indent(text, first.start));
    let inner = inner.map_or_else(|| format!("{outer}{}", indent_unit(text)), str::to_owned);
    let value = value.replace('\n', &format!("{ends}{inner}"));
    let part = key.map_or_else(|| value.clone(), |key| format!("{}: {value}", serde_json::Value::from(key)));
    let mut changed = text.to_owned();
    if let Some(last) = spans.last() {
        changed.insert_str(last.end, &format!(",{ends}{inner}{part}"));
    } else {
        let inside = node.span.start + 1..node.span.end - 1;
        changed.replace_range(inside, &format!("{ends}{inner}{part}{ends}{outer}"));
    }
    Some(changed)
}

/// Removes the member or element at a path, and its comma.
pub(crate) fn remove(text: &str, path: &[JsonPathStep<'_>]) -> Option<String> {
    let root = JsonNode::parse(text)?;
    let (last, before) = path.split_last()?;
    let parent = root.find(before)?;
    let index = parent.index_of(*last)?;
    let parts = parent.parts();
    let part = parts.get(index)?;
    let gap = match (index.checked_sub(1).and_then(|before| parts.get(before)), parts.get(index + 1)) {
        (Some(before), _) => before.end..part.end,
        (None, Some(after)) => part.start..after.start,
        (None, None) => parent.span.start + 1..parent.span.end - 1,
    };
    let mut changed = text.to_owned();
    changed.replace_range(gap, "");
    Some(changed)
}

/// Returns the indentation of the line of a position.
fn indent_before(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start().len()]
}

/// Returns the indentation before a position, if nothing else is before it on its line.
fn own_line_indent(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    text[start..at].trim().is_empty().then_some(&text[start..at])
}

/// Returns one level of indentation, as the text has it.
fn indent_unit(text: &str) -> &str {
    let first = text.lines().map(|line| &line[..line.len() - line.trim_start().len()]);
    first.filter(|indent| !indent.is_empty()).min_by_key(|indent| indent.len()).unwrap_or("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "{\n    \"z\": [1,2],   \"a\\\"b\": \"}{\",\n    \"hooks\": {\n        \"Stop\": [ {\"x\": 1} ]\n    }\n}\n";

    #[test]
    fn adding_a_value_keeps_the_rest_of_the_text() {
        let added = add(ODD, &[JsonPathStep::Key("hooks")], Some("New"), "[]").unwrap();
        assert_eq!(added, ODD.replace("{\"x\": 1} ]", "{\"x\": 1} ],\n        \"New\": []"));
        let added = add("{}", &[], Some("a"), "{\n  \"b\": 1\n}").unwrap();
        assert_eq!(added, "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
        assert_eq!(add("[1]", &[], Some("a"), "1").as_deref(), Some("[1,\n  \"a\": 1]"));
        assert_eq!(add("{\"a\":1}", &[JsonPathStep::Key("a")], None, "1"), None);
        assert_eq!(add("{oops", &[], None, "1"), None);
    }

    #[test]
    fn removing_a_value_removes_its_comma() {
        for (text, path, left) in [
            ("{\"a\": 1, \"b\": 2}", JsonPathStep::Key("a"), "{\"b\": 2}"),
            ("{\"a\": 1, \"b\": 2}", JsonPathStep::Key("b"), "{\"a\": 1}"),
            ("{ \"a\": [] }", JsonPathStep::Key("a"), "{}"),
            ("[1, 2, 3]", JsonPathStep::Index(1), "[1, 3]"),
        ] {
            assert_eq!(remove(text, &[path]).as_deref(), Some(left));
        }
        assert_eq!(remove("[]", &[JsonPathStep::Index(0)]), None);
    }

    #[test]
    fn removing_an_added_value_restores_the_text() {
        let added =
            add(ODD, &[JsonPathStep::Key("hooks"), JsonPathStep::Key("Stop")], None, "{\n  \"y\": 2\n}")
                .unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&added).is_ok(), "{added}");
        let path = [JsonPathStep::Key("hooks"), JsonPathStep::Key("Stop"), JsonPathStep::Index(1)];
        assert_eq!(remove(&added, &path).as_deref(), Some(ODD));
    }
}
