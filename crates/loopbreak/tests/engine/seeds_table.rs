//! Every row of the table `docs/seeds.md` has an answer: tests that exist in the named file, or a reason.

#![expect(clippy::disallowed_methods, reason = "the engine reads no file, but this test reads the table")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// First words of an answer without a test.
const REASONS: [&str; 2] = ["decided differently: ", "no rule: "];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn table() -> String {
    fs::read_to_string(root().join("docs/seeds.md")).unwrap_or_default()
}

/// Returns the cells of every row below the first heading of a document.
fn rows(table: &str) -> Vec<[&str; 3]> {
    let start = table.find("\n## ").unwrap_or_default();
    let lines = table[start..].lines().filter(|line| line.starts_with('|'));
    lines
        .filter(|line| !line.starts_with("|---") && !line.starts_with("| section"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            <[&str; 3]>::try_from(cells).unwrap_or_else(|cells| panic!("not three cells: {cells:?}"))
        })
        .collect()
}

/// Returns the paths of tests in an answer: code spans that contain `::`.
fn test_paths(answer: &str) -> impl Iterator<Item = &str> {
    answer.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains("::") && !quoted.contains(' '))
}

/// Location of a test: its file, the modules inside it, its name.
#[derive(Debug)]
struct TestLocation<'p> {
    file: PathBuf,
    inside: Vec<&'p str>,
    name: &'p str,
}

impl<'p> TestLocation<'p> {
    fn parse(path: &'p str) -> Option<Self> {
        let (before, name) = path.rsplit_once("::")?;
        if let Some(file) = before.strip_suffix(".rs") {
            let (tests, file) = file
                .strip_prefix("cli/")
                .map_or(("loopbreak/tests/engine", file), |it| ("loopbreak-cli/tests/cli", it));
            let file = root().join(format!("crates/{tests}/{file}.rs"));
            return Some(TestLocation { file, inside: Vec::new(), name });
        }
        let mut modules: Vec<&str> = before.split("::").collect();
        let mut krate = "loopbreak".to_owned();
        if modules.first()?.starts_with("loopbreak_") {
            krate = modules.remove(0).replace('_', "-");
        }
        let source = root().join("crates").join(krate).join("src");
        // The longest part of the path that is a file. The rest are modules inside it.
        (1..=modules.len()).rev().find_map(|length| {
            let (outer, inside) = modules.split_at(length);
            let stem = source.join(outer.join("/"));
            let file =
                [stem.with_extension("rs"), stem.join("mod.rs")].into_iter().find(|it| it.is_file())?;
            Some(TestLocation { file, inside: inside.to_vec(), name })
        })
    }

    /// Returns whether the test exists.
    fn is_there(&self) -> bool {
        let Ok(text) = fs::read_to_string(&self.file) else { return false };
        let mut rest = text.as_str();
        for module in &self.inside {
            let Some(at) = rest.find(&format!("mod {module} {{")) else { return false };
            rest = &rest[at..];
        }
        let lines: Vec<&str> = rest.lines().map(str::trim).collect();
        let head = format!("fn {}(", self.name);
        let at = lines.iter().position(|line| line.starts_with(&head));
        at.is_some_and(|at| {
            let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with(['#', '/']));
            attributes.into_iter().any(|line| *line == "#[test]")
        })
    }
}

#[test]
fn every_test_that_the_table_names_exists() {
    let table = table();
    let mut missing = BTreeMap::new();
    let mut known = 0;
    for [section, _, answer] in rows(&table) {
        for path in test_paths(answer) {
            if TestLocation::parse(path).is_some_and(|it| it.is_there()) {
                known += 1;
            } else {
                missing.insert(path, section);
            }
        }
    }
    assert!(missing.is_empty(), "docs/seeds.md names tests that do not exist: {missing:#?}");
    assert!(known > 300, "{known} tests are named");
}

#[test]
fn a_test_must_be_in_the_file_that_the_table_names() {
    for (path, there) in [
        ("seeds_table.rs::a_test_must_be_in_the_file_that_the_table_names", true),
        ("stagnation.rs::a_test_must_be_in_the_file_that_the_table_names", false),
        ("seeds_table.rs::rows", false),
        ("properties.rs::no_detector_depends_on_another", true),
        ("cli/analyze.rs::loop_detected_exit_code_0", true),
        ("analyze.rs::loop_detected_exit_code_0", false),
        ("step::epoch_millis::tests::known_instants_are_parsed_correctly", true),
        ("step::tests::known_instants_are_parsed_correctly", false),
        ("loopbreak_config::tests::layers::without_any_layer_the_settings_are_the_defaults", true),
        ("loopbreak_analysis::run::tests::progress_after_the_stop_is_reported", true),
        ("loopbreak_analysis::tests::progress_after_the_stop_is_reported", false),
    ] {
        assert_eq!(TestLocation::parse(path).is_some_and(|it| it.is_there()), there, "{path}");
    }
}

#[test]
fn every_row_begins_its_answer_with_a_test_or_a_reason() {
    let table = table();
    let rows = rows(&table);
    assert!(rows.len() > 300, "{} rows", rows.len());
    for [section, rule, answer] in rows {
        assert!(!section.is_empty() && !rule.is_empty(), "{section} | {rule}");
        let reason = REASONS.iter().find_map(|mark| answer.strip_prefix(mark));
        let answered = match reason {
            Some(reason) => reason.len() > 5,
            None => {
                answer.starts_with('`')
                    && test_paths(answer).next().is_some_and(|path| answer[1..].starts_with(path))
            }
        };
        assert!(answered, "the answer must begin with a test or a reason: {section} | {rule} | {answer}");
        let decided = answer.starts_with(REASONS[0]);
        assert!(
            !decided || test_paths(answer).next().is_some(),
            "no test covers what was decided: {section} | {rule}"
        );
    }
    for mark in ["CONFIG", "CLI", "TODO"] {
        assert!(!table.contains(mark), "{mark} is not an answer");
    }
}

#[test]
fn all_five_documents_and_the_mistakes_have_a_table() {
    let table = table();
    for document in ["000", "001", "002", "003", "004"] {
        assert!(table.contains(&format!("\n## Document {document}")), "{document}");
    }
    for mistake in 1..=15 {
        assert!(table.contains(&format!("\n| Mistake {mistake} |")), "{mistake}");
    }
}
