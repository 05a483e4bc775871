//! Secrets recognized by the name before them: `password=…`, `"token": "…"`, `--api-key …`, `<password>…</password>`.

use std::ops::Range;

use super::secret_name::{SecretName, kind_of};
use super::secret_value::{
    SecretValue, ends_value, is_blank, is_code, is_masked_in_part, is_path, is_placeholder, is_quote,
    is_random, looks_made,
};
use super::{FoundSecret, is_word, run};

/// Longest name of a value, in bytes. A longer one is read by its end.
const NAME_BYTES: usize = 64;

/// Returns the value after the separator at `at`, if the name before it is that of a secret.
pub(super) fn after_name(text: &str, at: usize) -> Option<FoundSecret> {
    let bytes = text.as_bytes();
    let (name, quoted_name) = name_before(bytes, at)?;
    let kind = kind_of(&bytes[name.clone()])?;
    // A result of a Go test: `--- PASS: TestName`.
    if kind == SecretName::Ambiguous && bytes[..name.start].ends_with(b"--- ") {
        return None;
    }
    let mut start = at + 1;
    if bytes[at] == b':' && bytes.get(start) == Some(&b'=') {
        start += 1;
    }
    let arrow = bytes[at] == b'=' && bytes.get(start) == Some(&b'>');
    if arrow {
        start += 1;
    }
    // Comparisons and paths (`==`, `::`) do not separate a name from a value.
    if matches!(bytes.get(start), Some(b'=' | b'>' | b':')) {
        return None;
    }
    let blanks = run(bytes, start, is_blank);
    let spaced = blanks > 0 || bytes.get(at.wrapping_sub(1)).is_some_and(|&byte| is_blank(byte));
    let start = start + blanks;
    if let Some(line) = next_line(bytes, start) {
        return on_next_line(bytes, line, kind);
    }
    // The quotation of the name ends here: `password=`.
    let opens = name.start.checked_sub(1).map(|before| bytes[before]).filter(|&byte| is_quote(byte));
    if blanks == 0 && !quoted_name && opens.is_some() && bytes.get(start).copied() == opens {
        return None;
    }
    let value = SecretValue::at(bytes, start)?;
    // An arrow without quotes is a function.
    if arrow && !value.quoted || value.is_nothing(bytes) {
        return None;
    }
    let place =
        KeyedPlace { separator: bytes[at], quoted_name, spaced, sets: begins_line(bytes, name.start) };
    let content = &bytes[value.range.clone()];
    // What is masked in part looks random because of the mask.
    if matches!(kind, SecretName::Qualified | SecretName::Ambiguous) && is_masked_in_part(content) {
        return None;
    }
    let found = |rule, range| Some(FoundSecret { rule, range });
    match kind {
        SecretName::Header => found("authorization", header_value(bytes, &value)?),
        SecretName::Cookie => found("cookie", cookies(bytes, &value, &place)?),
        SecretName::Mnemonic => found("mnemonic", mnemonic(bytes, &value)?),
        SecretName::Signature => {
            let in_query = name.start > 0 && matches!(bytes[name.start - 1], b'?' | b'&');
            let signs = bytes[at] == b'=' && !spaced && (in_query || content.len() >= 16);
            if signs && looks_made(content) { found("signature", value.range) } else { None }
        }
        SecretName::Token if is_count(content) || content.len() < 3 => None,
        // A token is one word.
        SecretName::Token if value.quoted && content.contains(&b' ') => None,
        SecretName::Password | SecretName::Token => {
            if place.sets_secret(bytes, &value) {
                found("named", value.range)
            } else {
                None
            }
        }
        SecretName::Qualified | SecretName::Ambiguous => {
            let adjacent = place.separator == b'=' && !spaced && !value.quoted;
            let set =
                kind == SecretName::Qualified && adjacent && content.len() >= 3 && !is_code(content, None);
            let next = bytes.get(value.range.end).copied();
            let hidden = (looks_made(content) && !is_code(content, next) || set)
                && !is_path(content)
                && !is_number(content);
            if hidden { found("ambiguous-name", value.range) } else { None }
        }
    }
}

/// The place of a value.
struct KeyedPlace {
    separator: u8,
    quoted_name: bool,
    /// True if there is a blank before or after the separator.
    spaced: bool,
    /// True if the name begins its line or a part of it: a setting, not prose.
    sets: bool,
}

impl KeyedPlace {
    /// Returns whether the value of a name that is clearly one of a secret is one, and not code or prose.
    fn sets_secret(&self, bytes: &[u8], value: &SecretValue) -> bool {
        let content = &bytes[value.range.clone()];
        let next = bytes.get(value.range.end).copied();
        if value.quoted {
            // A sentence about a secret is none.
            let words = content.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
            return words <= 4 && !is_key_of_text(content);
        }
        if self.quoted_name || !self.spaced {
            return !is_code(content, next.filter(|_| self.separator == b':')) && !content.contains(&b'(');
        }
        // The first word of a sentence is followed by another word.
        let blanks = run(bytes, value.range.end, is_blank);
        let in_sentence =
            blanks > 0 && bytes.get(value.range.end + blanks).is_some_and(u8::is_ascii_alphabetic);
        let digits = content.iter().filter(|byte| byte.is_ascii_digit()).count();
        let mixed = content.len() >= 6 && digits > 0 && digits < content.len();
        let hidden = self.sets && !in_sentence || mixed || looks_made(content);
        hidden && !is_code(content, next) && !is_short_number(content)
    }
}

