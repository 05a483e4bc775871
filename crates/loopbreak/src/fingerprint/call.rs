//! The normal form of an action: its name and its arguments, hashed as they are read, without a copy.

use xxhash_rust::xxh3::xxh3_64;

use crate::memory::{Key, key_of_lower, key_of_parts};
use crate::step::Action;

/// The key of an action: the same for every way of writing it down.
pub(crate) fn call_key(action: &Action<'_>) -> Key {
    let args = action.args.as_ref().map_or(0, |args| json_key(args.json()));
    key_of_parts(&[key_of_lower(&action.name), args])
}

/// The key of JSON text: key order, white space and quoting do not matter, `16` and `"16"` are the same, and `{}`,
/// `""` and `null` are all nothing.
fn json_key(json: &str) -> Key {
    let mut reader = Reader { bytes: json.as_bytes(), at: 0 };
    reader.value(0)
}

/// Deeper nesting is hashed as plain text. The reader of steps refuses it long before.
const DEEPEST: usize = 200;

struct Reader<'j> {
    bytes: &'j [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Key {
        self.skip_blanks();
        match self.peek() {
            Some(b'{') if depth < DEEPEST => self.object(depth),
            Some(b'[') if depth < DEEPEST => self.array(depth),
            Some(b'"') => self.string(),
            Some(_) => self.word(),
            None => 0,
        }
    }

    fn object(&mut self, depth: usize) -> Key {
        self.at += 1;
        let mut sum = 0_u64;
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'"') => {
                    let key = self.string();
                    self.skip_blanks();
                    self.skip(b':');
                    let value = self.value(depth + 1);
                    // A sum does not know the order of its parts.
                    if value != 0 {
                        sum = sum.wrapping_add(key_of_parts(&[key, value]));
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
        if sum == 0 { 0 } else { key_of_parts(&[sum, 1]) }
    }

    fn array(&mut self, depth: usize) -> Key {
        self.at += 1;
        let (mut hash, mut any) = (2, false);
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
        if any { hash } else { 0 }
    }

    fn string(&mut self) -> Key {
        let start = self.at + 1;
        let mut end = start;
        while let Some(found) =
            self.bytes.get(end..).and_then(|rest| rest.iter().position(|b| matches!(b, b'"' | b'\\')))
        {
            end += found;
            if self.bytes[end] == b'"' {
                break;
            }
            // Whatever is escaped is no end.
            end += 2;
        }
        if self.bytes.get(end) != Some(&b'"') {
            end = self.bytes.len();
        }
        let end = end.min(self.bytes.len());
        self.at = (end + 1).min(self.bytes.len());
        let mut hash = Hash::default();
        hash.text(&self.bytes[start..end]);
        hash.end()
    }

    /// A number, `true`, `false`, `null`.
    fn word(&mut self) -> Key {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| !matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r'))
        {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        if word == b"null" {
            return 0;
        }
        let mut hash = Hash::default();
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

/// Hashes a text word by word: what lies between two words does not matter, except for quotes, which are all alike.
#[derive(Default)]
struct Hash {
    state: u64,
    words: u64,
}

/// Whether a byte stands between words. A table, for this is asked of every byte of every action.
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

/// What a quote counts as.
const QUOTE: u64 = 0x51;

impl Hash {
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

    /// 0 for a text of nothing.
    fn end(self) -> Key {
        if self.words == 0 { 0 } else { key_of_parts(&[self.state, self.words]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(json: &str) -> Key {
        call_key(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn key_order_white_space_and_quoting_do_not_matter() {
        let plain = key(r#"{"name":"grep","args":{"pattern":"fn main","path":"src"}}"#);
        for same in [
            r#"{"name":"grep","args":{"path":"src","pattern":"fn main"}}"#,
            r#"{"name":"Grep","args":{ "path" : "src", "pattern":"fn  main " }}"#,
            r#"{"name":"grep","args":{"path":"src","pattern":"fn\tmain","glob":null}}"#,
        ] {
            assert_eq!(key(same), plain, "{same}");
        }
        assert_eq!(key(r#"{"name":"r","args":{"n":16}}"#), key(r#"{"name":"r","args":{"n":"16"}}"#));
        assert_eq!(key(r#"{"name":"r","args":"echo \"a\""}"#), key(r#"{"name":"r","args":"echo 'a'"}"#));
        assert_eq!(key(r#"{"name":"r","args":{}}"#), key(r#"{"name":"r"}"#));
        assert_eq!(key(r#"{"name":"r","args":""}"#), key(r#"{"name":"r"}"#));
    }

    #[test]
    fn what_matters_does() {
        let all = [
            r#"{"name":"read","args":{"offset":40}}"#,
            r#"{"name":"read","args":{"offset":80}}"#,
            r#"{"name":"read","args":{"limit":40}}"#,
            r#"{"name":"write","args":{"offset":40}}"#,
            r#"{"name":"read","args":[1,2]}"#,
            r#"{"name":"read","args":[2,1]}"#,
            r#"{"name":"read","args":{"a":{"b":"c"}}}"#,
            r#"{"name":"read","args":{"a":"b","c":"d"}}"#,
            r#"{"name":"read","args":{"a":"d","c":"b"}}"#,
            r#"{"name":"read"}"#,
        ];
        for (index, left) in all.iter().enumerate() {
            for right in &all[index + 1..] {
                assert_ne!(key(left), key(right), "{left} {right}");
            }
        }
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
            prop_assert_eq!(json_key(&serde_json::to_string(&forward).unwrap()), json_key(&backward));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}") {
            json_key(&text);
        }
    }
}
