//! A search: `search:` and the query. A new query is a new attempt, a repeated one is not.

use super::super::scan::mentions;
use super::words::{SignatureToken, slug, tokens};

const SEARCHES: [&str; 12] = [
    "searched",
    "searching",
    "search",
    "searches",
    "grepped",
    "grepping",
    "grep",
    "googled",
    "queried",
    "websearch",
    "web_search",
    "looked",
];

/// Each of the phrases contains one of these.
const MARKS: [&str; 5] = ["search", "grep", "googled", "queried", "looked"];

const QUERY_WORDS: usize = 8;

pub(super) fn find(lines: &[&str]) -> Option<String> {
    lines.iter().find_map(|line| query_in(line)).map(|query| format!("search:{query}"))
}

fn query_in(line: &str) -> Option<String> {
    if !mentions(line, &MARKS) {
        return None;
    }
    let tokens = tokens(line);
    let verb = tokens.iter().position(|token| token.is_one_of(&SEARCHES))?;
    let query = match quoted(&line[tokens[verb].end()..]) {
        Some(quoted) => slug(quoted.split_whitespace(), QUERY_WORDS),
        None => slug(after_for(&tokens[verb..]), QUERY_WORDS),
    };
    (!query.is_empty()).then_some(query)
}

/// Returns the words after `for`, up to the next clause.
fn after_for<'a>(tokens: &'a [SignatureToken<'a>]) -> impl Iterator<Item = &'a str> {
    const NEXT: [&str; 10] =
        ["in", "on", "across", "within", "found", "and", "using", "via", "inside", "but"];
    let start = tokens.iter().position(|token| token.is_one_of(&["for"])).map_or(tokens.len(), |at| at + 1);
    let mut over = false;
    tokens[start..]
        .iter()
        .take_while(move |token| {
            let next = over || token.is_one_of(&NEXT);
            over = token.ends_clause();
            !next
        })
        .map(|token| token.raw)
        .filter(|word| !matches!(*word, "a" | "an" | "the"))
}

/// Returns the first quoted text. An apostrophe inside a word is not a quote.
fn quoted(text: &str) -> Option<&str> {
    const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')];
    let pairs = QUOTES.iter().filter_map(|&(open, close)| {
        let inside = |at: usize| text[..at].ends_with(char::is_alphanumeric);
        let start = text.match_indices(open).map(|(at, _)| at).find(|&at| !inside(at))?;
        let content = start + open.len_utf8();
        let length = text[content..]
            .match_indices(close)
            .map(|(at, _)| at)
            .find(|&at| !text[content + at + close.len_utf8()..].starts_with(char::is_alphanumeric))?;
        Some((start, &text[content..content + length]))
    });
    pairs.min_by_key(|&(start, _)| start).map(|(_, content)| content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_the_text_in_quotes_or_after_for() {
        for (text, expected) in [
            ("Searched GitHub for 'oauth2 refresh token', found 3", "search:oauth2-refresh-token"),
            ("I searched for the user's name in src/", "search:user-s-name"),
            ("Searching the web for rust lcs, 10 hits", "search:rust-lcs"),
            ("grep -rn \"fn main\" src", "search:fn-main"),
            ("web_search: `a b`", "search:a-b"),
        ] {
            assert_eq!(find(&[text]).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_search_without_a_query_has_no_result() {
        for text in
            ["the search box is blue", "Searched everything.", "research for x", "don't say 'x'", "search ''"]
        {
            assert_eq!(find(&[text]), None, "{text}");
        }
    }
}