/// Returns whether a quoted value names a text or a setting instead of being one: `auth.password.label`, `PASSWORD_FIELD`.
fn is_key_of_text(content: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'-');
    let separated = content.iter().any(|byte| matches!(byte, b'_' | b'.' | b'-'));
    let names_secret = kind_of(content).is_some();
    content.iter().all(plain) && (separated && content.len() >= 8 || names_secret)
}

/// Returns the beginning of the next line if the line ends at `start`, in a text or in a JSON string.
fn next_line(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    let escapes = run(rest, 0, |byte| byte == b'\\').min(3);
    match rest.get(escapes) {
        Some(b'n') if escapes > 0 => Some(start + escapes + 1),
        Some(b'\n') if escapes == 0 => Some(start + 1),
        Some(b'\r') if rest.get(1) == Some(&b'\n') => Some(start + 2),
        _ => None,
    }
}

/// Returns the value in the line after a name, as a prompt shows it: it stands alone in its line.
fn on_next_line(bytes: &[u8], line: usize, kind: SecretName) -> Option<FoundSecret> {
    if !matches!(
        kind,
        SecretName::Password | SecretName::Token | SecretName::Qualified | SecretName::Ambiguous
    ) {
        return None;
    }
    let start = line + run(bytes, line, is_blank);
    let value = SecretValue::at(bytes, start)?;
    let content = &bytes[value.range.clone()];
    let mut end = value.range.end + usize::from(value.quoted);
    end += run(bytes, end.min(bytes.len()), is_blank);
    let alone = end >= bytes.len() || next_line(bytes, end).is_some() || is_quote(bytes[end]);
    (alone && looks_made(content) && !content.ends_with(b":"))
        .then_some(FoundSecret { rule: "next-line", range: value.range })
}

/// Number of blanks between the columns of a help text.
const COLUMN_BLANKS: usize = 4;

/// Returns the value after a flag such as `--password` that begins at `at`.
pub(super) fn after_flag(text: &str, at: usize) -> Option<FoundSecret> {
    let bytes = text.as_bytes();
    let starts_word = at == 0 || bytes[at - 1].is_ascii_whitespace() || is_quote(bytes[at - 1]);
    if !starts_word {
        return None;
    }
    let dashes = run(bytes, at, |byte| byte == b'-');
    let name = at + dashes..at + dashes + run(bytes, at + dashes, is_word).min(NAME_BYTES);
    let blanks = run(bytes, name.end, is_blank);
    // The columns of a help text are further apart than a flag and its value.
    if blanks == 0 || blanks >= COLUMN_BLANKS || bytes.get(name.end + blanks) == Some(&b'-') {
        return None;
    }
    let kind = kind_of(&bytes[name.clone()])?;
    let value = SecretValue::at(bytes, name.end + blanks)?;
    let content = &bytes[value.range.clone()];
    let hidden = match (dashes, kind) {
        // Java tools have one dash: `-storepass`.
        (1, SecretName::Password) => name.len() > 4,
        (2, SecretName::Password) => true,
        (2, SecretName::Token) => !is_count(content),
        (2, SecretName::Cookie) => content.contains(&b'='),
        (2, SecretName::Ambiguous | SecretName::Qualified) => looks_made(content),
        _ => false,
    };
    (hidden && !value.is_nothing(bytes) && !is_path(content))
        .then_some(FoundSecret { rule: "flag", range: value.range })
}

/// Returns the content of an XML element with the name of a secret whose first tag ends at `at`.
pub(super) fn in_element(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    let length = bytes[..at].iter().rev().take(NAME_BYTES).take_while(|&&byte| is_word(byte)).count();
    let name = at - length..at;
    if length == 0 || name.start == 0 || bytes[name.start - 1] != b'<' {
        return None;
    }
    let kind = kind_of(&bytes[name])?;
    let start = at + 1;
    if is_placeholder(bytes, start) {
        return None;
    }
    let content = start..start + run(bytes, start, |byte| !matches!(byte, b'<' | b'\n'));
    let closes = bytes[content.end..].starts_with(b"</");
    let strong =
        matches!(kind, SecretName::Password | SecretName::Token) || looks_made(&bytes[content.clone()]);
    (closes && strong && !content.is_empty()).then_some(FoundSecret { rule: "element", range: content })
}

