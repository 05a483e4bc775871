//! The files that are checked.

use crate::source_lexer::{LocatedToken, SourceToken, tokenize};

/// A file: its path from the root of the workspace, and its text.
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    /// Splits a Rust source into tokens. Each is marked with whether it is part of a test.
    pub(super) fn tokens(&self) -> Vec<MarkedToken> {
        let is_test_file = self.is_test_file();
        let mut marked: Vec<MarkedToken> = tokenize(&self.text)
            .into_iter()
            .map(|token| MarkedToken { token, is_test: is_test_file })
            .collect();
        let mut at = 0;
        while at < marked.len() {
            let end = test_item_end(&marked, at);
            marked[at..end].iter_mut().for_each(|token| token.is_test = true);
            at = end.max(at + 1);
        }
        marked
    }

    /// Returns whether the whole file is part of the tests or the benchmarks.
    pub(super) fn is_test_file(&self) -> bool {
        let is_test_name = |part: &str| {
            matches!(part, "tests" | "tests.rs" | "benches" | "examples") || part.ends_with("_tests.rs")
        };
        self.path.split('/').any(is_test_name)
    }
}

/// A token of a source, and whether it is part of a test.
pub(super) struct MarkedToken {
    pub(super) token: LocatedToken,
    pub(super) is_test: bool,
}

impl MarkedToken {
    fn is_word(&self, wanted: &str) -> bool {
        matches!(&self.token.1, SourceToken::Word(word) if word == wanted)
    }

    fn is_mark(&self, wanted: char) -> bool {
        self.token.1 == SourceToken::Punctuation(wanted)
    }
}

/// Returns the end of the item behind `#[cfg(test)]`, if one starts at this token. Otherwise, `at`.
fn test_item_end(tokens: &[MarkedToken], at: usize) -> usize {
    let [cfg, open, test, close, ..] = &tokens[at..] else { return at };
    if !(cfg.is_word("cfg") && open.is_mark('(') && test.is_word("test") && close.is_mark(')')) {
        return at;
    }
    let mut depth = 0_usize;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token.token.1 {
            SourceToken::Punctuation('{') => depth += 1,
            SourceToken::Punctuation('}') if depth <= 1 => return at + offset + 1,
            SourceToken::Punctuation('}') => depth -= 1,
            SourceToken::Punctuation(';') if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_words(path: &str, text: &str) -> Vec<String> {
        let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
        let words =
            file.tokens().into_iter().filter(|token| token.is_test).filter_map(|token| match token.token.1 {
                SourceToken::Word(word) => Some(word),
                _ => None,
            });
        words.collect()
    }

    #[test]
    fn items_behind_cfg_test_are_tests() {
        let source =
            "fn a() {} #[cfg(test)] mod t { fn b() { c(); } } fn d() {} #[cfg(test)] use e; fn f() {}";
        assert_eq!(
            test_words("a.rs", source),
            ["cfg", "test", "mod", "t", "fn", "b", "c", "cfg", "test", "use", "e"]
        );
    }

    #[test]
    fn whole_files_are_tests_by_their_path() {
        assert_eq!(test_words("crates/a/tests/a/b.rs", "x"), ["x"]);
        assert_eq!(test_words("crates/a/src/queue_tests.rs", "x"), ["x"]);
        assert!(test_words("crates/a/src/latest.rs", "x").is_empty());
    }
}
