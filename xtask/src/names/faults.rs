//! Judges the names and the prose of the sources.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::type_definitions;
use super::glossary::{glossary_words, is_one_word};
use crate::source_lexer::{LocatedToken, SourceToken, tokenize};

/// A source file: its path from the root of the workspace, and its text.
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// Openings that say nothing: a doc comment names its subject or starts with a verb.
const QUESTION_WORDS: [&str; 6] = ["What", "How", "Who", "Where", "Whose", "Whether"];

/// Phrases that cost a reader a second reading, each with what to write instead.
const PHRASES: [(&str, &str); 12] = [
    ("whoever", "the subject itself"),
    ("anew", "again"),
    ("told of", "reported"),
    ("tells of", "reports"),
    ("goes on with", "continues"),
    ("so many", "N, or \"the number of\""),
    ("come to be", "appear"),
    ("is no log", "is not a log"),
    ("is no loop", "is not a loop"),
    ("is no run", "is not a run"),
    ("is no file", "is not a file"),
    ("of ours", "our, or the name of the thing"),
];

/// Lists what is wrong with the names of types, one line each: `path:line: fault`.
pub(super) fn find_type_faults(glossary: &str, sources: &[SourceFile]) -> Vec<String> {
    let tokens: Vec<Vec<LocatedToken>> = sources.iter().map(|source| tokenize(&source.text)).collect();
    find_name_faults(&glossary_words(glossary), sources, &tokens)
}

/// Lists everything that is wrong with names and wording.
pub(super) fn find_faults(glossary: &str, sources: &[SourceFile], pages: &[SourceFile]) -> Vec<String> {
    let mut faults = find_type_faults(glossary, sources);
    let tokens: Vec<Vec<LocatedToken>> = sources.iter().map(|source| tokenize(&source.text)).collect();
    for (source, tokens) in sources.iter().zip(&tokens) {
        find_doc_faults(&source.path, tokens, &mut faults);
        find_phrases(source, true, &mut faults);
    }
    for page in pages {
        find_phrases(page, false, &mut faults);
    }
    faults
}

fn find_name_faults(words: &[String], sources: &[SourceFile], tokens: &[Vec<LocatedToken>]) -> Vec<String> {
    let known: BTreeSet<&str> = words.iter().map(String::as_str).collect();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (source, tokens) in sources.iter().zip(tokens) {
        let mut conditional = BTreeSet::new();
        for definition in type_definitions(tokens) {
            if definition.is_conditional && !conditional.insert(definition.name.clone()) {
                continue;
            }
            places.entry(definition.name).or_default().push(format!("{}:{}", source.path, definition.line));
        }
    }
    let mut faults = Vec::new();
    for (name, places) in &places {
        if let [first, others @ ..] = places.as_slice() {
            let is_known = known.contains(name.as_str());
            if is_one_word(name) && !is_known {
                faults.push(format!(
                    "{first}: `{name}` is one word and not in docs/glossary.md; say what it is in two"
                ));
            }
            faults.extend(
                others.iter().map(|other| format!("{other}: `{name}` is already defined at {first}")),
            );
        }
    }
    for word in words.iter().filter(|word| !places.contains_key(*word)) {
        faults.push(format!("docs/glossary.md: no type is called `{word}`"));
    }
    faults
}

/// Finds doc comments whose first line starts with a question word.
fn find_doc_faults(path: &str, tokens: &[LocatedToken], faults: &mut Vec<String>) {
    let mut previous = None;
    for (line, token) in tokens {
        let SourceToken::DocLine(text) = token else { continue };
        let continues = previous == Some(line - 1);
        previous = Some(*line);
        let first = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':']);
        if !continues && QUESTION_WORDS.contains(&first) {
            faults.push(format!(
                "{path}:{line}: a doc comment starts with {first:?}; start with a verb or the subject"
            ));
        }
    }
}

fn find_phrases(file: &SourceFile, only_comments: bool, faults: &mut Vec<String>) {
    for (at, line) in file.text.lines().enumerate() {
        let text =
            if only_comments { line.split_once("//").map_or("", |(_, comment)| comment) } else { line };
        let text = text.to_lowercase();
        for (phrase, instead) in PHRASES {
            if contains_phrase(&text, phrase) {
                faults.push(format!("{}:{}: {phrase:?} is hard to read; write {instead}", file.path, at + 1));
            }
        }
    }
}

/// Returns whether a phrase occurs with no letter directly before or after it.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, _)| {
        !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + phrase.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str = "| `Step` | one thing an agent did |\n";

    fn faults(sources: &[(&str, &str)]) -> Vec<String> {
        let file =
            |(path, text): &(&str, &str)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() };
        let mut sources: Vec<SourceFile> = sources.iter().map(file).collect();
        sources.push(SourceFile { path: "step.rs".to_owned(), text: "struct Step;".to_owned() });
        find_faults(GLOSSARY, &sources, &[])
    }

    #[test]
    fn good_names_pass() {
        assert_eq!(faults(&[("a.rs", "/// Returns whether it holds.\nstruct LineAssembler;")]), [""; 0]);
    }

    #[test]
    fn a_name_that_is_defined_twice_fails_with_both_places() {
        let found = faults(&[("a.rs", "struct TwoWords;"), ("b.rs", "\nenum TwoWords {}")]);
        assert_eq!(found, ["b.rs:2: `TwoWords` is already defined at a.rs:1"]);
        assert_eq!(faults(&[("b.rs", "mod tests { struct Step; }")]).len(), 1, "a glossary word twice");
    }

    #[test]
    fn a_type_may_be_defined_once_for_each_condition_in_one_file() {
        let source = "#[cfg(unix)]\nstruct ProcessGroup;\n#[cfg(not(unix))]\nstruct ProcessGroup;\n";
        assert_eq!(faults(&[("a.rs", source)]), [""; 0]);
        assert_eq!(faults(&[("a.rs", source), ("b.rs", source)]).len(), 1, "not in two files");
    }

    #[test]
    fn one_word_outside_the_glossary_fails() {
        let found = faults(&[("a.rs", "struct Desk;")]);
        assert_eq!(found, ["a.rs:1: `Desk` is one word and not in docs/glossary.md; say what it is in two"]);
    }

    #[test]
    fn a_glossary_word_without_a_type_fails() {
        let page = "| `Step` | |\n| `Ghost` | |\n";
        let source = SourceFile { path: "step.rs".to_owned(), text: "struct Step;".to_owned() };
        assert_eq!(find_faults(page, &[source], &[]), ["docs/glossary.md: no type is called `Ghost`"]);
    }

    #[test]
    fn a_doc_comment_that_starts_with_a_question_word_fails() {
        let found = faults(&[("a.rs", "/// What it is.\n/// How it goes on.\nstruct LineAssembler;")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.rs:1: a doc comment starts with \"What\""), "{found:?}");
    }

    #[test]
    fn a_phrase_that_readers_stumble_over_fails_in_comments_and_pages() {
        let found = faults(&[("a.rs", "// is read anew\nlet anew = 1; // canew\n")]);
        assert_eq!(found, ["a.rs:1: \"anew\" is hard to read; write again"]);
        let page = SourceFile { path: "README.md".to_owned(), text: "Whoever reads this".to_owned() };
        let step = SourceFile { path: "step.rs".to_owned(), text: "struct Step;".to_owned() };
        assert_eq!(find_faults(GLOSSARY, &[step], &[page]).len(), 1);
    }
}
