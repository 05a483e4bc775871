//! Names of types: unique in the workspace, and of two words unless the glossary has them.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::type_definitions;
use super::glossary::{glossary_words, is_one_word};
use super::source_file::SourceFile;
use crate::source_lexer::tokenize;

/// Lists the faults, one line each: `path:line: fault`.
pub(super) fn find_type_faults(glossary: &str, sources: &[SourceFile]) -> Vec<String> {
    let words = glossary_words(glossary);
    let known: BTreeSet<&str> = words.iter().map(String::as_str).collect();
    let places = definition_places(sources);
    let mut faults = Vec::new();
    for (name, places) in &places {
        let [first, others @ ..] = places.as_slice() else { continue };
        if is_one_word(name) && !known.contains(name.as_str()) {
            faults.push(format!(
                "{first}: `{name}` is one word and not in docs/glossary.md; say what it is in two"
            ));
        }
        faults.extend(others.iter().map(|other| format!("{other}: `{name}` is already defined at {first}")));
    }
    let ghosts = words.iter().filter(|word| !places.contains_key(*word));
    faults.extend(ghosts.map(|word| format!("docs/glossary.md: no type is called `{word}`")));
    faults
}

/// Returns the places where each type is defined. A type that is defined once for each condition counts once per file.
fn definition_places(sources: &[SourceFile]) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources {
        let mut conditional = BTreeSet::new();
        for definition in type_definitions(&tokenize(&source.text)) {
            if definition.is_conditional && !conditional.insert(definition.name.clone()) {
                continue;
            }
            places.entry(definition.name).or_default().push(format!("{}:{}", source.path, definition.line));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str = "| `Step` | one thing an agent did |\n";

    fn faults(sources: &[(&str, &str)]) -> Vec<String> {
        let file =
            |(path, text): &(&str, &str)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() };
        let sources: Vec<SourceFile> =
            sources.iter().chain(&[("step.rs", "struct Step;")]).map(file).collect();
        find_type_faults(GLOSSARY, &sources)
    }

    #[test]
    fn unique_names_of_two_words_pass() {
        assert_eq!(faults(&[("a.rs", "struct LineAssembler; enum LineKind {}")]), [""; 0]);
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
        assert_eq!(find_type_faults(page, &[source]), ["docs/glossary.md: no type is called `Ghost`"]);
    }
}
