//! Secrets recognized by their name: `password=…`, `"token": "…"`, `--api-key …`, `Authorization: Basic …`.

use std::ops::Range;

use super::{MASK, is_random, is_word, run};

/// Returns the value after the separator at `at`, if the name before it is that of a secret.
pub(super) fn after_name(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let (name, quoted_name) = name_before(bytes, at)?;
    let kind = kind_of(&bytes[name.clone()])?;
    let mut start = at + 1;
    if bytes[at] == b':' && bytes.get(start) == Some(&b'=') {
        start += 1;
    }
    // Comparisons, arrows and paths (`==`, `=>`, `::`) do not separate a name from a value.
    if matches!(bytes.get(start), Some(b'=' | b'>' | b':')) {
        return None;
    }
    let blanks = run(bytes, start, is_blank);
    let spaced = blanks > 0 || bytes.get(at.wrapping_sub(1)).is_some_and(|&byte| is_blank(byte));
    let value = KeyedValue::at(bytes, start + blanks)?;
    match kind {
        SecretKind::Header => header_value(bytes, &value),
        SecretKind::Secret if value.quoted || quoted_name || !spaced => value.secret(bytes),
        SecretKind::Secret => {
            let content = &bytes[value.range.clone()];
            let hidden = if begins_line(bytes, name.start) { !is_code(content) } else { is_random(content) };
            if hidden && !content.contains(&b'(') { value.secret(bytes) } else { None }
        }
    }
}

/// Returns the value after a flag such as `--password` that begins at `at`.
pub(super) fn after_flag(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let starts_word = at == 0 || bytes[at - 1].is_ascii_whitespace();
    if !starts_word || !bytes[at..].starts_with(b"--") {
        return None;
    }
    let name = at + 2..at + 2 + run(bytes, at + 2, is_word);
    if !matches!(kind_of(&bytes[name.clone()]), Some(SecretKind::Secret)) {
        return None;
    }
    let blanks = run(bytes, name.end, is_blank);
    if blanks == 0 || bytes.get(name.end + blanks) == Some(&b'-') {
        return None;
    }
    KeyedValue::at(bytes, name.end + blanks)?.secret(bytes)
}

#[derive(Clone, Copy)]
enum SecretKind {
    Secret,
    /// A header whose value begins with the name of a scheme, which is kept.
    Header,
}

/// Returns the kind of secret by the end of a name (`DB_PASSWORD`, `x-api-key`), so that `token_count` and
/// `tokens` do not match.
fn kind_of(name: &[u8]) -> Option<SecretKind> {
    const SECRET: [&str; 9] = [
        "password",
        "passwd",
        "passphrase",
        "token",
        "secret",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
    ];
    const LONGEST: usize = 13;
    // The end of the name, in reverse, without separators, in lower case.
    let mut end = [0; LONGEST];
    let plain = name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric());
    let mut length = 0;
    for (slot, byte) in end.iter_mut().zip(plain) {
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    let end = &end[..length];
    let ends_with =
        |word: &str| end.len() >= word.len() && word.bytes().rev().eq(end[..word.len()].iter().copied());
    if ends_with("authorization") {
        Some(SecretKind::Header)
    } else {
        SECRET.into_iter().any(ends_with).then_some(SecretKind::Secret)
    }
}

/// Returns the name that ends before the separator at `at`, and whether it is quoted.
fn name_before(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    const BLANKS: usize = 4;
    let blanks = bytes[..at].iter().rev().take(BLANKS).take_while(|&&byte| is_blank(byte)).count();
    let mut end = at - blanks;
    let quoted = end > 0 && is_quote(bytes[end - 1]);
    if quoted {
        end -= 1;
        if end > 0 && bytes[end - 1] == b'\\' {
            end -= 1;
        }
    }
    let length = bytes[..end].iter().rev().take_while(|&&byte| is_word(byte)).count();
    (length > 0).then_some((end - length..end, quoted))
}

