//! The normal form of JSON text, computed in one pass without building a tree.

use xxhash_rust::xxh3::xxh3_64;

use super::volatile_fields::{ArgumentRole, role_of_argument};
use crate::memory::{HashKey, key_of_parts};
use crate::text::scan::end_of_string;

/// JSON text in its normal form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NormalizedJson {
    /// Key of the value. Ignores key order, white space and quoting. `16` equals `"16"`, and `{}`, `""` and
    /// `null` count as absent.
    pub(crate) key: HashKey,
    /// Numbers of the outermost object with their keys.
    pub(crate) numbers: CallNumbers,
}

/// The numbers of a call, and a key of everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CallNumbers {
    all: [(HashKey, f64); NUMBERS],
    count: usize,
    pub(crate) rest: u64,
}

/// Number of numbers that are kept. A call with more is not a sweep.
pub(crate) const NUMBERS: usize = 3;
/// Length limit of a number. A longer one is an id.
const LONGEST_NUMBER: usize = 9;

impl CallNumbers {
    pub(crate) fn as_slice(&self) -> &[(HashKey, f64)] {
        self.all.get(..self.count).unwrap_or_default()
    }

    fn note(&mut self, key: HashKey, value: f64) {
        if let Some(free) = self.all.get_mut(self.count) {
            *free = (key, value);
        }
        self.count += 1;
        self.rest = self.rest.wrapping_add(key_of_parts(&[key, HashKey(3)]).0);
    }
}

/// Normalizes the arguments of a call. Leaves out arguments that number, date or explain the call, and the `volatile`
/// ones, which the user declared for the tool.
pub(crate) fn read_json(json: &str, volatile: &[String]) -> NormalizedJson {
    let mut reader =
        JsonNormalizer { bytes: json.as_bytes(), at: 0, numbers: CallNumbers::default(), volatile };
    let key = reader.value(0);
    NormalizedJson { key, numbers: reader.numbers }
}

/// Returns the key of a text. Ignores white space and treats all quotes alike.
pub(crate) fn text_key(text: &str) -> HashKey {
    let mut hash = WordHasher::default();
    hash.text(text.as_bytes());
    hash.end()
}

/// Nesting limit. Deeper values are hashed as plain text. The step parser rejects them earlier.
const DEEPEST: usize = 200;

struct JsonNormalizer<'j> {
    bytes: &'j [u8],
    at: usize,
    numbers: CallNumbers,
    volatile: &'j [String],
}

