//! The object that a call changes in the outside world: a message to a person, a record, a payment.
//!
//! Not a mutation in this sense: edits of files, which `noop` judges; writes that can be repeated without a further
//! effect; reads.

use serde_json::Value;

use crate::fingerprint::{VocabularyTables, is_fresh_id, words_of};
use crate::memory::{HashKey, key_of, key_of_lower, key_of_parts};
use crate::step::Action;

/// Names of arguments that hold the wording of a message.
const WORDING: [&str; 14] = [
    "text",
    "message",
    "body",
    "content",
    "msg",
    "description",
    "comment",
    "note",
    "summary",
    "html",
    "markdown",
    "details",
    "reason",
    "caption",
];

/// Number of words of a message that are compared.
pub(crate) const WORDS: usize = 24;

/// The object of a mutating call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MutatedObject {
    /// The tool with everything that identifies the object.
    pub(crate) key: HashKey,
    /// Distinct words of the message, if there is one.
    pub(crate) words: Vec<HashKey>,
}

impl VocabularyTables {
    /// Returns the object that a mutating call changes.
    pub(crate) fn mutated_object(&self, action: &Action<'_>, call: HashKey) -> MutatedObject {
        // A whole command identifies what it does.
        if self.actions.runs(action) {
            return MutatedObject { key: call, words: Vec::new() };
        }
        object_of(action, self.tool_rule(action).map_or(&[][..], |rule| &rule.key))
    }
}

/// Returns the object that the arguments of a call identify.
fn object_of(action: &Action<'_>, keys: &[String]) -> MutatedObject {
    let tool = key_of_lower(&action.name);
    let args = action.args.as_ref().and_then(|args| serde_json::from_str::<Value>(args.json()).ok());
    let Some(Value::Object(fields)) = args else {
        let line = action.args.as_ref().map_or("", |args| args.json());
        return MutatedObject { key: key_of_parts(&[tool, key_of(line)]), words: Vec::new() };
    };
    let (mut sum, mut words) = (0_u64, Vec::new());
    for (name, value) in &fields {
        if keys.is_empty()
            && WORDING.iter().any(|known| known.eq_ignore_ascii_case(name))
            && let Some(text) = value.as_str()
        {
            add_words(text, &mut words);
            continue;
        }
        let identifies = if keys.is_empty() { !is_incidental(name, value) } else { keys.contains(name) };
        if identifies && !value.is_null() {
            let part = key_of_parts(&[key_of(name), key_of_lower(&value.to_string())]);
            sum = sum.wrapping_add(part.0);
        }
    }
    MutatedObject { key: key_of_parts(&[tool, HashKey(sum)]), words }
}

/// Returns whether an argument differs from call to call without a meaning: a fresh id, the time of the call.
fn is_incidental(name: &str, value: &Value) -> bool {
    let mut last = "";
    for word in words_of(name) {
        last = word;
    }
    let times =
        ["at", "timestamp", "ts", "nonce", "now"].iter().any(|known| last.eq_ignore_ascii_case(known));
    times || value.as_str().is_some_and(is_fresh_id) || crate::fingerprint::is_volatile_argument(name)
}

fn add_words(text: &str, words: &mut Vec<HashKey>) {
    let all = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1);
    for word in all.map(key_of_lower) {
        if words.len() < WORDS && !words.contains(&word) {
            words.push(word);
        }
    }
}
