//! Wording of comments, texts and pages.

use super::phrases::phrases_in;
use super::source_file::{MarkedToken, SourceFile};
use crate::source_lexer::SourceToken;

/// Openings that say nothing: a doc comment names its subject or starts with a verb.
const QUESTION_WORDS: [&str; 6] = ["What", "How", "Who", "Where", "Whose", "Whether"];

/// Lists the faults in the comments of a source, and in its texts outside of tests: those are data.
pub(super) fn find_source_faults(source: &SourceFile) -> Vec<String> {
    let tokens = source.tokens();
    let mut faults = find_openings(&source.path, &tokens);
    let comments = tokens.iter().filter_map(|token| match &token.token {
        (line, SourceToken::DocLine(text) | SourceToken::CommentLine(text)) => Some((*line, text.as_str())),
        _ => None,
    });
    find_phrases(&source.path, comments, &mut faults);
    let texts = tokens.iter().filter(|token| !token.is_test).filter_map(|token| match &token.token {
        (line, SourceToken::Text(text)) => Some((*line, text)),
        _ => None,
    });
    for (line, text) in texts {
        find_phrases(&source.path, std::iter::once((line, text.as_str())), &mut faults);
    }
    faults
}

/// Lists the faults in a Markdown page.
pub(super) fn find_page_faults(page: &SourceFile) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = page.text.lines().enumerate().map(|(at, line)| (at + 1, line));
    find_phrases(&page.path, lines, &mut faults);
    faults
}

/// Finds doc comments whose first line starts with a question word.
fn find_openings(path: &str, tokens: &[MarkedToken]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut previous = None;
    for MarkedToken { token: (line, token), .. } in tokens {
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
    faults
}

/// Finds phrases in lines of text, also across the end of a line.
fn find_phrases<'t>(path: &str, lines: impl Iterator<Item = (usize, &'t str)>, faults: &mut Vec<String>) {
    // Lines that follow each other, as one text, and where each of them starts.
    let mut passage = String::new();
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut flush = |passage: &mut String, starts: &mut Vec<(usize, usize)>| {
        for (at, phrase, instead) in phrases_in(passage) {
            let line = starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, line)| *line);
            faults.push(format!("{path}:{line}: {phrase:?} is hard to read; write {instead}"));
        }
        passage.clear();
        starts.clear();
    };
    for (line, text) in lines {
        if starts.last().is_some_and(|(_, previous)| previous + 1 != line) {
            flush(&mut passage, &mut starts);
        }
        if !passage.is_empty() {
            passage.push(' ');
        }
        starts.push((passage.len(), line));
        passage.push_str(text.trim());
    }
    flush(&mut passage, &mut starts);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    fn faults(text: &str) -> Vec<String> {
        find_source_faults(&file("a.rs", text))
    }

    #[test]
    fn plain_english_passes() {
        assert_eq!(faults("/// Returns whether it holds.\nstruct LineAssembler; // read again\n"), [""; 0]);
    }

    #[test]
    fn a_doc_comment_that_starts_with_a_question_word_fails() {
        let found = faults("/// What it is.\n/// How it is read.\nstruct LineAssembler;");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.rs:1: a doc comment starts with \"What\""), "{found:?}");
    }

    #[test]
    fn a_phrase_that_is_hard_to_read_fails_in_a_comment() {
        let found = faults("// is read anew\nlet anew = 1; // canew\n");
        assert_eq!(found, ["a.rs:1: \"anew\" is hard to read; write \"again\""]);
    }

    #[test]
    fn a_phrase_is_found_across_lines() {
        let found = faults("fn a() {}\n/// A loop is told\n/// of once.\nfn b() {}");
        assert_eq!(found, ["a.rs:2: \"told of\" is hard to read; write \"reported\""]);
        assert_eq!(faults("// told\n\n// of\n"), [""; 0], "these are two comments");
    }

    #[test]
    fn a_phrase_fails_in_an_error_text_but_not_in_the_data_of_a_test() {
        let found = faults("fn a() -> &'static str {\n    \"this is no \\\n     log\"\n}");
        assert_eq!(found, ["a.rs:2: \"is no\" is hard to read; write \"is not a\""]);
        assert_eq!(faults("#[cfg(test)]\nmod tests { const SAID: &str = \"is read anew\"; }"), [""; 0]);
        assert_eq!(find_source_faults(&file("crates/a/tests/b.rs", "\"is read anew\"")), [""; 0]);
    }

    #[test]
    fn a_phrase_fails_in_a_page() {
        let found = find_page_faults(&file("README.md", "# A\n\nWhoever reads\nthis"));
        assert_eq!(found, ["README.md:3: \"whoever\" is hard to read; write the subject itself"]);
    }
}