impl JsonNormalizer<'_> {
    fn value(&mut self, depth: usize) -> HashKey {
        self.skip_blanks();
        match self.peek() {
            Some(b'{') if depth < DEEPEST => self.object(depth),
            Some(b'[') if depth < DEEPEST => self.array(depth),
            Some(b'"') => self.string(),
            Some(_) => self.word(),
            None => HashKey::NONE,
        }
    }

    fn object(&mut self, depth: usize) -> HashKey {
        self.at += 1;
        let mut sum = 0_u64;
        let (mut labels, mut explanations, mut has_command) = (0_u64, 0_u64, false);
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'"') => {
                    let name = self.at + 1;
                    let key = self.string();
                    let role = if depth == 0 { self.role(name) } else { ArgumentRole::Content };
                    self.skip_blanks();
                    self.skip(b':');
                    self.skip_blanks();
                    let start = self.at;
                    let value = self.value(depth + 1);
                    // A sum does not depend on the order of its parts.
                    if value != HashKey::NONE {
                        let part = key_of_parts(&[key, value]);
                        has_command |= role == ArgumentRole::Command;
                        let into = match role {
                            ArgumentRole::Content | ArgumentRole::Command => &mut sum,
                            ArgumentRole::CommandLabel => &mut labels,
                            ArgumentRole::Explanation => &mut explanations,
                            ArgumentRole::Volatile => continue,
                        };
                        *into = into.wrapping_add(part.0);
                        if depth == 0 && matches!(role, ArgumentRole::Content | ArgumentRole::Command) {
                            match number(&self.bytes[start..self.at]) {
                                Some(number) => self.numbers.note(key, number),
                                None => self.numbers.rest = self.numbers.rest.wrapping_add(part.0),
                            }
                        }
                    }
                }
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                _ => break,
            }
        }
        if !has_command {
            sum = sum.wrapping_add(labels);
        }
        // A call that consists of its explanation, such as a thought, is told by it.
        if sum == 0 {
            sum = explanations;
        }
        if sum == 0 { HashKey::NONE } else { key_of_parts(&[HashKey(sum), HashKey(1)]) }
    }

    /// Returns the role of the argument whose name begins at a position.
    fn role(&self, start: usize) -> ArgumentRole {
        let name = self.bytes.get(start..self.at.saturating_sub(1)).unwrap_or_default();
        if self.volatile.iter().any(|known| known.as_bytes() == name) {
            ArgumentRole::Volatile
        } else {
            role_of_argument(name)
        }
    }

    fn array(&mut self, depth: usize) -> HashKey {
        self.at += 1;
        let (mut hash, mut any) = (HashKey(2), false);
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    let before = self.at;
                    hash = key_of_parts(&[hash, self.value(depth + 1)]);
                    any = true;
                    if self.at == before {
                        break;
                    }
                }
                None => break,
            }
        }
        if any { hash } else { HashKey::NONE }
    }

    fn string(&mut self) -> HashKey {
        let start = self.at + 1;
        let end = end_of_string(self.bytes, start);
        self.at = (end + 1).min(self.bytes.len());
        let mut hash = WordHasher::default();
        hash.text(&self.bytes[start..end]);
        hash.end()
    }

    /// Reads a number, `true`, `false` or `null`.
    fn word(&mut self) -> HashKey {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| !matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r'))
        {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        if word == b"null" {
            return HashKey::NONE;
        }
        let mut hash = WordHasher::default();
        hash.text(word);
        hash.end()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == Some(byte) {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}

/// Returns the number in JSON text, quoted or not.
fn number(json: &[u8]) -> Option<f64> {
    let text = json.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(json);
    let digits = text.len() <= LONGEST_NUMBER && matches!(text.first(), Some(b'0'..=b'9' | b'-'));
    digits.then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

/// Hashes a text word by word. Ignores everything between words except quotes, which are treated alike.
#[derive(Default)]
struct WordHasher {
    state: u64,
    words: u64,
}

/// Bytes that separate words, as a table, because every byte of every action needs a lookup.
const BETWEEN: [bool; 256] = {
    let mut table = [false; 256];
    let between = b" \n\t\r\"'\\";
    let mut at = 0;
    while at < between.len() {
        table[between[at] as usize] = true;
        at += 1;
    }
    table
};

/// Hash of a quote.
const QUOTE: u64 = 0x51;

impl WordHasher {
    fn text(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().position(|byte| BETWEEN[*byte as usize]);
            let end = plain.map_or(bytes.len(), |found| at + found);
            if end > at {
                self.mix(xxh3_64(&bytes[at..end]));
            }
            // Escaped white space and quotes are white space and quotes.
            let (mark, length) = match bytes.get(end..) {
                Some([b'\\', b'n' | b't' | b'r', ..]) => (0, 2),
                Some([b'\\', b'"' | b'\'', ..]) => (QUOTE, 2),
                Some([b'\\', ..]) => (u64::from(b'\\'), 1),
                Some([b'"' | b'\'', ..]) => (QUOTE, 1),
                _ => (0, 1),
            };
            if mark != 0 {
                self.mix(mark);
            }
            at = end + length;
        }
    }

    fn mix(&mut self, word: u64) {
        self.state = (self.state ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(31);
        self.words += 1;
    }

    /// Returns the hash, or none for an empty text.
    fn end(self) -> HashKey {
        if self.words == 0 {
            HashKey::NONE
        } else {
            key_of_parts(&[HashKey(self.state), HashKey(self.words)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(json: &str) -> HashKey {
        read_json(json, &[]).key
    }

    #[test]
    fn the_numbers_of_a_call_are_separate_from_the_rest() {
        let at = |offset: u32| read_json(&format!(r#"{{"path":"a","offset":{offset},"limit":"40"}}"#), &[]);
        assert_eq!(at(0).numbers.rest, at(40).numbers.rest);
        assert_ne!(at(0).numbers.rest, read_json(r#"{"path":"b","offset":0,"limit":40}"#, &[]).numbers.rest);
        let values: Vec<f64> = at(80).numbers.as_slice().iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [80.0, 40.0]);
        assert_eq!(at(0).numbers.as_slice()[0].0, at(40).numbers.as_slice()[0].0);
    }

    #[test]
    fn ids_versions_and_lists_are_not_numbers() {
        for json in [r#"{"id":"1234567890123"}"#, r#"{"v":"1.2.3"}"#, r#"{"v":[1,2]}"#, r#"{"v":"-"}"#, "7"] {
            assert_eq!(read_json(json, &[]).numbers.as_slice(), [], "{json}");
        }
        assert_eq!(read_json(r#"{"a":1,"b":2,"c":3,"d":4}"#, &[]).numbers.as_slice(), []);
    }

    proptest! {
        #[test]
        fn any_json_can_be_hashed_and_its_key_order_never_matters(
            pairs in prop::collection::btree_map("[a-z]{1,4}", prop_oneof!["[ -~]{0,12}", "[0-9]{1,5}"], 0..6)
        ) {
            let forward: serde_json::Map<_, _> = pairs.iter().map(|(k, v)| (k.clone(), v.clone().into())).collect();
            let text = |pairs: &mut dyn Iterator<Item = (&String, &String)>| {
                let parts: Vec<String> = pairs
                    .map(|(k, v)| format!("{}: {}", serde_json::to_string(k).unwrap(), serde_json::to_string(v).unwrap()))
                    .collect();
                format!("{{{}}}", parts.join(" , "))
            };
            let backward = text(&mut pairs.iter().rev());
            prop_assert_eq!(key(&serde_json::to_string(&forward).unwrap()), key(&backward));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}") {
            key(&text);
        }
    }
}
