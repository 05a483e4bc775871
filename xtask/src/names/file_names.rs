//! Names of files: a file is named after a type or a function that it defines.
//!
//! The words of the file name occur in the name of the type or function, in the same order. Words that the folder
//! already says may be missing (`claude_code/session.rs` with `ClaudeSession`), and a plural stands for several types
//! (`problems.rs` with `RoadmapProblem`).
//!
//! These files are named after their purpose instead:
//!
//! - files that offer at least as many functions as types, whatever they define for themselves
//! - the file of the type that has the name of the folder, such as `step/step_record.rs` with `Step`: Clippy does not
//!   accept `step/step.rs`
//! - `mod.rs`, `lib.rs`, `main.rs` and tests

use super::definitions::{count_visible_functions, type_definitions};
use super::source_file::SourceFile;
use crate::source_lexer::{LocatedToken, SourceToken};

/// Names that say nothing about the content.
const VAGUE_STEMS: [&str; 7] = ["util", "utils", "helper", "helpers", "manager", "common", "misc"];

/// Returns the fault of a file, if it has one.
pub(super) fn find_file_fault(source: &SourceFile) -> Option<String> {
    let stem = source.path.rsplit('/').next()?.strip_suffix(".rs")?;
    if VAGUE_STEMS.contains(&stem) {
        return Some(format!("{}: `{stem}` says nothing; name the file after its main type", source.path));
    }
    if matches!(stem, "mod" | "lib" | "main") || source.is_test_file() {
        return None;
    }
    let tokens: Vec<LocatedToken> =
        source.tokens().into_iter().filter(|token| !token.is_test).map(|token| token.token).collect();
    let types = type_definitions(&tokens);
    let wanted = words_of_snake_case(stem);
    let is_named_after = |words: Vec<String>| contains_in_order(&words, &wanted);
    let offered = types.iter().filter(|definition| definition.is_visible).count();
    let folder = source.path.rsplit('/').nth(1).unwrap_or_default();
    if offered == 0
        || count_visible_functions(&tokens) >= offered
        || types.iter().any(|definition| words_of_camel_case(&definition.name) == words_of_snake_case(folder))
        || types.iter().any(|definition| is_named_after(words_of_camel_case(&definition.name)))
        || names_after(&tokens, "fn")
            .chain(names_after(&tokens, "macro_rules"))
            .any(|name| is_named_after(words_of_snake_case(name)))
    {
        return None;
    }
    let names: Vec<String> = types.iter().map(|definition| format!("`{}`", definition.name)).collect();
    Some(format!(
        "{}: defines {}, and nothing that the file is named after; rename one of them",
        source.path,
        names.join(", ")
    ))
}

/// Lists the names that follow a keyword.
fn names_after<'t>(tokens: &'t [LocatedToken], keyword: &'static str) -> impl Iterator<Item = &'t str> {
    tokens.iter().enumerate().filter_map(move |(at, (_, token))| {
        let is_keyword = matches!(token, SourceToken::Word(word) if word == keyword);
        let name = tokens[at + 1..].iter().find_map(|(_, token)| match token {
            SourceToken::Word(name) => Some(name.as_str()),
            _ => None,
        });
        name.filter(|_| is_keyword)
    })
}

/// Returns whether all wanted words occur among the words, in their order.
fn contains_in_order(words: &[String], wanted: &[String]) -> bool {
    let mut rest = words.iter();
    wanted.iter().all(|wanted| rest.any(|word| word == wanted))
}

fn words_of_snake_case(name: &str) -> Vec<String> {
    name.split('_').map(singular).collect()
}

fn words_of_camel_case(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        if letter.is_uppercase() || words.is_empty() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.iter().map(|word| singular(word)).collect()
}

/// Returns a word without the `s` of its plural.
fn singular(word: &str) -> String {
    let word = word.to_lowercase();
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').map_or_else(|| word.clone(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(path: &str, text: &str) -> Option<String> {
        find_file_fault(&SourceFile { path: path.to_owned(), text: text.to_owned() })
    }

    #[test]
    fn a_file_that_is_named_after_a_type_or_function_passes() {
        for (path, text) in [
            ("src/line_assembler.rs", "pub struct LineBoundary; pub struct LineAssembler;"),
            ("src/claude_code/session.rs", "pub(super) struct ClaudeSession;"),
            ("src/tasks/problems.rs", "pub enum RoadmapProblem {}"),
            ("src/answer_event.rs", "pub struct EventAnswer; fn answer_event() {}"),
            ("src/bounded_map.rs", "pub struct MapEntry; macro_rules! bounded_map { () => {} }"),
            ("src/json.rs", "pub fn write() {} struct TextWriter; impl X for Y {}"),
            ("src/process_group.rs", "pub enum StopSignal {} pub fn isolate() {} pub(crate) fn stop() {}"),
            ("src/step/step_record.rs", "pub struct Step;"),
            ("src/mod.rs", "pub struct AnyName;"),
            ("tests/cli/run.rs", "pub struct AnyName;"),
            ("src/rules.rs", "fn apply() {} #[cfg(test)] mod tests { pub struct TestClock; }"),
        ] {
            assert_eq!(fault(path, text), None, "{path}");
        }
    }

    #[test]
    fn a_file_that_is_named_after_nothing_in_it_fails() {
        let found = fault("src/texts.rs", "pub(crate) struct GuardConfig; fn load() {}").unwrap();
        assert_eq!(
            found,
            "src/texts.rs: defines `GuardConfig`, and nothing that the file is named after; rename one of them"
        );
        assert!(fault("src/event_line.rs", "pub struct LineEvent;").is_some(), "the order differs");
    }

    #[test]
    fn a_name_that_says_nothing_fails() {
        assert!(fault("src/utils.rs", "fn join() {}").unwrap().contains("says nothing"));
    }
}
