//! `cargo xtask names`: checks names and wording against the rules in `CONTRIBUTING.md`.
//!
//! - `type_names`: a type name that is defined twice in the workspace, a one-word type name that is not in
//!   `docs/glossary.md`, a glossary word that names no type
//! - `file_names`: a file that is named after nothing it defines
//! - `function_names`: names that hide a conversion, and test names that are not sentences
//! - `wording`: doc comments that start with a question word, and phrases that are hard to read, in comments, texts and
//!   pages

mod definitions;
mod file_names;
mod function_names;
mod glossary;
mod phrases;
mod source_file;
mod type_names;
mod wording;

use std::fs;
use std::path::Path;

use crate::chore_failure::ChoreFailure;
use crate::process::root;
use file_names::find_file_fault;
use function_names::find_function_faults;
use source_file::SourceFile;
use type_names::find_type_faults;
use wording::{find_page_faults, find_source_faults};

const GLOSSARY: &str = "docs/glossary.md";

/// The checks themselves: their lists and tests quote what is not allowed.
const CHECKS: &str = "xtask/src/names/";

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

/// Checks all names and the wording.
pub(crate) fn check() -> Result<(), ChoreFailure> {
    let (glossary, sources, pages) = read_workspace()?;
    let mut faults = find_type_faults(&glossary, &sources);
    for source in &sources {
        faults.extend(find_file_fault(source));
        faults.extend(find_function_faults(source));
        if !source.path.starts_with(CHECKS) {
            faults.extend(find_source_faults(source));
        }
    }
    faults.extend(pages.iter().flat_map(find_page_faults));
    report(faults)
}

/// Reads the glossary, the sources and the pages.
fn read_workspace() -> Result<(String, Vec<SourceFile>, Vec<SourceFile>), ChoreFailure> {
    let glossary = fs::read_to_string(root().join(GLOSSARY))
        .map_err(|error| ChoreFailure::io(format_args!("read {GLOSSARY}"), &error))?;
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    for folder in SOURCE_FOLDERS {
        collect(&root().join(folder), &mut sources, &mut |path| has_extension(path, "rs"))?;
    }
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
