//! The public interface of the libraries as text, so that a change of it shows in every review.
//!
//! Lists everything that is declared `pub` in the sources, file by file. The lint `unreachable_pub` makes sure that
//! this is what users of a crate can reach. Bodies, attributes, comments and tests are left out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::process::root;
use crate::source_lexer::{SourceToken, tokenize};

/// Renders the public interface of one crate.
pub(crate) fn render(name: &str) -> Result<String, String> {
    let source = root().join("crates").join(name).join("src");
    let mut files = Vec::new();
    collect(&source, &source, &mut files)?;
    files.sort();
    let mut out = format!("The public interface of {name}. Written by `cargo xtask generate`.\n");
    for (file, text) in files {
        let items = public_items(&text);
        if !items.is_empty() {
            _ = writeln!(out, "\n{file}");
            for item in items {
                _ = writeln!(out, "  {item}");
            }
        }
    }
    Ok(out)
}

fn collect(folder: &Path, source: &Path, files: &mut Vec<(String, String)>) -> Result<(), String> {
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" {
                collect(&path, source, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && name != "tests.rs"
            && !name.ends_with("_tests.rs")
        {
            let text = fs::read_to_string(&path).map_err(failed)?;
            let relative = path.strip_prefix(source).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((relative, text));
        }
    }
    Ok(())
}

/// Lists the public items of one file, one line each.
fn public_items(text: &str) -> Vec<String> {
    let tokens: Vec<SourceToken> =
        tokenize(text).into_iter().map(|(_, token)| token).filter(SourceToken::is_code).collect();
    let mut reader = ItemReader { tokens: &tokens, at: 0, items: Vec::new() };
    reader.block("");
    reader.items
}

/// Reads items and skips everything that is not public.
struct ItemReader<'t> {
    tokens: &'t [SourceToken],
    at: usize,
    items: Vec<String>,
}