/// Returns whether only spaces, list marks or opening brackets precede `at` in its line: a setting, not prose.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().find(|&&byte| !is_blank(byte));
    before.is_none_or(|byte| {
        matches!(byte, b'\n' | b'\r' | b'-' | b'{' | b'[' | b'(' | b',' | b';' | b'|' | b'>' | b'\'' | b'"')
    })
}

/// Returns whether a value is a word that declarations have in the position of a value.
fn is_code(value: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] =
        [b"string", b"str", b"&str", b"number", b"bool", b"boolean", b"bytes", b"any", b"unknown"];
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
        || value.starts_with(b"Option<")
        || value.starts_with(b"process.env")
        || value.starts_with(b"os.environ")
}

struct KeyedValue {
    range: Range<usize>,
    quoted: bool,
}

impl KeyedValue {
    /// Returns the value that begins at `start`, or `None` for a placeholder.
    fn at(bytes: &[u8], start: usize) -> Option<Self> {
        let escaped = usize::from(bytes.get(start) == Some(&b'\\'));
        let quote = bytes.get(start + escaped).copied().filter(|&byte| is_quote(byte));
        let content = if quote.is_some() { start + escaped + 1 } else { start };
        // Tested before the end is searched for, so that a row of placeholders is not read to its end from
        // each of them.
        if is_placeholder(bytes, content) {
            return None;
        }
        let range = match quote {
            Some(quote) => quoted(bytes, content, quote, escaped == 1),
            None => content..content + run(bytes, content, |byte| !ends_value(byte)),
        };
        (!range.is_empty()).then_some(Self { range, quoted: quote.is_some() })
    }

    fn secret(self, bytes: &[u8]) -> Option<Range<usize>> {
        const NOTHING: [&[u8]; 6] = [b"null", b"none", b"true", b"false", b"undefined", b"nil"];
        let value = &bytes[self.range.clone()];
        let nothing = NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word));
        (!nothing).then_some(self.range)
    }
}

/// Returns whether `$NAME`, `${…`, `<…`, `{…`, `[…` or a mask begins at `start`.
fn is_placeholder(bytes: &[u8], start: usize) -> bool {
    let Some(&first) = bytes.get(start) else { return false };
    let rest = start + 1;
    let after_name =
        || bytes.get(rest + run(bytes, rest, |byte| byte == b'_' || byte.is_ascii_alphanumeric()));
    match first {
        b'<' | b'{' | b'[' => true,
        b'$' if matches!(bytes.get(rest), Some(b'{' | b'(')) => true,
        b'$' => after_name().is_none_or(|&byte| ends_value(byte)),
        _ => bytes[start..].starts_with(MASK.as_bytes()),
    }
}

/// Returns the range between quotes, up to the end of the line if the closing quote is missing.
fn quoted(bytes: &[u8], start: usize, quote: u8, escaped: bool) -> Range<usize> {
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

/// Returns the part of an `Authorization` value after its scheme, or all of it if it has none and looks random.
fn header_value(bytes: &[u8], value: &KeyedValue) -> Option<Range<usize>> {
    let content = &bytes[value.range.clone()];
    let first = value.range.start..value.range.start + run(content, 0, |byte| !ends_value(byte));
    let blanks = run(bytes, first.end, is_blank);
    let second = first.end + blanks;
    let rest = second..second + run(bytes, second, |byte| !ends_value(byte));
    let scheme = [&b"basic"[..], b"bearer", b"token", b"digest", b"apikey", b"negotiate"];
    let scheme = scheme.iter().any(|word| bytes[first.clone()].eq_ignore_ascii_case(word));
    if scheme && blanks > 0 && !rest.is_empty() {
        (!is_placeholder(bytes, rest.start)).then_some(rest)
    } else if !scheme && is_random(&bytes[first.clone()]) {
        Some(first)
    } else {
        None
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

const fn ends_value(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || is_quote(byte)
        || matches!(byte, b',' | b';' | b'&' | b')' | b'}' | b']' | b'\\')
}
