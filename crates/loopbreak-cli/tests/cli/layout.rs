//! The layout of the sources: one folder per command, no command uses another one, and the program stays thin.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the sources has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// Upper bound of lines in all source files of the program. Logic that a library user would miss belongs in a library.
const MAX_LINES: usize = 7_600;

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns the Rust files in a folder and its subfolders.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the names of the commands: each has a folder of its own, and nothing else has one.
fn commands() -> Vec<String> {
    let entries = fs::read_dir(source_folder()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).map(|path| file_name(&path)).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Returns the modules of this crate that a source file names, as in `crate::output` or `crate::{exit, output}`.
fn used_modules(source: &str) -> Vec<String> {
    let first_word = |text: &str| -> String {
        text.trim_start().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
    };
    let mut modules = Vec::new();
    for (at, prefix) in source.match_indices("crate::") {
        let rest = &source[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            modules.push(first_word(rest));
            continue;
        };
        let mut depth = 0;
        modules.push(first_word(list));
        for (at, char) in list.char_indices() {
            match char {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => modules.push(first_word(&list[at + 1..])),
                _ => {}
            }
        }
    }
    modules
}

#[test]
fn imports_are_found_in_paths_and_in_lists() {
    let source =
        "use crate::args::X;\nuse crate::{exit, play::{a, b}, output};\nfn f() { crate::config::load() }";
    assert_eq!(used_modules(source), ["args", "exit", "play", "output", "config"]);
}

#[test]
fn no_command_imports_another_command() {
    let commands = commands();
    assert!(commands.len() >= 18, "{commands:?}");
    for path in rust_files(&source_folder()) {
        let inside = path.strip_prefix(source_folder()).unwrap();
        let own = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        // These two know all commands: one declares them, the other runs them.
        if own == "main.rs" || own == "args.rs" {
            continue;
        }
        for module in used_modules(&fs::read_to_string(&path).unwrap()) {
            let is_foreign = module != own && commands.contains(&module);
            assert!(!is_foreign, "{} imports the command {module}", inside.display());
        }
    }
}

#[test]
fn every_command_has_its_arguments_and_its_code_in_files_of_their_own() {
    for command in commands() {
        for file in ["args.rs", "command.rs", "mod.rs"] {
            let path = source_folder().join(&command).join(file);
            assert!(path.is_file(), "{} is missing", path.display());
        }
    }
}

#[test]
fn the_program_stays_thin() {
    let lines: usize = rust_files(&source_folder())
        .iter()
        .map(|path| fs::read_to_string(path).unwrap().lines().count())
        .sum();
    assert!(lines <= MAX_LINES, "{lines} lines in src, at most {MAX_LINES}: move logic to a library");
}
