//! `cargo xtask generate`: files that are kept in the repository and written by a program.

use std::fs;

use crate::dam;
use crate::failure::Failure;
use crate::picture;
use crate::process::{loopbreak, root, stdout_of};
use crate::public_api;
use crate::rules;

/// Where a generated file comes from.
enum Source {
    /// What `loopbreak` prints when given these arguments.
    Loopbreak(&'static [&'static str]),
    /// A picture of what `loopbreak` prints on a terminal when given these arguments.
    Picture(&'static [&'static str]),
    /// A function of this crate.
    Function(fn() -> Result<String, String>),
}

/// Every generated file, by its path from the root of the workspace.
const FILES: &[(&str, Source)] = &[
    ("docs/reference/configuration.md", Source::Loopbreak(&["config", "reference"])),
    ("docs/reference/config.schema.json", Source::Loopbreak(&["config", "schema"])),
    ("docs/reference/cli.md", Source::Loopbreak(&["man", "--markdown"])),
    ("crates/loopbreak-report/src/outputs/rules.md", Source::Function(rules::markdown)),
    ("docs/reference/api/loopbreak.txt", Source::Function(|| public_api::render("loopbreak"))),
    ("docs/reference/api/loopbreak-arena.txt", Source::Function(|| public_api::render("loopbreak-arena"))),
    ("docs/reference/api/loopbreak-report.txt", Source::Function(|| public_api::render("loopbreak-report"))),
    ("docs/reference/api/loopbreak-server.txt", Source::Function(|| public_api::render("loopbreak-server"))),
    ("docs/reference/api/loopbreak-store.txt", Source::Function(|| public_api::render("loopbreak-store"))),
    ("docs/reference/api/loopbreak-trace.txt", Source::Function(|| public_api::render("loopbreak-trace"))),
    ("examples/dam.jsonl", Source::Function(dam::jsonl)),
    ("docs/images/analyze.svg", Source::Picture(&["analyze", "examples/dam.jsonl"])),
];

impl Source {
    /// What the file should hold; a failure names the file as well as the cause.
    fn content(&self, path: &str) -> Result<Vec<u8>, Failure> {
        let content = match self {
            Self::Loopbreak(arguments) => stdout_of(&mut loopbreak("dev", arguments)),
            Self::Picture(arguments) => picture_of(arguments),
            Self::Function(content) => content().map(String::into_bytes).map_err(Failure::Failed),
        };
        content.map_err(|failure| failure.about(path))
    }
}

/// Draws what a command prints on a terminal of 100 columns.
fn picture_of(arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let mut command = loopbreak("dev", arguments);
    command.env("CLICOLOR_FORCE", "1").env("COLUMNS", "100").env_remove("NO_COLOR");
    let printed = stdout_of(&mut command)?;
    let command = format!("loopbreak {}", arguments.join(" "));
    Ok(picture::svg(&command, &String::from_utf8_lossy(&printed)).into_bytes())
}

/// Writes or checks all files, or those named.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut checking = false;
    let mut wanted = Vec::new();
    for argument in arguments {
        if argument == "--check" {
            checking = true;
        } else if let Some(file) = FILES.iter().find(|(path, _)| path == argument) {
            wanted.push(file);
        } else if argument.starts_with('-') {
            return Err(Failure::Usage(format!("generate: unexpected {argument:?}")));
        } else {
            let known: Vec<_> = FILES.iter().map(|(path, _)| *path).collect();
            return Err(Failure::Usage(format!(
                "generate: {argument:?} is not a generated file; they are: {}",
                known.join(", ")
            )));
        }
    }
    if wanted.is_empty() {
        wanted.extend(FILES);
    }
    if checking { check(wanted) } else { write(wanted) }
}

/// Fails if a generated file is not what its source gives today, and names it.
pub(crate) fn check_all() -> Result<(), Failure> {
    check(FILES)
}

fn write<'a>(files: impl IntoIterator<Item = &'a (&'a str, Source)>) -> Result<(), Failure> {
    for (path, source) in files {
        let content = source.content(path)?;
        if is_current(path, &content) {
            eprintln!("xtask: {path}: is current");
            continue;
        }
        let target = root().join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::io(format_args!("make the folder of {path}"), &error))?;
        }
        fs::write(&target, content).map_err(|error| Failure::io(format_args!("write {path}"), &error))?;
        eprintln!("xtask: {path}: written");
    }
    Ok(())
}

fn check<'a>(files: impl IntoIterator<Item = &'a (&'a str, Source)>) -> Result<(), Failure> {
    let mut stale = Vec::new();
    for (path, source) in files {
        if !is_current(path, &source.content(path)?) {
            stale.push(*path);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(Failure::Failed(format!("not current: {}; run `cargo xtask generate` and commit", stale.join(", "))))
}

/// A checkout may have turned line ends into CR LF; that is no difference.
fn is_current(path: &str, content: &[u8]) -> bool {
    let without_cr =
        |bytes: &[u8]| -> Vec<u8> { bytes.iter().copied().filter(|byte| *byte != b'\r').collect() };
    fs::read(root().join(path)).is_ok_and(|kept| without_cr(&kept) == without_cr(content))
}
