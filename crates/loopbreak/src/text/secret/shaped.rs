//! Secrets recognized by their form: prefixed keys, JSON web tokens, key blocks, passwords in URLs.

use std::ops::Range;

use super::{is_random, is_word, run};

/// A prefix of a vendor's keys, with the properties that distinguish the rest from an ordinary word.
struct TokenPrefix {
    text: &'static str,
    least: usize,
    alphabet: fn(u8) -> bool,
    digit: bool,
}

const fn prefix(text: &'static str, least: usize, alphabet: fn(u8) -> bool, digit: bool) -> TokenPrefix {
    TokenPrefix { text, least, alphabet, digit }
}

/// `npm_` and `hf_` also begin names of variables and functions, which have underscores where keys have none.
/// `sk-` also begins names of packages, which have no digits.
const PREFIXES: [TokenPrefix; 20] = [
    prefix("sk-", 16, is_url_safe, true),
    prefix("sk_live_", 16, is_alphanumeric, false),
    prefix("sk_test_", 16, is_alphanumeric, false),
    prefix("rk_live_", 16, is_alphanumeric, false),
    prefix("ghp_", 16, is_alphanumeric, false),
    prefix("gho_", 16, is_alphanumeric, false),
    prefix("ghu_", 16, is_alphanumeric, false),
    prefix("ghs_", 16, is_alphanumeric, false),
    prefix("ghr_", 16, is_alphanumeric, false),
    prefix("github_pat_", 16, is_url_safe, false),
    prefix("glpat-", 16, is_url_safe, false),
    prefix("xoxb-", 10, is_url_safe, true),
    prefix("xoxp-", 10, is_url_safe, true),
    prefix("xoxa-", 10, is_url_safe, true),
    prefix("xoxs-", 10, is_url_safe, true),
    prefix("AKIA", 16, is_capital_or_digit, false),
    prefix("ASIA", 16, is_capital_or_digit, false),
    prefix("AIza", 30, is_url_safe, false),
    prefix("npm_", 20, is_alphanumeric, false),
    prefix("hf_", 20, is_alphanumeric, false),
];

/// Returns a key or a JSON web token that begins at `at`.
pub(super) fn known_token(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    if bytes[at..].starts_with(b"eyJ") {
        return web_token(bytes, at);
    }
    let prefix = PREFIXES.iter().find(|prefix| bytes[at..].starts_with(prefix.text.as_bytes()))?;
    let start = at + prefix.text.len();
    let rest = &bytes[start..start + run(bytes, start, prefix.alphabet)];
    let fits = rest.len() >= prefix.least && (!prefix.digit || rest.iter().any(u8::is_ascii_digit));
    fits.then_some(at..start + rest.len())
}

/// Returns a JSON web token: three base64 parts with dots between them. The signature may be empty or cut
/// off.
fn web_token(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const LEAST: usize = 5;
    let header = run(bytes, at, is_url_safe);
    let claims = at + header + 1;
    if header < LEAST || bytes.get(claims - 1) != Some(&b'.') {
        return None;
    }
    let signature = claims + run(bytes, claims, is_url_safe) + 1;
    if signature - claims <= LEAST || bytes.get(signature - 1) != Some(&b'.') {
        return None;
    }
    Some(at..signature + run(bytes, signature, is_url_safe))
}

/// Returns the token after the word `Bearer` at `at`, unless it is the next word of a sentence.
pub(super) fn bearer(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const WORD: usize = "bearer ".len();
    if !bytes.get(at..at + WORD)?.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    let start = at + WORD;
    let value =
        start..start + run(bytes, start, |byte| is_word(byte) || matches!(byte, b'~' | b'+' | b'/' | b'='));
    is_random(&bytes[value.clone()]).then_some(value)
}

/// Returns the password of `user:password@host`, for a URL whose authority begins at `start`.
pub(super) fn password_in_url(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let length = run(bytes, start, |byte| !byte.is_ascii_whitespace() && !b"/?#\"'`<>\\".contains(&byte));
    let authority = &bytes[start..start + length];
    let host = authority.iter().rposition(|&byte| byte == b'@')?;
    let user = authority[..host].iter().position(|&byte| byte == b':')?;
    let password = start + user + 1..start + host;
    let hidden = !bytes[password.clone()].starts_with(super::MASK.as_bytes());
    hidden.then_some(password)
}

/// Returns a private key block that begins at `at`, to the end of the text if the end of the block is missing.
pub(super) fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    const DASHES: &str = "-----";
    let label = at + "-----BEGIN ".len();
    let body = label + text[label..].find(DASHES)?;
    let label = &text[label..body];
    if label.contains('\n') || !label.contains("PRIVATE KEY") {
        return None;
    }
    let end = text[body..].find("-----END ").map_or(text.len(), |end| {
        let closing = body + end + DASHES.len();
        text[closing..].find(DASHES).map_or(text.len(), |dashes| closing + dashes + DASHES.len())
    });
    Some(at..end)
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_capital_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}