/// Returns the name that ends before the separator at `at`, and whether it is quoted.
fn name_before(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    const BLANKS: usize = 4;
    let blanks = bytes[..at].iter().rev().take(BLANKS).take_while(|&&byte| is_blank(byte)).count();
    let mut end = at - blanks;
    let quoted = end > 0 && (is_quote(bytes[end - 1]) || bytes[end - 1] == b']');
    // `config["password"] = …`
    while end > 0 && (is_quote(bytes[end - 1]) || matches!(bytes[end - 1], b']' | b'\\')) && at - end < 6 {
        end -= 1;
    }
    let mut name = bytes[..end].iter().rev().take(NAME_BYTES).take_while(|&&byte| is_word(byte)).count();
    // The end of a line in a JSON string is not part of a name.
    if name > 1
        && end > name
        && bytes[end - name - 1] == b'\\'
        && matches!(bytes[end - name], b'n' | b'r' | b't')
    {
        name -= 1;
    }
    // A variable of a macro has a type here: `$token:literal`.
    let is_variable = bytes[at] == b':' && end > name && bytes[end - name - 1] == b'$';
    (name > 0 && !is_variable).then_some((end - name..end, quoted))
}

/// Returns whether only spaces, list marks or opening brackets precede `at` in its line: a setting, not prose.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    const BLANKS: usize = 64;
    let at = at - bytes[..at].iter().rev().take(BLANKS).take_while(|&&byte| is_blank(byte)).count();
    bytes[..at].ends_with(b"\\n")
        || bytes[..at].last().is_none_or(|byte| {
            matches!(
                byte,
                b'\n' | b'\r' | b'-' | b'{' | b'[' | b'(' | b',' | b';' | b'|' | b'>' | b'\'' | b'"'
            )
        })
}

/// Returns whether a value is a number that a program or a table has in this place.
fn is_short_number(value: &[u8]) -> bool {
    value.len() <= 4 && is_number(value)
}

/// Returns whether a value is a number of tokens, and not a token.
fn is_count(value: &[u8]) -> bool {
    value.len() <= 7 && is_number(value)
}

fn is_number(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'%'))
}

/// Returns the part of an `Authorization` value after its scheme, or all of it if it has none and looks random.
fn header_value(bytes: &[u8], value: &SecretValue) -> Option<Range<usize>> {
    let content = &bytes[value.range.clone()];
    let first = value.range.start..value.range.start + run(content, 0, |byte| !ends_value(byte));
    let blanks = run(bytes, first.end, is_blank);
    let second = first.end + blanks;
    let rest = second..second + run(bytes, second, |byte| !ends_value(byte));
    let scheme = [&b"basic"[..], b"bearer", b"token", b"digest", b"apikey", b"negotiate", b"ssws", b"key"];
    let scheme = scheme.iter().any(|word| bytes[first.clone()].eq_ignore_ascii_case(word));
    if scheme && blanks > 0 && !rest.is_empty() {
        let names_one = bytes[rest.clone()].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
        (!is_placeholder(bytes, rest.start) && !names_one).then_some(rest)
    } else if !scheme && first.len() >= 8 && is_random(&bytes[first.clone()]) {
        Some(first)
    } else {
        None
    }
}

/// Returns the cookies of a header, to the end of its line or its quotation.
fn cookies(bytes: &[u8], value: &SecretValue, place: &KeyedPlace) -> Option<Range<usize>> {
    let start = value.range.start;
    let content =
        start..start + run(bytes, start, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\'));
    let first =
        run(bytes, start, |byte| !matches!(byte, b';') && !byte.is_ascii_whitespace()).min(content.len());
    let name = run(bytes, start, is_word);
    let is_pair = name > 0 && bytes.get(start + name) == Some(&b'=') && first > name + 1;
    (place.separator == b':' && is_pair).then_some(content)
}

/// Returns the words after the name of such a list, to the end of the line or the quotation.
fn mnemonic(bytes: &[u8], value: &SecretValue) -> Option<Range<usize>> {
    const LEAST_WORDS: usize = 6;
    let start = value.range.start;
    let length = run(bytes, start, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let words =
        bytes[start..start + length].split(|byte| *byte == b' ').filter(|word| word.len() >= 3).count();
    if words >= LEAST_WORDS {
        Some(start..start + length)
    } else {
        looks_made(&bytes[value.range.clone()]).then(|| value.range.clone())
    }
}

/// Returns the words that stand for a key from `start`: 12 to 24 short words in lower case.
pub(super) fn words_of_key(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    const MOST_WORDS: usize = 24;
    let (mut end, mut count, mut at) = (start, 0, start);
    while count < MOST_WORDS {
        let letters = run(bytes, at, |byte| byte.is_ascii_lowercase()).min(9);
        if !(3..=8).contains(&letters) {
            break;
        }
        (end, count) = (at + letters, count + 1);
        let blanks = run(bytes, end, |byte| byte == b' ');
        if blanks != 1 {
            break;
        }
        at = end + 1;
    }
    (count >= 12).then_some(start..end)
}
