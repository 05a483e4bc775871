//! Reads a list of Python literals, as web agents write the arguments of a call: `'a51', 'text', ['x'], 3, True`.

use serde_json::{Value, json};

/// Parses the arguments of a call. Returns `None` for anything else than literals, such as keyword arguments.
pub(super) fn parse_arguments(text: &str) -> Option<Vec<Value>> {
    let mut reader = LiteralReader { rest: text };
    let list = reader.list(None)?;
    reader.rest.is_empty().then_some(list)
}

struct LiteralReader<'t> {
    rest: &'t str,
}

impl<'t> LiteralReader<'t> {
    /// Reads values up to the closing bracket, or up to the end of the text.
    fn list(&mut self, close: Option<char>) -> Option<Vec<Value>> {
        let mut list = Vec::new();
        loop {
            self.skip_blanks();
            if self.ends(close) {
                return Some(list);
            }
            list.push(self.value()?);
            self.skip_blanks();
            if !self.take(",") {
                return self.ends(close).then_some(list);
            }
        }
    }

    fn ends(&mut self, close: Option<char>) -> bool {
        match close {
            None => self.rest.is_empty(),
            Some(close) => self.take(close.encode_utf8(&mut [0; 4])),
        }
    }

    fn value(&mut self) -> Option<Value> {
        if self.take("[") {
            return Some(Value::Array(self.list(Some(']'))?));
        }
        if self.rest.starts_with(['\'', '"']) {
            let mut text = self.string()?;
            // Adjacent strings are one string.
            loop {
                self.skip_blanks();
                if !self.rest.starts_with(['\'', '"']) {
                    return Some(Value::String(text));
                }
                text += &self.string()?;
            }
        }
        let end = self.rest.find([',', ']', ' ', '\n', '\t']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "True" => Some(json!(true)),
            "False" => Some(json!(false)),
            "None" => Some(Value::Null),
            _ => number(word),
        }
    }

    /// Reads a string in single or double quotes. A line break inside of one is not Python.
    fn string(&mut self) -> Option<String> {
        let quote = self.next()?;
        let mut text = String::new();
        loop {
            match self.next()? {
                char if char == quote => return Some(text),
                '\n' => return None,
                '\\' => self.escape(&mut text)?,
                char => text.push(char),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let char = match self.next()? {
            '\n' => return Some(()),
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            char @ ('\\' | '\'' | '"') => char,
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            'U' => self.code(8)?,
            // Python keeps the backslash of an escape that it does not know.
            char => {
                text.push('\\');
                char
            }
        };
        text.push(char);
        Some(())
    }

    /// Reads the code of a character in hexadecimal digits.
    fn code(&mut self, digits: usize) -> Option<char> {
        let code = self.rest.get(..digits)?;
        self.rest = &self.rest[digits..];
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn take(&mut self, token: &str) -> bool {
        let rest: Option<&'t str> = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

fn number(word: &str) -> Option<Value> {
    if !word.trim_start_matches(['-', '+']).starts_with(|char: char| char.is_ascii_digit() || char == '.') {
        return None;
    }
    let whole = word.parse::<i64>().ok().map(Value::from);
    whole.or_else(|| serde_json::Number::from_f64(word.parse().ok()?).map(Value::Number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_become_json() {
        for (text, expected) in [
            ("", json!([])),
            ("'a51'", json!(["a51"])),
            (r#"'it\'s', "x\n""#, json!(["it's", "x\n"])),
            ("'a', ['b', 'c',], -3, 0.5, True, None,", json!(["a", ["b", "c"], -3, 0.5, true, null])),
            (r"'\u00e9\d'", json!(["é\\d"])),
            ("'a' 'b'", json!(["ab"])),
        ] {
            assert_eq!(parse_arguments(text).map(Value::Array), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_literals() {
        for text in ["'a", "button='left'", "'a', x", "'a' 3", "'line\nbreak'", "[1", "1]", ",", "'a',,'b'"] {
            assert_eq!(parse_arguments(text), None, "{text}");
        }
    }
}
