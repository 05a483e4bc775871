//! The normal form of an outcome: volatile parts are masked, signs of progress are kept.

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::mask::volatile_words;
use super::volatile_fields::is_volatile_field;
use crate::memory::{HashKey, key_of, key_of_lower, key_of_parts};
use crate::text::clip::clip;
use crate::text::scan::trimmed;

/// Number of bytes that are read at each end of a long text.
pub(super) const END: usize = 2048;
/// Number of bytes of a failure that identify it. The rest often repeats the call or gives instructions.
const GIST: usize = 160;
/// Length limit of a quotation.
const LONGEST_QUOTE: usize = 2048;
/// Number of letters besides the masks that distinguish two texts.
pub(super) const TELLING: usize = 8;

/// Returns the key of an outcome with volatile parts masked. A text that is mostly volatile is not masked.
pub(crate) fn outcome_key(text: &str) -> HashKey {
    outcome_key_without(text, &[])
}

/// Returns the key of an outcome, also without the JSON fields that the user declared as volatile.
pub(crate) fn outcome_key_without(text: &str, volatile: &[String]) -> HashKey {
    let text = trimmed(text);
    if let Some(key) = json_key(text, volatile) {
        return key;
    }
    if text.len() <= 2 * END {
        return masked_key(text);
    }
    let head = clip(text, END);
    let mut tail = text.len() - END;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    key_of_parts(&[masked_key(head), masked_key(&text[tail..]), HashKey(text.len() as u64)])
}

/// Returns the key of the beginning of a failure. Volatile parts are masked. Quotations are left out, because they are
/// usually the call itself.
pub(crate) fn gist_key(text: &str) -> HashKey {
    masked_key(&gist(text))
}

/// Returns the beginning of a failure, without quotations and line numbers.
pub(super) fn gist(text: &str) -> String {
    let (mut gist, mut rest) = (String::with_capacity(GIST), text.trim());
    while let Some((before, after)) = next_quote(rest) {
        gist.push_str(clip(before, GIST.saturating_sub(gist.len())));
        rest = after;
        if gist.len() >= GIST {
            break;
        }
    }
    gist.push_str(clip(rest, GIST.saturating_sub(gist.len())));
    mask_line_numbers(&mut gist);
    gist
}

/// Returns the text before and after the next quotation.
fn next_quote(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let opens = |at: usize| {
        matches!(bytes[at], b'"' | b'\'' | b'`') && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric())
    };
    let open = (0..bytes.len().min(2 * GIST)).find(|at| opens(*at))?;
    let end = bytes[open + 1..].iter().take(LONGEST_QUOTE).position(|byte| *byte == bytes[open])?;
    Some((&text[..open], &text[open + end + 2..]))
}

