//! The table `docs/seeds.md` names only tests that exist.

#![expect(clippy::disallowed_methods, reason = "the engine reads no file, but this test reads the table")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file of the crates, without what was built.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                sources(&path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// The names of all functions in a text.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split("fn ").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())
}

/// What the cells of a row put in backquotes with a `::` inside: paths of tests.
fn named(row: &str) -> impl Iterator<Item = &str> {
    row.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains("::") && !quoted.contains(' '))
}

fn rows(table: &str) -> Vec<&str> {
    let rows = table.lines().filter(|line| line.starts_with('|'));
    rows.filter(|line| !line.starts_with("|---") && !line.starts_with("| section")).collect()
}

fn table() -> String {
    fs::read_to_string(root().join("docs/seeds.md")).unwrap_or_default()
}

#[test]
fn every_test_that_the_table_names_exists() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let mut known = BTreeSet::new();
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        for function in functions(&text) {
            known.insert(format!("{stem}.rs::{function}"));
            known.insert(format!("::{function}"));
        }
    }
    assert!(known.len() > 500, "the sources are there");
    let table = table();
    let unknown: Vec<&str> = rows(&table)
        .into_iter()
        .flat_map(named)
        .filter(|path| {
            let (before, function) = path.rsplit_once("::").unwrap_or_default();
            // `file.rs::name` is looked for in that file; `detect::latch::tests::name` anywhere.
            let key = if before.rsplit_once('.').is_some_and(|(_, kind)| kind == "rs") {
                (*path).to_owned()
            } else {
                format!("::{function}")
            };
            !known.contains(&key)
        })
        .collect();
    assert!(unknown.is_empty(), "docs/seeds.md names tests that do not exist: {unknown:#?}");
}

#[test]
fn every_row_names_a_test_or_says_why_there_is_none() {
    let table = table();
    let rows = rows(&table);
    assert!(rows.len() > 150, "{} rows", rows.len());
    for row in rows {
        assert_eq!(row.matches('|').count() - row.matches("\\|").count(), 4, "three cells: {row}");
        let answered = named(row).next().is_some()
            || ["decided differently:", "no test:", "CONFIG", "CLI"].iter().any(|mark| row.contains(mark));
        assert!(answered, "neither a test nor a reason: {row}");
    }
}

#[test]
fn all_five_documents_have_their_table() {
    let table = table();
    for document in ["000", "001", "002", "003", "004"] {
        assert!(table.contains(&format!("## Document {document}")), "{document}");
    }
}
