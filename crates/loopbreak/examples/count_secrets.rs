//! Counts what masking would hide in files: `cargo xtask secrets [PATH…]`.
//!
//! In ordinary text, each match is a mistake. Secrets that tests invented are counted apart.
#![expect(clippy::print_stdout, reason = "a program prints what it counted")]
#![expect(clippy::disallowed_methods, reason = "only the engine itself reads no files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::text::find_secrets;

/// Folders without text of people, and the rules themselves, whose tests are full of examples.
const SKIPPED: [&str; 8] = [
    "/.git",
    "/target",
    "/node_modules",
    "/src/text/secret",
    "/src/text/secret.rs",
    "/hook_secrets.rs",
    "/fuzz_targets/secret.rs",
    "/seeds/secret",
];

/// Parts of secrets that tests invented.
const INVENTED: [&str; 6] = ["abcdefghij", "0123456789", "hunter2", "scripted", "wrong", "Zq9Xsecret"];

/// Bytes that are shown on each side of a match.
const SHOWN: usize = 40;

#[derive(Default)]
struct SecretCount {
    files: usize,
    words: usize,
    mistakes: BTreeMap<&'static str, usize>,
    invented: usize,
}

impl SecretCount {
    fn read(&mut self, path: &Path) {
        let name = path.to_string_lossy();
        if SKIPPED.iter().any(|end| name.ends_with(end)) || path.is_symlink() {
            return;
        }
        if path.is_dir() {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            for path in &paths {
                self.read(path);
            }
        } else if let Ok(text) = fs::read_to_string(path) {
            self.files += 1;
            self.count(&name, &text);
        }
    }

    fn count(&mut self, name: &str, text: &str) {
        self.words += text.split_whitespace().count();
        for secret in find_secrets(text) {
            let content = &text[secret.range.clone()];
            if INVENTED.iter().any(|part| content.contains(part)) {
                self.invented += 1;
                continue;
            }
            *self.mistakes.entry(secret.rule).or_default() += 1;
            let start = text.floor_char_boundary(secret.range.start.saturating_sub(SHOWN));
            let end = text.ceil_char_boundary((secret.range.start + SHOWN).min(secret.range.end));
            println!("{name}: {}: {:?}", secret.rule, &text[start..end]);
        }
    }
}

fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut count = SecretCount::default();
    if paths.is_empty() {
        count.read(Path::new("."));
    }
    for path in &paths {
        count.read(path);
    }
    let SecretCount { files, words, mistakes, invented } = count;
    let all: usize = mistakes.values().sum();
    let rate = |number: usize| number as f64 * 10_000.0 / words.max(1) as f64;
    println!("{words} words in {files} files; {invented} invented secrets of tests, not counted as mistakes");
    for (rule, number) in &mistakes {
        println!("{rule:<16} {number:>6}  {:.3} per 10,000 words", rate(*number));
    }
    println!("{:<16} {all:>6}  {:.3} per 10,000 words", "masked by mistake", rate(all));
}
