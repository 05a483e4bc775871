//! The licences of the packages that are linked into the program, as one text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::program_packages::ProgramPackage;

/// Beginnings of the names of files with licences and notices, in lower case.
const FILE_NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
/// Extensions of such files. Others are sources.
const EXTENSIONS: [&str; 3] = ["txt", "md", "rst"];
/// Depth at which sources of other projects lie inside a package, such as those of mimalloc.
const DEPTH: usize = 4;
/// Larger files are not licences.
const LARGEST: u64 = 200_000;

/// Data in the program that is not from a package of Rust, and its licence.
const DATA: (&str, &str) = (
    "list of model prices of LiteLLM",
    include_str!("../../../crates/loopbreak-trace/data/LICENSE-litellm.txt"),
);

/// Renders the licences. A text that several packages have is given once.
pub(super) fn render_licences(packages: &[ProgramPackage]) -> String {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    let foreign = packages.iter().filter(|package| !package.is_build_only && package.checksum.is_some());
    for package in foreign {
        let title = format!("{} {}", package.name, package.version);
        let files = licence_files(&package.folder, DEPTH);
        // Writing to a string does not fail.
        let note = if files.is_empty() { " (the package has no text of it)" } else { "" };
        let _ = writeln!(list, "{title}: {}{note}", package.licence);
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let titles = texts.entry(lines.join("\n").trim().to_owned()).or_default();
            if !titles.contains(&title) {
                titles.push(title.clone());
            }
        }
    }
    let (data, licence) = DATA;
    let _ = writeln!(list, "{data}: MIT");
    texts.entry(licence.trim().to_owned()).or_default().push(data.to_owned());
    let mut texts: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(text, titles)| (titles, text)).collect();
    texts.sort();
    let mut rendered = format!(
        "The program loopbreak contains these packages, in addition to its own. Their licences follow.\n\n{list}"
    );
    for (titles, text) in texts {
        let line = "=".repeat(80);
        let _ = write!(rendered, "\n{line}\n{}\n{line}\n\n{text}\n", titles.join(", "));
    }
    rendered
}

/// Returns the files with licences in a folder and its subfolders, sorted.
fn licence_files(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            if depth > 0 {
                files.extend(licence_files(&path, depth - 1));
            }
        } else if is_licence(&path) {
            files.push(path);
        }
    }
    files
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_text = match name.rsplit_once('.') {
        Some((_, extension)) => EXTENSIONS.contains(&extension),
        None => true,
    };
    let is_small = || fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST);
    is_text && FILE_NAMES.iter().any(|start| name.starts_with(start)) && is_small()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::dist_target::DistTarget;
    use crate::dist::program_packages::list_packages;

    #[test]
    fn the_licences_of_all_linked_packages_are_there() {
        let packages = list_packages(&DistTarget::host().unwrap().triple).unwrap();
        let text = render_licences(&packages);
        for package in packages.iter().filter(|package| package.checksum.is_some()) {
            let line = format!("\n{} {}: {}", package.name, package.version, package.licence);
            assert_eq!(text.contains(&line), !package.is_build_only, "{line}");
        }
        // The sources of mimalloc lie inside a package with a licence of its own. Only archives for musl have it.
        let static_packages = render_licences(&list_packages("x86_64-unknown-linux-musl").unwrap());
        let allocator = "Copyright (c) 2018-2025 Microsoft Corporation, Daan Leijen";
        assert!(static_packages.contains(allocator) && !text.contains(allocator), "mimalloc");
        assert!(text.matches("Permission is hereby granted, free of charge").count() > 10);
        assert!(text.contains("list of model prices of LiteLLM: MIT") && text.contains("Berri AI"));
        assert!(!text.contains(env!("CARGO_MANIFEST_DIR")));
    }
}
