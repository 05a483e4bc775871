//! Finds the types that a source file defines.

use crate::source_lexer::{LocatedToken, SourceToken};

/// A type definition: a struct, an enum, a union, a trait, or an alias outside of traits and impls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeDefinition {
    pub(super) name: String,
    pub(super) line: usize,
    /// A `cfg` attribute stands before it: then the same type may be defined once for each condition.
    pub(super) is_conditional: bool,
    /// The type can be named outside of its module.
    pub(super) is_visible: bool,
}

/// Lists the types that are defined in these tokens, in their order.
pub(super) fn type_definitions(tokens: &[LocatedToken]) -> Vec<TypeDefinition> {
    let mut found = Vec::new();
    // For every open brace: whether it is the body of an impl or a trait, where `type` declares an associated type, and
    // whether it is conditional.
    let mut blocks: Vec<(bool, bool)> = Vec::new();
    let mut header: Option<bool> = None;
    let mut is_conditional = false;
    for (at, (_, token)) in tokens.iter().enumerate() {
        match token {
            SourceToken::Punctuation('{') => {
                let outer = blocks.last().is_some_and(|(_, conditional)| *conditional);
                blocks.push((header.take().unwrap_or(false), outer || is_conditional));
                is_conditional = false;
            }
            SourceToken::Punctuation('}') => {
                blocks.pop();
                header = None;
                is_conditional = false;
            }
            SourceToken::Punctuation(';') => {
                header = None;
                is_conditional = false;
            }
            SourceToken::Word(word) => {
                is_conditional |= word == "cfg" || word == "cfg_attr";
                let starts_item = header.is_none();
                match word.as_str() {
                    "impl" | "trait" if starts_item => header = Some(true),
                    // These start an item whose body is an ordinary block, even if `impl` occurs in its signature.
                    "fn" | "struct" | "enum" | "union" | "mod" | "let" if starts_item => header = Some(false),
                    _ => {}
                }
                let defines = match word.as_str() {
                    "struct" | "enum" | "union" | "trait" => true,
                    "type" => !blocks.last().is_some_and(|(associated, _)| *associated),
                    _ => false,
                };
                if defines
                    && let Some((line, SourceToken::Word(name))) = tokens.get(at + 1)
                    && name.starts_with(|first: char| first.is_uppercase())
                {
                    let outer = blocks.last().is_some_and(|(_, conditional)| *conditional);
                    let is_conditional = is_conditional || outer;
                    let is_visible = is_visible(&tokens[..at]);
                    found.push(TypeDefinition {
                        name: name.clone(),
                        line: *line,
                        is_conditional,
                        is_visible,
                    });
                }
            }
            _ => {}
        }
    }
    found
}

/// Counts the functions that can be named outside of their module, in the file and its inline modules.
pub(super) fn count_visible_functions(tokens: &[LocatedToken]) -> usize {
    // For every open brace: whether it is the body of a module.
    let mut blocks: Vec<bool> = Vec::new();
    let mut is_module = false;
    let mut count = 0;
    for (at, (_, token)) in tokens.iter().enumerate() {
        match token {
            SourceToken::Punctuation('{') => blocks.push(std::mem::take(&mut is_module)),
            SourceToken::Punctuation('}') => _ = blocks.pop(),
            SourceToken::Word(word) if word == "mod" => is_module = true,
            SourceToken::Word(word) if word == "fn" && blocks.iter().all(|is_module| *is_module) => {
                let before = tokens[..at].iter().rposition(|(_, token)| !is_qualifier(token));
                count += usize::from(before.is_some_and(|last| is_visible(&tokens[..=last])));
            }
            _ => {}
        }
    }
    count
}

/// Returns whether a token may stand between `pub` and `fn`.
fn is_qualifier(token: &SourceToken) -> bool {
    matches!(token, SourceToken::Word(word) if word == "const" || word == "async")
}

/// Returns whether the tokens before an item end with `pub`, or with `pub` and a scope in parentheses.
fn is_visible(before: &[LocatedToken]) -> bool {
    let before = match before {
        [rest @ .., (_, SourceToken::Punctuation(')'))] => {
            let open = rest.iter().rposition(|(_, token)| *token == SourceToken::Punctuation('('));
            &rest[..open.unwrap_or_default()]
        }
        before => before,
    };
    matches!(before.last(), Some((_, SourceToken::Word(word))) if word == "pub")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_lexer::tokenize;

    fn names(source: &str) -> Vec<String> {
        type_definitions(&tokenize(source)).into_iter().map(|definition| definition.name).collect()
    }

    #[test]
    fn finds_every_kind_of_type_also_inside_functions_and_modules() {
        let source = "pub struct A; enum B { X } trait C {} type D = u8; pub(crate) union E { x: u8 }
            mod m { struct F(u8); fn f() { struct G; } } macro_rules! x { () => { pub enum H {} struct $name; } }";
        assert_eq!(names(source), ["A", "B", "C", "D", "E", "F", "G", "H"]);
    }

    #[test]
    fn associated_types_are_not_definitions() {
        let source =
            "impl Iterator for A { type Item = u8; fn next(&mut self) -> impl Fn() { type B = u8; } }
            trait T { type Output; } fn f() -> impl X { type C = u8; } type E = u8;";
        assert_eq!(names(source), ["B", "T", "C", "E"]);
    }

    #[test]
    fn a_type_is_visible_with_pub_of_any_scope() {
        let source =
            "pub struct A; pub(crate) enum B {} pub(in super) trait C {} struct D; fn f(x: u8) {} enum E {}";
        let visible: Vec<bool> =
            type_definitions(&tokenize(source)).into_iter().map(|definition| definition.is_visible).collect();
        assert_eq!(visible, [true, true, true, false, false]);
    }

    #[test]
    fn visible_functions_outside_of_impls_are_counted() {
        let source = "pub fn a() {} pub(crate) const fn b() {} fn c() {} impl A { pub fn d() {} } mod m { pub fn e() {} }";
        assert_eq!(count_visible_functions(&tokenize(source)), 3);
    }
}
