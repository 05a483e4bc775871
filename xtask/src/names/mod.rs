//! `cargo xtask names`: checks the names of types and the wording of comments and pages.
//!
//! Fails on a type name that is defined twice in the workspace, on a one-word type name that is not in
//! `docs/glossary.md`, on a glossary word that names no type, on doc comments that start with a question word, and on
//! phrases that `CONTRIBUTING.md` lists as hard to read.

mod definitions;
mod faults;
mod glossary;

use std::fs;
use std::path::Path;

use crate::chore_failure::ChoreFailure;
use crate::process::root;
use faults::{SourceFile, find_faults, find_type_faults};

const GLOSSARY: &str = "docs/glossary.md";

/// Folders with sources that are checked.
const SOURCE_FOLDERS: [&str; 3] = ["crates", "xtask", "fuzz"];

/// Pages that quote the phrases, or that are history.
const EXEMPT_PAGES: [&str; 3] = ["CONTRIBUTING.md", "CHANGELOG.md", "docs/seeds.md"];

/// Checks the workspace and prints every fault.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    if let [other, ..] = arguments {
        return Err(ChoreFailure::Usage(format!("names: unexpected {other:?}")));
    }
    check()
}

/// Checks the names of types only, as `ci` does.
pub(crate) fn check_types() -> Result<(), ChoreFailure> {
    let (glossary, sources, _) = read_workspace()?;
    report(find_type_faults(&glossary, &sources))
}

/// Checks the names of types and the wording of comments and pages.
fn check() -> Result<(), ChoreFailure> {
    let (glossary, sources, pages) = read_workspace()?;
    report(find_faults(&glossary, &sources, &pages))
}

/// Reads the glossary, the sources and the pages.
fn read_workspace() -> Result<(String, Vec<SourceFile>, Vec<SourceFile>), ChoreFailure> {
    let glossary = fs::read_to_string(root().join(GLOSSARY))
        .map_err(|error| ChoreFailure::io(format_args!("read {GLOSSARY}"), &error))?;
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    for folder in SOURCE_FOLDERS {
        collect(&root().join(folder), &mut sources, &mut |path| has_extension(path, "rs"))?;
    }
    // The lists of phrases in this check would be faults of their own.
    sources.retain(|source| !source.path.starts_with("xtask/src/names/faults.rs"));
    collect(&root().join("docs"), &mut pages, &mut |path| is_page(path))?;
    for name in ["README.md", "ARCHITECTURE.md", "SECURITY.md"] {
        if let Ok(text) = fs::read_to_string(root().join(name)) {
            pages.push(SourceFile { path: name.to_owned(), text });
        }
    }
    Ok((glossary, sources, pages))
}

/// Prints the faults and fails if there are any.
fn report(faults: Vec<String>) -> Result<(), ChoreFailure> {
    let count = faults.len();
    for fault in faults {
        println!("{fault}");
    }
    if count == 0 {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!("{count} faults in names or wording; the rules are in CONTRIBUTING.md")))
}

fn has_extension(path: &str, wanted: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == wanted)
}

fn is_page(path: &str) -> bool {
    has_extension(path, "md") && !EXEMPT_PAGES.contains(&path)
}

/// Collects the files below a folder that are wanted, in the order of their paths.
fn collect(
    folder: &Path,
    files: &mut Vec<SourceFile>,
    is_wanted: &mut dyn FnMut(&str) -> bool,
) -> Result<(), ChoreFailure> {
    let failed = |error: &std::io::Error| ChoreFailure::io(format_args!("read {}", folder.display()), error);
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(|error| failed(&error))?.collect();
    let mut paths: Vec<_> =
        entries.map_err(|error| failed(&error))?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != "fixtures" && !name.starts_with('.') {
                collect(&path, files, is_wanted)?;
            }
            continue;
        }
        let relative = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if is_wanted(&relative) {
            let text = fs::read_to_string(&path)
                .map_err(|error| ChoreFailure::io(format_args!("read {relative}"), &error))?;
            files.push(SourceFile { path: relative, text });
        }
    }
    Ok(())
}
