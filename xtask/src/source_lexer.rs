//! A small lexer for Rust sources: words, punctuation, comments and texts with their lines.
//!
//! It knows just enough to tell code from comments, strings and character literals. A parser would be more exact, but
//! this crate is compiled on every fresh machine before the first test runs and has no dependency for it.

/// One token of interest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceToken {
    /// An identifier or a keyword.
    Word(String),
    /// A single character of punctuation.
    Punctuation(char),
    /// The text of one line of a doc comment (`///` or `//!`), without its marker.
    DocLine(String),
    /// The text of one line of a plain comment.
    CommentLine(String),
    /// The content of a string literal, as it is written. A line that ends with a backslash is joined with the next one.
    Text(String),
}

impl SourceToken {
    /// Returns whether the token is part of an item's declaration: a word or punctuation.
    pub(crate) fn is_code(&self) -> bool {
        matches!(self, SourceToken::Word(_) | SourceToken::Punctuation(_))
    }
}

/// A token and the line it starts on, counted from 1.
pub(crate) type LocatedToken = (usize, SourceToken);

/// Splits a source text into tokens.
pub(crate) fn tokenize(source: &str) -> Vec<LocatedToken> {
    SourceLexer { rest: source, line: 1, tokens: Vec::new() }.run()
}

struct SourceLexer<'s> {
    rest: &'s str,
    line: usize,
    tokens: Vec<LocatedToken>,
}

impl SourceLexer<'_> {
    fn run(mut self) -> Vec<LocatedToken> {
        while let Some(first) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                self.line_comment();
            } else if self.rest.starts_with("/*") {
                self.block_comment();
            } else if let Some(length) = raw_string_length(self.rest) {
                self.text(length);
            } else if first == '"' {
                self.text(string_length(self.rest, 1));
            } else if self.rest.starts_with("b\"") || self.rest.starts_with("c\"") {
                self.text(string_length(self.rest, 2));
            } else if first == '\'' {
                let length = quote_length(self.rest);
                if length == 1 {
                    self.tokens.push((self.line, SourceToken::Punctuation(first)));
                }
                self.skip(length);
            } else if first == '_' || first.is_alphanumeric() {
                self.word();
            } else {
                if !first.is_whitespace() {
                    self.tokens.push((self.line, SourceToken::Punctuation(first)));
                }
                self.skip(first.len_utf8());
            }
        }
        self.tokens
    }

    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }

    fn line_comment(&mut self) {
        let length = self.rest.find('\n').unwrap_or(self.rest.len());
        let comment = &self.rest[..length];
        let doc = comment.strip_prefix("//!").or_else(|| comment.strip_prefix("///"));
        // Four slashes are a plain comment.
        let token = match doc.filter(|doc| !doc.starts_with('/')) {
            Some(doc) => SourceToken::DocLine(doc.trim().to_owned()),
            None => SourceToken::CommentLine(comment.trim_start_matches('/').trim().to_owned()),
        };
        self.tokens.push((self.line, token));
        self.skip(length);
    }

    /// Takes a string literal of this length, with its quotes and marks.
    fn text(&mut self, length: usize) {
        let literal = &self.rest[..length.min(self.rest.len())];
        let is_raw = literal.trim_start_matches(['b', 'c']).starts_with('r');
        let content = literal.trim_start_matches(['b', 'c', 'r', '#']).trim_end_matches('#');
        let content = content.strip_prefix('"').unwrap_or(content);
        let content = content.strip_suffix('"').unwrap_or(content);
        let content = if is_raw { content.to_owned() } else { join_continued_lines(content) };
        self.tokens.push((self.line, SourceToken::Text(content)));
        self.skip(length);
    }

    fn block_comment(&mut self) {
        let (mut depth, mut at) = (0_usize, 0);
        loop {
            let rest = &self.rest[at..];
            if rest.starts_with("/*") {
                (depth, at) = (depth + 1, at + 2);
            } else if rest.starts_with("*/") {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    break;
                }
            } else if let Some(letter) = rest.chars().next() {
                at += letter.len_utf8();
            } else {
                break;
            }
        }
        self.skip(at);
    }

    fn word(&mut self) {
        let end = |letter: char| letter != '_' && !letter.is_alphanumeric();
        let length = self.rest.find(end).unwrap_or(self.rest.len());
        self.tokens.push((self.line, SourceToken::Word(self.rest[..length].to_owned())));
        self.skip(length);
    }
}

/// Removes the backslashes that continue a literal on the next line, and the indentation there.
fn join_continued_lines(content: &str) -> String {
    let mut parts = content.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}

/// Returns the length of the raw string at the start of the text, if one starts there.
fn raw_string_length(text: &str) -> Option<usize> {
    let after =
        text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let closed = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(text.len() - body.len() + closed)
}

/// Returns the length of a string literal whose content starts at `start`.
fn string_length(text: &str, start: usize) -> usize {
    let mut escaped = false;
    for (at, letter) in text[start..].char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return start + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a character literal, or of the quote alone where it starts a lifetime.
fn quote_length(text: &str) -> usize {
    let mut letters = text[1..].char_indices();
    match letters.next() {
        Some((_, '\\')) => {
            // The character after the backslash may itself be a quote.
            let escaped = letters.next().map_or(0, |(at, letter)| at + letter.len_utf8());
            text[1 + escaped..].find('\'').map_or(text.len(), |at| 1 + escaped + at + 1)
        }
        Some((_, first)) if text[1 + first.len_utf8()..].starts_with('\'') => first.len_utf8() + 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<(usize, String)> {
        let word = |(line, token)| match token {
            SourceToken::Word(word) => Some((line, word)),
            _ => None,
        };
        tokenize(source).into_iter().filter_map(word).collect()
    }

    #[test]
    fn ignores_comments_strings_and_character_literals() {
        let source = concat!(
            "a // struct No\n",
            "/* struct No /* nested */ struct No */ b\n",
            "\"struct \\\" No\" c r#\"struct \" No\"# d b\"No\" '\\'' '\"' 'x' e\n",
        );
        let expected = [(1, "a"), (2, "b"), (3, "c"), (3, "d"), (3, "e")];
        assert_eq!(words(source), expected.map(|(line, word)| (line, word.to_owned())));
    }

    #[test]
    fn a_lifetime_does_not_start_a_literal() {
        let found: Vec<String> = words("fn f<'s>(x: &'s str) {}").into_iter().map(|(_, word)| word).collect();
        assert_eq!(found, ["fn", "f", "s", "x", "s", "str"]);
    }

    #[test]
    fn comments_are_kept_with_their_lines() {
        let found = tokenize("//! Top.\n\n/// Item.\n//// plain\nstruct A;");
        assert_eq!(found[0], (1, SourceToken::DocLine("Top.".to_owned())));
        assert_eq!(found[1], (3, SourceToken::DocLine("Item.".to_owned())));
        assert_eq!(found[2], (4, SourceToken::CommentLine("plain".to_owned())));
        assert_eq!(found[3], (5, SourceToken::Word("struct".to_owned())));
    }

    #[test]
    fn texts_are_kept_without_quotes_and_continued_lines_are_joined() {
        let source = "\"a \\\n   b\" r#\"c \"quoted\" \\ d\"# b\"e\" \"\"";
        let found: Vec<SourceToken> = tokenize(source).into_iter().map(|(_, token)| token).collect();
        let expected = ["a b", "c \"quoted\" \\ d", "e", ""].map(|text| SourceToken::Text(text.to_owned()));
        assert_eq!(found, expected);
    }
}
