//! Values after a name: where they end, and whether they are a secret, a placeholder or code.

use std::ops::Range;

use super::{MASK, run};

/// A value in a text.
pub(super) struct SecretValue {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

impl SecretValue {
    /// Returns the value that begins at `start`, or `None` for a placeholder.
    pub(super) fn at(bytes: &[u8], start: usize) -> Option<Self> {
        // Quotes in a JSON string are escaped, in a JSON string in a JSON string twice.
        let escaped = run(bytes, start, |byte| byte == b'\\').min(3);
        let quote = bytes.get(start + escaped).copied().filter(|&byte| is_quote(byte));
        let content = if quote.is_some() { start + escaped + 1 } else { start };
        // Tested before the end is searched for, so that a row of placeholders is not read to its end from
        // each of them.
        if is_placeholder(bytes, content) {
            return None;
        }
        let range = match quote {
            Some(quote) => quoted(bytes, content, quote, escaped > 0),
            None => content..content + run(bytes, content, |byte| !ends_value(byte)),
        };
        (!range.is_empty()).then_some(Self { range, quoted: quote.is_some() })
    }

    /// Returns whether the value is a word for nothing.
    pub(super) fn is_nothing(&self, bytes: &[u8]) -> bool {
        const NOTHING: [&[u8]; 7] = [b"null", b"none", b"true", b"false", b"undefined", b"nil", b"optional"];
        let value = &bytes[self.range.clone()];
        NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word))
    }
}

/// Returns whether `$NAME`, `${…`, `%NAME%`, `<…`, `{…`, `[…` or a mask begins at `start`.
pub(super) fn is_placeholder(bytes: &[u8], start: usize) -> bool {
    let Some(&first) = bytes.get(start) else { return false };
    let rest = start + 1;
    let name = || run(bytes, rest, |byte| byte == b'_' || byte.is_ascii_alphanumeric());
    match first {
        b'<' | b'{' | b'[' | b'(' => true,
        0xe2 => bytes[start..].starts_with("…".as_bytes()),
        b'$' if matches!(bytes.get(rest), Some(b'{' | b'(')) => true,
        b'$' => bytes.get(rest + name()).is_none_or(|&byte| ends_value(byte) || byte == b':'),
        b'%' => {
            let end = rest + name();
            bytes.get(rest) == Some(&b'{')
                || end == rest + 1 && bytes.get(end).is_none_or(|&byte| ends_value(byte))
                || end > rest
                    && bytes.get(end) == Some(&b'%')
                    && bytes.get(end + 1).is_none_or(|&byte| ends_value(byte))
        }
        b'.' => bytes[start..].starts_with(b"..."),
        b'x' | b'X' | b'*' => {
            let same = run(bytes, start, |byte| byte == first);
            same >= MASK.len() && bytes.get(start + same).is_none_or(|&byte| ends_value(byte) || byte == b'@')
                || bytes[start..].starts_with(MASK.as_bytes())
        }
        _ => false,
    }
}

/// Returns the range between quotes, up to the end of the line if the closing quote is missing.
pub(super) fn quoted(bytes: &[u8], start: usize, quote: u8, escaped: bool) -> Range<usize> {
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        if byte == b'\n' || byte == quote {
            break;
        }
        if byte == b'\\' && bytes.get(end + 1).is_some_and(|&next| next != b'\n') {
            if escaped && bytes[end + 1] == quote {
                break;
            }
            end += 1;
        }
        end += 1;
    }
    // A backslash before a multi-byte character leaves the end inside it.
    while bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end += 1;
    }
    start..end.min(bytes.len())
}

/// Returns whether an unquoted value looks random and not like a word.
pub(super) fn is_random(value: &[u8]) -> bool {
    value.len() >= 16 || value.iter().any(u8::is_ascii_digit)
}

/// Returns whether a value looks as if a machine or a careful person made it: eight bytes or more with letters and digits, not a
/// path, an address, a date or code.
pub(super) fn looks_made(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let mixed = letters >= 2 && digits >= 1;
    let both_cases = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let code = value.iter().any(|byte| b"()[]{}<>$ ".contains(byte));
    value.len() >= 8 && (mixed || value.len() >= 20 && both_cases) && !is_path(value) && !code
}

/// Returns whether a part of a value is a mask already.
pub(super) fn is_masked_in_part(value: &[u8]) -> bool {
    value.windows(MASK.len()).any(|part| part == MASK.as_bytes())
}

/// Returns whether a value is a path or an address.
pub(super) fn is_path(value: &[u8]) -> bool {
    value.starts_with(b"/")
        || value.starts_with(b"~")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.get(1..3).is_some_and(|rest| matches!(rest, b":\\" | b":/"))
        || value.windows(3).any(|part| part == b"://")
}

/// Returns whether an unquoted value is an expression or a type of a programming language. `next` is the byte after it.
pub(super) fn is_code(value: &[u8], next: Option<u8>) -> bool {
    const WORDS: [&[u8]; 12] = [
        b"string", b"str", b"&str", b"number", b"bool", b"boolean", b"bytes", b"any", b"unknown", b"self",
        b"int", b"text",
    ];
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:&*?!".contains(byte);
    let is_identifier = value.iter().all(is_part) && digits <= value.len() / 8;
    let ends_part = matches!(next, Some(b',' | b';' | b')' | b'}' | b'(' | b'[' | b'{'));
    let has = |part: &[u8]| value.windows(part.len()).any(|here| here == part);
    let is_snake = has(b"_") && value.iter().all(|byte| matches!(byte, b'_' | b'a'..=b'z' | b'0'..=b'9'));
    let is_constant = has(b"_") && value.iter().all(|byte| matches!(byte, b'_' | b'A'..=b'Z' | b'0'..=b'9'));
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
        || value.iter().any(|byte| matches!(byte, b'(' | b'<' | b'>' | b'|'))
        || has(b"::")
        || has(b"![")
        || value.starts_with(b"&")
        || value.starts_with(b"*mut")
        || value.starts_with(b"*const")
        || value.starts_with(b"process.env")
        || value.starts_with(b"os.environ")
        // A member, such as `self.current_token`, a name that ends a field or a statement, a constant, a type.
        || is_identifier && value[1..].contains(&b'.')
        || ends_part && (is_identifier && digits == 0 || is_snake)
        || is_constant
        || is_type(value)
}

/// Returns whether a value is the name of a type, such as `SecretStr`: few words of letters, each with a capital. More capitals
/// than one in three letters are those of a password.
fn is_type(value: &[u8]) -> bool {
    let name = value.strip_suffix(b"?").unwrap_or(value);
    let words = 1 + name
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    name.len() < 16
        && name.first().is_some_and(u8::is_ascii_uppercase)
        && name.iter().all(u8::is_ascii_alphabetic)
        && name.iter().any(u8::is_ascii_lowercase)
        && words <= name.len().div_ceil(4)
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

pub(super) const fn ends_value(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || is_quote(byte)
        || matches!(byte, b',' | b';' | b'&' | b')' | b'}' | b']' | b'\\')
}
