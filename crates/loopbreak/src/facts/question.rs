//! The question of a search: its query or pattern, not the path, glob or flags it is asked with.

use serde_json::Value;

use crate::fingerprint::text_argument;
use crate::step::Action;

/// Names of the argument that holds the question, the most specific first.
const QUESTIONS: [&str; 14] = [
    "query",
    "pattern",
    "regex",
    "q",
    "search_query",
    "search_term",
    "search",
    "keywords",
    "keyword",
    "terms",
    "term",
    "question",
    "text",
    "prompt",
];

/// Words in the names of arguments that say where or how is searched.
const WHERE: [&str; 16] = [
    "path",
    "glob",
    "include",
    "exclude",
    "type",
    "directory",
    "dir",
    "folder",
    "file",
    "files",
    "mode",
    "flags",
    "options",
    "sort",
    "language",
    "explanation",
];

/// Number of texts that are read.
const TEXTS: usize = 8;

/// Number of names in [`QUESTIONS`] that stand for nothing but a question. A prompt or a text can be an order.
const ONLY_QUESTIONS: usize = 12;

/// Returns whether a call has an argument that is a question.
pub(crate) fn has_question(action: &Action<'_>) -> bool {
    let args = action.args.as_ref().map_or("", |args| args.json());
    text_argument(args, &QUESTIONS[..ONLY_QUESTIONS]).is_some()
}

/// Returns the texts of a question, without the names of the arguments.
pub(crate) fn question_texts(action: &Action<'_>) -> Vec<String> {
    let mut texts = Vec::new();
    let Some(Ok(args)) = action.args.as_ref().map(|args| serde_json::from_str(args.json())) else {
        return texts;
    };
    let Value::Object(fields) = args else {
        collect(args, &mut texts);
        return texts;
    };
    let known = |name: &str| fields.keys().find(|key| key.eq_ignore_ascii_case(name)).cloned();
    if let Some(name) = QUESTIONS.iter().find_map(|name| known(name)) {
        fields.into_iter().filter(|(key, _)| *key == name).for_each(|(_, value)| collect(value, &mut texts));
        return texts;
    }
    let is_place = |name: &str| {
        let mut words = crate::fingerprint::words_of(name);
        words.any(|word| WHERE.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    fields.into_iter().filter(|(name, _)| !is_place(name)).for_each(|(_, value)| collect(value, &mut texts));
    texts
}

fn collect(value: Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) if into.len() < TEXTS => into.push(text),
        Value::Array(all) => all.into_iter().for_each(|value| collect(value, into)),
        Value::Object(all) => all.into_iter().for_each(|(_, value)| collect(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(action: &str) -> Vec<String> {
        question_texts(&serde_json::from_str(action).unwrap())
    }

    #[test]
    fn the_question_is_the_pattern_and_not_where_it_is_asked() {
        let grep =
            r#"{"name":"Grep","args":{"pattern":"fn main","path":"/home/me/project/src","glob":"*.rs"}}"#;
        assert_eq!(texts(grep), ["fn main"]);
        assert_eq!(texts(r#"{"name":"find","args":{"name":"a.txt","directory":"/x"}}"#), ["a.txt"]);
        assert_eq!(texts(r#"{"name":"Search","args":["red shoes"]}"#), ["red shoes"]);
        assert_eq!(texts(r#"{"name":"Search","args":"red shoes"}"#), ["red shoes"]);
        assert!(texts(r#""search""#).is_empty());
    }
}
