//! Names of functions: conversions implement the traits of the standard library, and names of tests are sentences.

use super::phrases::phrases_in;
use super::source_file::{MarkedToken, SourceFile};
use crate::source_lexer::SourceToken;

/// Names that hide a conversion, each with what to write instead.
const VAGUE_NAMES: [(&str, &str); 3] = [
    ("named", "implement `FromStr`, or say what is looked up, as in `find_format`"),
    ("of", "implement `From` or `TryFrom`, or name the constructor `new` or `from_*`"),
    ("told", "implement `Display`, or name the result, as in `render_notice`"),
];

/// Words that do not start a sentence about what happens.
const QUESTION_STARTS: [&str; 6] = ["what", "how", "who", "where", "whose", "whether"];

/// Lists the faults of one file.
pub(super) fn find_function_faults(source: &SourceFile) -> Vec<String> {
    let tokens = source.tokens();
    let mut faults = Vec::new();
    for (line, name, is_test) in functions(&tokens) {
        let place = format!("{}:{line}", source.path);
        if let Some((_, instead)) = VAGUE_NAMES.iter().find(|(vague, _)| *vague == name) {
            faults.push(format!("{place}: `fn {name}` does not say what it does; {instead}"));
        }
        let sentence = name.replace('_', " ");
        for (_, phrase, instead) in phrases_in(&sentence) {
            faults.push(format!(
                "{place}: `fn {name}` says {phrase:?}, which is hard to read; write {instead}"
            ));
        }
        let first = sentence.split(' ').next().unwrap_or_default();
        if is_test && QUESTION_STARTS.contains(&first) {
            faults.push(format!("{place}: the test `{name}` starts with {first:?}; write a sentence"));
        }
    }
    faults
}

/// Lists the functions with their lines, and whether each has the attribute `#[test]`.
fn functions(tokens: &[MarkedToken]) -> Vec<(usize, &str, bool)> {
    let mut found = Vec::new();
    let code: Vec<_> = tokens.iter().map(|token| &token.token).filter(|(_, token)| token.is_code()).collect();
    let mut has_test_attribute = false;
    for (at, (line, token)) in code.iter().enumerate() {
        match token {
            SourceToken::Punctuation('[') => {
                has_test_attribute |= matches!(
                    code.get(at + 1..at + 3),
                    Some([(_, SourceToken::Word(word)), (_, SourceToken::Punctuation(']'))]) if word == "test"
                );
            }
            SourceToken::Punctuation('{' | '}') => has_test_attribute = false,
            SourceToken::Word(word) if word == "fn" => {
                if let Some((_, SourceToken::Word(name))) = code.get(at + 1) {
                    found.push((*line, name.as_str(), has_test_attribute));
                }
                has_test_attribute = false;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        find_function_faults(&SourceFile { path: "a.rs".to_owned(), text: text.to_owned() })
    }

    #[test]
    fn conventional_names_pass() {
        let source = "fn new() {} fn parse() {} #[test] fn a_log_is_read_again() {} fn where_clause<T>() where T: Copy {}";
        assert_eq!(faults(source), [""; 0]);
    }

    #[test]
    fn names_that_hide_a_conversion_fail() {
        for name in ["named", "of", "told"] {
            let found = faults(&format!("\nimpl A {{ pub fn {name}(text: &str) {{}} }}"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(&format!("a.rs:2: `fn {name}` does not say")), "{found:?}");
        }
    }

    #[test]
    fn a_phrase_that_is_hard_to_read_fails_in_a_test_name() {
        let found = faults("#[test]\nfn a_log_is_read_anew() {}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.rs:2: `fn a_log_is_read_anew` says \"anew\""), "{found:?}");
    }

    #[test]
    fn a_test_name_that_starts_with_a_question_word_fails() {
        let found = faults("#[test]\nfn who_only_observes_does_nothing() {}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("starts with \"who\""), "{found:?}");
    }
}