impl ItemReader<'_> {
    /// Reads the items up to the end of the block. `owner` is the type whose impl block it is.
    fn block(&mut self, owner: &str) {
        let mut is_test = false;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                SourceToken::Punctuation('}') => {
                    self.at += 1;
                    return;
                }
                SourceToken::Punctuation('#') => is_test |= self.attribute(),
                SourceToken::Word(word) if word == "pub" && !self.punctuation_at(self.at + 1, '(') => {
                    self.public_item(owner);
                    is_test = false;
                }
                SourceToken::Word(word) if word == "impl" => {
                    let header = self.until(&['{']);
                    let is_trait_impl = header.iter().any(|token| is_word(token, "for"));
                    if is_test || is_trait_impl {
                        self.skip_block();
                    } else {
                        self.at += 1;
                        self.block(&owner_of(&header));
                    }
                    is_test = false;
                }
                SourceToken::Word(_) => {
                    let header = self.until(&['{', ';']);
                    // A private module may be named by a public one elsewhere; its items are reachable then.
                    let is_module = header.iter().any(|token| is_word(token, "mod"));
                    if self.punctuation_at(self.at, ';') {
                        self.at += 1;
                    } else if is_module && !is_test {
                        self.at += 1;
                        self.block("");
                    } else {
                        self.skip_block();
                    }
                    is_test = false;
                }
                SourceToken::Punctuation('{') => self.skip_block(),
                _ => self.at += 1,
            }
        }
    }

    fn public_item(&mut self, owner: &str) {
        let start = self.at;
        let keyword = self.tokens[start..].iter().skip(1).find_map(|token| match token {
            SourceToken::Word(word)
                if ["fn", "struct", "enum", "union", "trait", "const", "static", "type", "use", "mod"]
                    .contains(&word.as_str()) =>
            {
                Some(word.clone())
            }
            _ => None,
        });
        // `const fn` is a function.
        let keyword = match keyword.as_deref() {
            Some("const") if self.tokens.get(start + 2).is_some_and(|token| is_word(token, "fn")) => {
                "fn".to_owned()
            }
            Some(keyword) => keyword.to_owned(),
            None => String::new(),
        };
        let prefix = if owner.is_empty() { String::new() } else { format!("{owner}: ") };
        match keyword.as_str() {
            "use" | "type" => {
                let item = self.until(&[';']);
                self.push(&prefix, &item);
                self.at += 1;
            }
            "const" | "static" => {
                let item = self.until(&['=', ';']);
                self.push(&prefix, &item);
                self.until(&[';']);
                self.at += 1;
            }
            "struct" | "union" => self.structure(&prefix),
            "enum" | "trait" => self.whole(&prefix),
            "mod" => {
                let item = self.until(&['{', ';']);
                self.push(&prefix, &item);
                if self.punctuation_at(self.at, ';') {
                    self.at += 1;
                } else {
                    self.at += 1;
                    self.block("");
                }
            }
            _ => {
                let item = self.until(&['{', ';']);
                self.push(&prefix, &item);
                if self.punctuation_at(self.at, ';') {
                    self.at += 1;
                } else {
                    self.skip_block();
                }
            }
        }
    }

    /// Lists a struct and its public fields.
    fn structure(&mut self, prefix: &str) {
        let item = self.until(&['{', ';']);
        self.push(prefix, &item);
        let name = item.get(2).map(|token| render_tokens(std::slice::from_ref(token))).unwrap_or_default();
        if self.punctuation_at(self.at, ';') {
            self.at += 1;
            return;
        }
        self.at += 1;
        while self.at < self.tokens.len() && !self.punctuation_at(self.at, '}') {
            if self.punctuation_at(self.at, '#') {
                self.attribute();
                continue;
            }
            let field = self.until(&[',', '}']);
            if field.first().is_some_and(|token| is_word(token, "pub"))
                && field.get(1) != Some(&SourceToken::Punctuation('('))
            {
                self.push(&format!("{name}: "), &field);
            }
            if self.punctuation_at(self.at, ',') {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    /// Lists an enum or a trait with all that stands in it, but for bodies of functions.
    fn whole(&mut self, prefix: &str) {
        let item = self.until(&['{', ';']);
        self.push(prefix, &item);
        let name = item.get(2).map(|token| render_tokens(std::slice::from_ref(token))).unwrap_or_default();
        if self.punctuation_at(self.at, ';') {
            self.at += 1;
            return;
        }
        self.at += 1;
        while self.at < self.tokens.len() && !self.punctuation_at(self.at, '}') {
            if self.punctuation_at(self.at, '#') {
                self.attribute();
                continue;
            }
            let is_function = |member: &[SourceToken]| member.iter().any(|token| is_word(token, "fn"));
            let mut member = self.until(&[',', ';', '{', '}']);
            if self.punctuation_at(self.at, '{') {
                let start = self.at;
                self.skip_block();
                if !is_function(&member) {
                    member.extend_from_slice(&self.tokens[start..self.at]);
                }
            }
            if self.punctuation_at(self.at, ',') || self.punctuation_at(self.at, ';') {
                self.at += 1;
            }
            if !member.is_empty() {
                self.push(&format!("{name}: "), &member);
            }
        }
        self.at += 1;
    }

    fn push(&mut self, prefix: &str, tokens: &[SourceToken]) {
        self.items.push(format!("{prefix}{}", render_tokens(tokens)));
    }

    fn punctuation_at(&self, at: usize, wanted: char) -> bool {
        self.tokens.get(at) == Some(&SourceToken::Punctuation(wanted))
    }

    /// Takes the tokens up to one of these marks, outside of brackets; the mark itself is left.
    fn until(&mut self, marks: &[char]) -> Vec<SourceToken> {
        let start = self.at;
        let mut depth = 0_i32;
        while let Some(token) = self.tokens.get(self.at) {
            if let SourceToken::Punctuation(mark) = token {
                if depth == 0 && marks.contains(mark) {
                    break;
                }
                match mark {
                    '(' | '[' | '{' | '<' => depth += 1,
                    ')' | ']' | '}' => depth -= 1,
                    // An arrow closes nothing.
                    '>' if !self.at.checked_sub(1).is_some_and(|before| {
                        self.punctuation_at(before, '-') || self.punctuation_at(before, '=')
                    }) =>
                    {
                        depth -= 1;
                    }
                    _ => {}
                }
                depth = depth.max(0);
            }
            self.at += 1;
        }
        self.tokens[start..self.at].to_vec()
    }

    /// Skips an attribute, and says whether it is `cfg(test)`.
    fn attribute(&mut self) -> bool {
        self.at += 1;
        if self.punctuation_at(self.at, '!') {
            self.at += 1;
        }
        let start = self.at;
        let mut depth = 0_i32;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                SourceToken::Punctuation('[') => depth += 1,
                SourceToken::Punctuation(']') => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        let words = &self.tokens[start..self.at];
        words.iter().any(|token| is_word(token, "cfg")) && words.iter().any(|token| is_word(token, "test"))
    }

    /// Skips from an opening brace to what follows its closing one.
    fn skip_block(&mut self) {
        let mut depth = 0_i32;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                SourceToken::Punctuation('{') => depth += 1,
                SourceToken::Punctuation('}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth <= 0 {
                return;
            }
        }
    }
}

fn is_word(token: &SourceToken, wanted: &str) -> bool {
    matches!(token, SourceToken::Word(word) if word == wanted)
}

/// Names the type of an impl block: its header without the generics after `impl`.
fn owner_of(header: &[SourceToken]) -> String {
    let mut rest = &header[1..];
    if rest.first() == Some(&SourceToken::Punctuation('<')) {
        let mut depth = 0_i32;
        let end = rest.iter().position(|token| {
            match token {
                SourceToken::Punctuation('<') => depth += 1,
                SourceToken::Punctuation('>') => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
    }
    render_tokens(rest)
}

/// Writes tokens as a line, with blanks between words and after commas and colons.
fn render_tokens(tokens: &[SourceToken]) -> String {
    let mut line = String::new();
    for token in tokens {
        match token {
            SourceToken::Word(word) => {
                let touches = line.ends_with(|last: char| {
                    last.is_alphanumeric() || matches!(last, '_' | ')' | '>' | ']' | '}')
                });
                let after_mark = line.ends_with([',', '=', '+', '|', '{'])
                    || (line.ends_with(':') && !line.ends_with("::"));
                if touches || after_mark {
                    line.push(' ');
                }
                line.push_str(word);
            }
            SourceToken::Punctuation(mark) => {
                let opens_list = *mark == '{' && line.ends_with("::");
                if (matches!(mark, '{' | '=' | '+' | '|' | '}') && !opens_list)
                    || (*mark == '-' && !line.is_empty())
                {
                    line.push(' ');
                }
                line.push(*mark);
            }
            SourceToken::DocLine(_) | SourceToken::CommentLine(_) | SourceToken::Text(_) => {}
        }
    }
    line.replace("= >", "=>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_is_public_and_nothing_else() {
        let source = r#"
            //! Docs.
            mod private;
            pub mod open;
            pub use open::{Thing, Other as Another};
            use std::fmt;
            /// A guard.
            #[derive(Clone, Debug)]
            pub struct Guard<'g> { pub turn: u64, hidden: Vec<u8>, pub(crate) inner: &'g str }
            pub struct Unit;
            pub enum Mode { #[default] Off, On(u8), Both { left: u8 } }
            pub trait Look { const N: usize; fn look(&self) -> u8 { 3 } fn see(&mut self); }
            impl<'g> Guard<'g> { pub fn new(x: impl Fn(u8) -> u8) -> Self { let y = "pub fn no()"; Guard {} } fn own(&self) {} pub const fn size(&self) -> usize { 1 } }
            impl fmt::Display for Guard<'_> { fn fmt(&self) {} }
            pub const MAX: usize = 3;
            pub(crate) fn hidden() {}
            #[cfg(test)]
            mod tests { pub fn not_this() {} }
            pub fn free<T: Into<String>>(text: T) -> Option<T> { None }
        "#;
        let expected = [
            "pub mod open",
            "pub use open::{Thing, Other as Another }",
            "pub struct Guard<'g>",
            "Guard: pub turn: u64",
            "pub struct Unit",
            "pub enum Mode",
            "Mode: Off",
            "Mode: On(u8)",
            "Mode: Both {left: u8 }",
            "pub trait Look",
            "Look: const N: usize",
            "Look: fn look(&self) -> u8",
            "Look: fn see(&mut self)",
            "Guard<'g>: pub fn new(x: impl Fn(u8) -> u8) -> Self",
            "Guard<'g>: pub const fn size(&self) -> usize",
            "pub const MAX: usize",
            "pub fn free<T: Into<String>>(text: T) -> Option<T>",
        ];
        let shown = |line: &String| line.replace("{ ", "{");
        let found: Vec<String> = public_items(source).iter().map(shown).collect();
        assert_eq!(found, expected);
    }
}
