//! The tests that are named after complaints, as their sources have them.

use std::fs;

use crate::process::root;

/// The folder of the tests.
const FOLDER: &str = "crates/loopbreak/tests/engine";

/// The modules whose tests are named after complaints, in the order of the page.
pub(super) const MODULES: &[&str] = &[
    "same_call",
    "complaints",
    "invalid_calls",
    "nothing_done",
    "words_without_deeds",
    "continuations",
    "after_compaction",
    "side_effects",
    "spared",
    "healthy_work",
    "healthy_waiting",
];

/// A test that is named after a complaint.
#[derive(Debug, PartialEq)]
pub(super) struct ComplaintTest {
    /// Name of the test, as the test runner prints it.
    pub(super) name: String,
    /// Doc comment of the test, on one line. Often names the complaint.
    pub(super) description: String,
}

impl ComplaintTest {
    /// Returns the name in words, without its module.
    pub(super) fn title(&self) -> String {
        let name = self.name.rsplit("::").next().unwrap_or_default();
        name.replace('_', " ")
    }
}

/// Reads the tests of all modules, in the order of their sources.
pub(super) fn read_all() -> Result<Vec<ComplaintTest>, String> {
    let mut tests = Vec::new();
    for module in MODULES {
        let path = format!("{FOLDER}/{module}.rs");
        let source =
            fs::read_to_string(root().join(&path)).map_err(|error| format!("cannot read {path}: {error}"))?;
        tests.extend(parse(module, &source));
    }
    Ok(tests)
}

/// Returns the tests of a source file that name a complaint: a number in their name or in their doc comment.
fn parse(module: &str, source: &str) -> Vec<ComplaintTest> {
    let mut tests = Vec::new();
    let mut description = String::new();
    let mut is_test = false;
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("///") {
            if !description.is_empty() {
                description.push(' ');
            }
            description.push_str(text.trim());
        } else if line == "#[test]" {
            is_test = true;
        } else if line.starts_with("#[") {
            // Another attribute of the same function.
        } else {
            let name = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')).map(|(name, _)| name);
            if let Some(name) = name.filter(|name| is_test && (has_number(name) || description.contains('#')))
            {
                tests.push(ComplaintTest {
                    name: format!("{module}::{name}"),
                    description: std::mem::take(&mut description),
                });
            }
            description.clear();
            is_test = false;
        }
    }
    tests
}

/// Returns whether a word of the name, but not the first, is the number of an issue.
fn has_number(name: &str) -> bool {
    name.split('_').skip(1).any(|word| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_name_a_complaint_are_found_with_their_doc_comments() {
        let source = "/// Builds.\nfn build() {}\n\n/// `a/b#7`: first\n/// line.\n#[test]\nfn b_is_caught() {\n}\n\n\
                      #[test]\nfn tool_16808_is_caught() {\n}\n\n#[test]\nfn other_work_is_spared() {\n}\n";
        let test = |name: &str, description: &str| ComplaintTest {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        let expected = [test("m::b_is_caught", "`a/b#7`: first line."), test("m::tool_16808_is_caught", "")];
        assert_eq!(parse("m", source), expected);
    }

    #[test]
    fn every_module_has_complaints() {
        let tests = read_all().unwrap();
        for module in MODULES {
            assert!(tests.iter().any(|test| test.name.starts_with(&format!("{module}::"))), "{module}");
        }
    }
}
