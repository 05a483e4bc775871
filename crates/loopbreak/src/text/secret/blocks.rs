//! Secrets that several words or lines show: private keys, `.netrc`, schemes of headers, lists of words.

use super::keyed::words_of_key;
use super::secret_value::{SecretValue, is_quote};
use super::{FoundSecret, is_word, run};

/// Returns a private key block that begins at `at`, to the end of the text if the end of the block is missing.
pub(super) fn private_key(text: &str, at: usize) -> Option<FoundSecret> {
    const DASHES: &str = "-----";
    const LABEL_BYTES: usize = 64;
    let label = at + "-----BEGIN ".len();
    let near = &text[label..text.floor_char_boundary(label + LABEL_BYTES)];
    let length = near.find(DASHES)?;
    let (body, name) = (label + length, &near[..length]);
    if name.contains('\n') || !name.contains("PRIVATE KEY") {
        return None;
    }
    let end = text[body..].find("-----END ").map_or(text.len(), |end| {
        let closing = body + end + DASHES.len();
        text[closing..].find(DASHES).map_or(text.len(), |dashes| closing + dashes + DASHES.len())
    });
    Some(FoundSecret { rule: "private-key", range: at..end })
}

/// Returns the value after the word `Bearer` or `Basic` at `at`, unless it is the next word of a sentence.
pub(super) fn after_scheme(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    let schemes = [("bearer ", 1), ("basic ", 12)];
    let (word, least) = schemes.into_iter().find(|(word, _)| {
        bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
    })?;
    let start = at + word.len();
    let length = run(bytes, start, |byte| is_word(byte) || matches!(byte, b'~' | b'+' | b'/' | b'='));
    let value = &bytes[start..start + length];
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let has_both_cases = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    // A word of a sentence has no digit. Neither has the name of a parameter.
    let hidden = if least == 1 {
        has_digit && !value.contains(&b'/') || length >= 24 && has_both_cases
    } else {
        length >= least && has_digit && has_both_cases
    };
    let end = start + value.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    hidden.then_some(FoundSecret { rule: "scheme", range: start..end })
}

/// Returns the password of a `.netrc` entry whose word `machine` or `default` begins at `at`.
pub(super) fn netrc(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    let blank = |start: usize| {
        let mut end = start;
        loop {
            let spaces = run(bytes, end, |byte| byte.is_ascii_whitespace()).min(16);
            end += spaces;
            if bytes[end..].starts_with(b"\\n") {
                end += 2;
            } else if spaces == 0 {
                return end;
            }
        }
    };
    let word = |start: usize| {
        start
            + run(bytes, start, |byte| !byte.is_ascii_whitespace() && byte != b'\\' && !is_quote(byte))
                .min(200)
    };
    let keyword = |start: usize, wanted: &str| {
        let end = word(start);
        (&bytes[start..end] == wanted.as_bytes()).then(|| blank(end))
    };
    let host = if bytes[at..].starts_with(b"machine") {
        blank(word(blank(at + "machine".len())))
    } else {
        blank(at + "default".len())
    };
    let login = keyword(host, "login")?;
    let after = blank(word(login));
    let after = keyword(after, "account").map_or(after, |account| blank(word(account)));
    let password = keyword(after, "password")?;
    let value = SecretValue::at(bytes, password)?;
    Some(FoundSecret { rule: "netrc", range: value.range })
}

/// Returns the password after `pass:` at `at`, as `openssl` takes it: `-passin pass:…`.
pub(super) fn after_pass(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    let start = at + "pass:".len();
    let before = bytes[..at].iter().rev().take(10).copied().collect::<Vec<u8>>();
    let is_flag = [&b" nissap-"[..], b" tuossap-", b" ssap-"].iter().any(|flag| before.starts_with(flag));
    let value = SecretValue::at(bytes, start)?;
    let password = &bytes[value.range.clone()];
    let made = !super::secret_value::is_masked_in_part(password) && super::secret_value::looks_made(password);
    (is_flag || made).then_some(FoundSecret { rule: "pass", range: value.range })
}

/// Returns the list of 12, 15, 18, 21 or 24 words between quotes whose first word begins at `at`. Sentences have words that are
/// shorter or that no such list contains.
pub(super) fn quoted_words(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    const OF_SENTENCES: [&[u8]; 12] = [
        b"the", b"and", b"for", b"with", b"are", b"was", b"not", b"from", b"but", b"have", b"its", b"should",
    ];
    let words = words_of_key(bytes, at)?;
    let closed = bytes.get(words.end).is_none_or(|&byte| {
        is_quote(byte) || byte == b'\\' && bytes.get(words.end + 1).is_some_and(|&byte| is_quote(byte))
    });
    let list: Vec<&[u8]> = bytes[words.clone()].split(|byte| *byte == b' ').collect();
    let sentence = list.iter().any(|word| OF_SENTENCES.contains(word));
    // The words were drawn at random, so they differ.
    let differ = list.iter().enumerate().filter(|(index, word)| list[..*index].contains(word)).count() <= 1;
    (closed && list.len().is_multiple_of(3) && !sentence && differ)
        .then_some(FoundSecret { rule: "mnemonic", range: words })
}
