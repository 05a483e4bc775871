//! Reads the arguments of a call that was logged as text: `'a51', 3, force=True`.

use serde_json::{Map, Number, Value};

/// Limit of the text that is read, in bytes. Longer texts are documents, not argument lists.
const LONGEST: usize = 16 * 1024;

/// Nesting limit of lists.
const DEEPEST: u32 = 16;

/// Parses an argument list. Positional arguments give an array, keyword arguments an object. Returns `None` if the
/// text is anything else. Words without quotes are accepted only inside of brackets (`bare`), where they cannot be a
/// sentence.
pub(super) fn parse_arguments(text: &str, bare: bool) -> Option<Value> {
    if text.len() > LONGEST {
        return None;
    }
    let mut reader = ArgumentReader { rest: text.trim(), bare, depth: 0 };
    let (mut listed, mut named) = (Vec::new(), Map::new());
    while !reader.rest.is_empty() {
        let name = reader.keyword();
        let value = reader.value()?;
        match name {
            Some(name) => _ = named.insert(name, value),
            None => listed.push(value),
        }
        reader.rest = reader.rest.trim_start();
        if reader.rest.is_empty() {
            break;
        }
        reader.rest = reader.rest.strip_prefix(',')?.trim_start();
    }
    match (listed.is_empty(), named.is_empty()) {
        (_, true) => Some(Value::Array(listed)),
        (true, false) => Some(Value::Object(named)),
        // Positional arguments before keywords keep their positions as names.
        (false, false) => {
            let positions = listed.into_iter().enumerate().map(|(at, value)| (at.to_string(), value));
            named.extend(positions);
            Some(Value::Object(named))
        }
    }
}

struct ArgumentReader<'t> {
    rest: &'t str,
    bare: bool,
    depth: u32,
}

impl ArgumentReader<'_> {
    /// Takes `name=`, if the next argument has a name.
    fn keyword(&mut self) -> Option<String> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let (name, after) = self.rest.split_at(end);
        let value = after.trim_start().strip_prefix('=').filter(|value| !value.starts_with('='))?;
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins.then(|| {
            self.rest = value.trim_start();
            name.to_owned()
        })
    }

    fn value(&mut self) -> Option<Value> {
        match self.rest.as_bytes().first()? {
            quote @ (b'\'' | b'"') => self.quoted(*quote as char).map(Value::String),
            b'[' | b'{' => self.json(),
            _ => self.word(),
        }
    }

    /// Reads a string in quotes, with the escapes of Python and JSON.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &self.rest[at + c.len_utf8()..];
                return Some(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                escaped @ ('\\' | '\'' | '"') => text.push(escaped),
                letter @ ('u' | 'x') => {
                    let digits = if letter == 'u' { 4 } else { 2 };
                    let code: String = chars.by_ref().take(digits).map(|(_, digit)| digit).collect();
                    text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                }
                other => text.extend(['\\', other]),
            }
        }
        None
    }

    /// Reads a list or an object that is JSON.
    fn json(&mut self) -> Option<Value> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        if let Some(Ok(value)) = values.next() {
            self.rest = &self.rest[values.byte_offset()..];
            return Some(value);
        }
        self.python_list()
    }

    /// Reads a list whose strings have the quotes of Python.
    fn python_list(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        self.rest = self.rest.strip_prefix('[')?.trim_start();
        let mut values = Vec::new();
        loop {
            if let Some(rest) = self.rest.strip_prefix(']') {
                self.rest = rest;
                self.depth -= 1;
                return Some(Value::Array(values));
            }
            values.push(self.value()?);
            self.rest = self.rest.trim_start();
            self.rest = self.rest.strip_prefix(',').unwrap_or(self.rest).trim_start();
        }
    }

    /// Reads a number, a constant, or a word without quotes.
    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find([',', ']', '}']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let word = word.trim_end();
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => match number(word) {
                Some(number) => Value::Number(number),
                None if self.bare && is_bare(word) => Value::String(word.to_owned()),
                None => return None,
            },
        };
        self.rest = rest;
        Some(value)
    }
}

fn number(word: &str) -> Option<Number> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let word = word.strip_prefix('+').unwrap_or(word);
    let whole = word.parse::<i64>().ok().map(Number::from);
    whole.or_else(|| Number::from_f64(word.parse().ok()?))
}

/// Returns whether text without quotes can be one argument: a name, an id, an address.
fn is_bare(word: &str) -> bool {
    !word.is_empty() && !word.contains(['(', ')', '\'', '"', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_in_text_are_read_like_json() {
        for (text, value) in [
            ("'a51'", json!(["a51"])),
            ("'147', 'two words, one comma'", json!(["147", "two words, one comma"])),
            ("0, 500", json!([0, 500])),
            ("-3.5, True, None", json!([-3.5, true, null])),
            (r"'it\'s', 'a\nb'", json!(["it's", "a\nb"])),
            ("command='ls -l', timeout=5", json!({"command": "ls -l", "timeout": 5})),
            ("['a', 'b']", json!([["a", "b"]])),
            (r#"{"a": [1, "x"]}, 2"#, json!([{"a": [1, "x"]}, 2])),
            ("'a', n=1", json!({"0": "a", "n": 1})),
            ("", json!([])),
        ] {
            assert_eq!(parse_arguments(text, false), Some(value), "{text}");
        }
        assert_eq!(parse_arguments("a51", true), Some(json!(["a51"])));
    }

    #[test]
    fn sentences_and_commands_are_not_argument_lists() {
        for text in [
            "Ed Oxenbould",
            "ls -la",
            "'a' | grep b",
            "echo 'x'",
            "'open",
            "a == b",
            "[1, 2",
            &"[".repeat(9000),
        ] {
            assert_eq!(parse_arguments(text, false), None, "{text}");
        }
    }
}