/// Replaces the line numbers of a failure: `line 42`, `main.rs:42:7`. They move with every edit.
fn mask_line_numbers(gist: &mut String) {
    let bytes = gist.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let ends_of_names = memchr::memchr2_iter(b':', b' ', bytes).filter(|at| is_digit(at + 1));
    let named = ends_of_names.filter(|at| match bytes[*at] {
        b':' => *at > 0 && !bytes[*at - 1].is_ascii_whitespace(),
        _ => *at >= 4 && bytes[*at - 4..*at].eq_ignore_ascii_case(b"line"),
    });
    let (mut masked, mut from) = (String::new(), 0);
    for at in named {
        masked.push_str(&gist[from..=at]);
        masked.push('#');
        from = at + 1 + bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    if from > 0 {
        masked.push_str(&gist[from..]);
        *gist = masked;
    }
}

/// Largest JSON reply that is compared field by field.
pub(super) const JSON_BYTES: usize = 2 * END;

/// Returns the key of a reply that is a JSON object or list, without the fields that move by themselves. Returns `None`
/// for any other text.
fn json_key(text: &str, volatile: &[String]) -> Option<HashKey> {
    let wrapped = matches!(text.as_bytes(), [b'{', .., b'}'] | [b'[', .., b']']);
    if !wrapped || text.len() > JSON_BYTES {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let mut left = 0;
    let key = value_key(&value, volatile, &mut left);
    // A reply that consists of nothing but such fields is compared as it is.
    (left > 0).then_some(key)
}

/// Returns the key of a JSON value. `left` counts the values that were not left out.
fn value_key(value: &Value, volatile: &[String], left: &mut u32) -> HashKey {
    match value {
        Value::Object(fields) => {
            let sum = fields.iter().fold(0_u64, |sum, (name, value)| {
                let declared = volatile.iter().any(|known| known == name);
                if declared || moves(value) && is_volatile_field(name) {
                    return sum;
                }
                sum.wrapping_add(key_of_parts(&[key_of(name), value_key(value, volatile, left)]).0)
            });
            key_of_parts(&[HashKey(sum), HashKey(1)])
        }
        Value::Array(items) => {
            items.iter().fold(HashKey(2), |key, item| key_of_parts(&[key, value_key(item, volatile, left)]))
        }
        Value::String(text) => {
            *left += 1;
            masked_key_with(text, 0)
        }
        other => {
            *left += 1;
            key_of(&other.to_string())
        }
    }
}

/// Returns the key of the words of a reply that has no fresh parts: ids, numbers and addresses are left out.
pub(crate) fn words_key(text: &str) -> HashKey {
    let (mut key, mut from) = (HashKey::NONE, 0);
    let mut add = |text: &str| {
        let tokens = text.split(|c: char| !c.is_alphanumeric());
        let words =
            tokens.filter(|token| !token.is_empty() && !token.bytes().any(|byte| byte.is_ascii_digit()));
        key = words.fold(key, |key, word| key_of_parts(&[key, key_of_lower(word)]));
    };
    volatile_words(text, |word| {
        add(&text[from..word.start]);
        from = word.end;
    });
    add(&text[from..]);
    key
}

/// Returns whether a value can be an id, a time or a count: a number, or a text with a digit.
pub(super) fn moves(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::String(text) => text.bytes().any(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

fn masked_key(text: &str) -> HashKey {
    masked_key_with(text, TELLING)
}

/// Returns the key of a masked text. With fewer letters than `telling` besides the masks, the text is not masked.
fn masked_key_with(text: &str, telling: usize) -> HashKey {
    let bytes = text.as_bytes();
    let (mut hash, mut kept_from, mut letters) = (HashKey::NONE, 0, 0);
    // Everything between two masks is hashed at once.
    volatile_words(text, |word| {
        let kept = &bytes[kept_from..word.start];
        hash = key_of_parts(&[hash, HashKey(xxh3_64(kept))]);
        letters = count_letters(letters, kept);
        kept_from = word.end;
    });
    let rest = &bytes[kept_from..];
    // Without a mask, or with too few letters besides the masks to distinguish texts, the text is not masked.
    if kept_from == 0 || count_letters(letters, rest) < telling {
        return key_of(text);
    }
    key_of_parts(&[hash, HashKey(xxh3_64(rest))])
}

/// Adds to a count of letters, up to the number that distinguishes two texts.
fn count_letters(so_far: usize, bytes: &[u8]) -> usize {
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic());
    so_far + letters.take(TELLING.saturating_sub(so_far)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(left: &str, right: &str) -> bool {
        outcome_key(left) == outcome_key(right)
    }

    #[test]
    fn volatile_parts_are_masked() {
        for (left, right) in [
            ("2025-11-04T09:35:24Z ERROR no such host", "2025-11-04T09:36:25Z ERROR no such host"),
            ("[09:35:24] connection refused", "[09:35:31] connection refused"),
            ("2025-11-04 09:35:24,512 timeout after retry", "2025-11-05 10:01:02,001 timeout after retry"),
            (
                "request 550e8400-e29b-41d4-a716-446655440000 failed",
                "request 6ba7b810-9dad-11d1-80b4-00c04fd430c8 failed",
            ),
            ("commit 1eb58c6c9b7 is not reachable", "commit acfc531764a is not reachable"),
            ("segfault at 0x7ffee4b8 in main", "segfault at 0x7ffd1a20 in main"),
            ("process with pid 4312 exited", "process with pid 4399 exited"),
            ("worker[4312]: exited with an error", "worker[5001]: exited with an error"),
            ("cannot bind 127.0.0.1:54321, address in use", "cannot bind 127.0.0.1:54377, address in use"),
            ("attempt 3 did not succeed", "attempt 4 did not succeed"),
            ("Retry #12: still no answer", "Retry #13: still no answer"),
            ("gave up after 1.52s without an answer", "gave up after 2.17s without an answer"),
            ("finished in 532 ms, nothing to do", "finished in 611 ms, nothing to do"),
            ("took 2m30s for nothing at all", "took 3m02s for nothing at all"),
            ("wrote /tmp/tmpx8s2k1/out.txt and left", "wrote /tmp/tmpq0z9d4/out.txt and left"),
            (
                "test result: FAILED. 1 passed; 2 failed; finished in 0.41s",
                "test result: FAILED. 1 passed; 2 failed; finished in 0.43s",
            ),
            ("Execution 17 of the cell raised an error", "Execution 18 of the cell raised an error"),
        ] {
            assert!(same(left, right), "{left:?} {right:?}");
        }
    }

    #[test]
    fn signs_of_progress_are_kept() {
        for (left, right) in [
            ("3 failed, 7 passed", "2 failed, 8 passed"),
            ("Tests: 3 failed", "Tests: 2 failed"),
            ("progress 41%", "progress 42%"),
            ("41 of 200 files", "42 of 200 files"),
            ("41/200 files done", "42/200 files done"),
            ("page 3", "page 4"),
            ("chunk 3 received", "chunk 4 received"),
            ("offset 4096", "offset 8192"),
            ("8192 bytes read, total 16384", "8192 bytes read, total 24576"),
            ("found 3 matches", "found 4 matches"),
            ("12 errors generated", "11 errors generated"),
            ("error on line 41", "error on line 42"),
            ("score 40", "score 45"),
            ("exit code 1", "exit code 2"),
            ("HTTP 404", "HTTP 500"),
            ("version 1.2.3", "version 1.2.4"),
        ] {
            assert!(!same(left, right), "{left:?} {right:?}");
        }
    }

    #[test]
    fn a_text_that_is_mostly_volatile_is_not_masked() {
        assert!(!same("2025-11-04T09:35:24Z", "2025-11-04T09:35:25Z"));
        assert!(!same("1eb58c6c9b7 ok", "acfc531764a ok"));
        assert!(!same("550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"));
    }

    #[test]
    fn a_long_text_is_identified_by_its_ends_and_its_length() {
        let text = |middle: &str| format!("{}{middle}{}", "a ".repeat(2000), "b ".repeat(2000));
        assert!(same(&text("x"), &text("x")));
        assert!(!same(&text("x"), &text("xx")));
    }

    #[test]
    fn a_failure_is_identified_by_its_beginning() {
        let echo = |next: &str| {
            format!(
                "Error: [Errno 2] No such file or directory: 'a.java'. Check the path and try again, or use another command to find out what there is in the folder of the project. Next: {next}"
            )
        };
        assert_eq!(gist_key(&echo("read")), gist_key(&echo("write")));
        assert_ne!(gist_key("Error: a"), gist_key("Error: b"));
        assert_eq!(
            gist_key("FileNotFoundError: [Errno 2] No such file or directory: 'a.txt'"),
            gist_key("FileNotFoundError: [Errno 2] No such file or directory: 'other/b.txt'")
        );
        assert_ne!(gist_key("can't open 'a'"), gist_key("can't close 'a'"));
    }
}
