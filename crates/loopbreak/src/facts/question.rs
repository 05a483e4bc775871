//! The question of a search: its query or pattern, not the path, glob or flags it is asked with.

use std::borrow::Cow;

use crate::fingerprint::{argument_fields, argument_items, argument_text, text_argument, words_of};
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
/// Nesting limit of the lists and objects that texts are read from.
const DEEPEST: u32 = 8;

/// Number of names in [`QUESTIONS`] that stand for nothing but a question. A prompt or a text can be an order.
const ONLY_QUESTIONS: usize = 12;

/// Returns whether a call has an argument that is a question.
pub(crate) fn has_question(action: &Action<'_>) -> bool {
    let args = action.args.as_ref().map_or("", |args| args.json());
    text_argument(args, &QUESTIONS[..ONLY_QUESTIONS]).is_some()
}

/// Returns the texts of a question, without the names of the arguments.
pub(crate) fn question_texts<'a>(action: &'a Action<'_>) -> Vec<Cow<'a, str>> {
    let args = action.args.as_ref().map_or("", |args| args.json());
    let mut texts = Vec::new();
    if !args.starts_with('{') {
        collect(args, 0, &mut texts);
        return texts;
    }
    let (mut best, mut question) = (QUESTIONS.len(), None);
    for (name, value) in argument_fields(args) {
        if let Some(rank) = QUESTIONS[..best].iter().position(|known| name.eq_ignore_ascii_case(known)) {
            (best, question) = (rank, Some(value));
        }
    }
    if let Some(question) = question {
        collect(question, 0, &mut texts);
        return texts;
    }
    let is_place = |name: &str| {
        let mut words = words_of(name);
        words.any(|word| WHERE.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    let elsewhere = argument_fields(args).filter(|(name, _)| !is_place(name));
    elsewhere.for_each(|(_, value)| collect(value, 0, &mut texts));
    texts
}

/// Adds the texts in a JSON value.
fn collect<'j>(json: &'j str, depth: u32, into: &mut Vec<Cow<'j, str>>) {
    if depth > DEEPEST || into.len() >= TEXTS {
        return;
    }
    match json.as_bytes().first() {
        Some(b'"') => into.extend(argument_text(json)),
        Some(b'[') => argument_items(json).for_each(|item| collect(item, depth + 1, into)),
        Some(b'{') => argument_fields(json).for_each(|(_, value)| collect(value, depth + 1, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(action: &str) -> Vec<String> {
        let action = serde_json::from_str(action).unwrap();
        question_texts(&action).into_iter().map(Cow::into_owned).collect()
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
