//! `cargo xtask generate`: files, and parts of files, that are kept in the repository and written by a program.

use std::fs;

use crate::chore_failure::ChoreFailure;
use crate::coding_run;
use crate::dam;
use crate::event_page;
use crate::generated_parts;
use crate::known_loops;
use crate::picture;
use crate::process::{root, stdout_of};
use crate::public_api;
use crate::python_package;
use crate::session_weeks;
use crate::workspace_program::WorkspaceProgram;

/// The origin of a generated file.
enum ContentSource {
    /// The output of `loopbreak` with these arguments.
    Loopbreak(&'static [&'static str]),
    /// A picture of what `loopbreak` prints on a terminal when given these arguments.
    Picture(&'static [&'static str]),
    /// The page itself, with its generated parts replaced.
    GeneratedParts,
    /// The public interface of this library.
    PublicApi(&'static str),
    /// A function of this crate.
    Function(fn() -> Result<String, String>),
}

/// Every generated file, by its path from the root of the workspace.
const FILES: &[(&str, ContentSource)] = &[
    ("docs/reference/configuration.md", ContentSource::Loopbreak(&["config", "reference"])),
    ("docs/reference/config.schema.json", ContentSource::Loopbreak(&["config", "schema"])),
    ("docs/reference/cli.md", ContentSource::Loopbreak(&["man", "--markdown"])),
    ("docs/guide/detectors.md", ContentSource::GeneratedParts),
    ("docs/formats/README.md", ContentSource::GeneratedParts),
    ("docs/reference/events.md", ContentSource::Function(event_page::render)),
    ("docs/known-loops.md", ContentSource::Function(known_loops::render)),
    ("docs/reference/python.md", ContentSource::Function(python_package::render_reference_page)),
    ("docs/guide/adapters/README.md", ContentSource::Function(python_package::render_adapter_index)),
    ("docs/reference/api/loopbreak.txt", ContentSource::PublicApi("loopbreak")),
    ("docs/reference/api/loopbreak-analysis.txt", ContentSource::PublicApi("loopbreak-analysis")),
    ("docs/reference/api/loopbreak-arena.txt", ContentSource::PublicApi("loopbreak-arena")),
    ("docs/reference/api/loopbreak-client.txt", ContentSource::PublicApi("loopbreak-client")),
    ("docs/reference/api/loopbreak-config.txt", ContentSource::PublicApi("loopbreak-config")),
    ("docs/reference/api/loopbreak-hooks.txt", ContentSource::PublicApi("loopbreak-hooks")),
    ("docs/reference/api/loopbreak-process.txt", ContentSource::PublicApi("loopbreak-process")),
    ("docs/reference/api/loopbreak-report.txt", ContentSource::PublicApi("loopbreak-report")),
    ("docs/reference/api/loopbreak-runner.txt", ContentSource::PublicApi("loopbreak-runner")),
    ("docs/reference/api/loopbreak-server.txt", ContentSource::PublicApi("loopbreak-server")),
    ("docs/reference/api/loopbreak-store.txt", ContentSource::PublicApi("loopbreak-store")),
    ("docs/reference/api/loopbreak-trace.txt", ContentSource::PublicApi("loopbreak-trace")),
    ("docs/reference/api/loopbreak-notify.txt", ContentSource::PublicApi("loopbreak-notify")),
    ("docs/reference/api/loopbreak-watch.txt", ContentSource::PublicApi("loopbreak-watch")),
    ("examples/coding.jsonl", ContentSource::Function(coding_run::jsonl)),
    ("examples/dam.jsonl", ContentSource::Function(dam::jsonl)),
    ("examples/sessions.jsonl", ContentSource::Function(session_weeks::jsonl)),
    ("docs/images/analyze.svg", ContentSource::Picture(&["analyze", "examples/coding.jsonl"])),
    ("docs/images/analyze-game.svg", ContentSource::Picture(&["analyze", "examples/dam.jsonl"])),
];

impl ContentSource {
    /// Produces the content of the file. A failure names the file as well as the cause.
    fn content(&self, path: &str) -> Result<Vec<u8>, ChoreFailure> {
        let content = match self {
            Self::Loopbreak(arguments) => stdout_of(WorkspaceProgram::Loopbreak.command()?.args(*arguments)),
            Self::Picture(arguments) => picture_of(arguments),
            Self::GeneratedParts => generated_parts::render(path).map(String::into_bytes),
            Self::PublicApi(library) => {
                public_api::render(library).map(String::into_bytes).map_err(ChoreFailure::Failed)
            }
            Self::Function(content) => content().map(String::into_bytes).map_err(ChoreFailure::Failed),
        };
        content.map_err(|failure| failure.about(path))
    }
}

/// Draws what a command prints on a terminal of 100 columns.
fn picture_of(arguments: &[&str]) -> Result<Vec<u8>, ChoreFailure> {
    let mut command = WorkspaceProgram::Loopbreak.command()?;
    command.args(arguments).env("CLICOLOR_FORCE", "1").env("COLUMNS", "100").env_remove("NO_COLOR");
    let printed = stdout_of(&mut command)?;
    let command = format!("loopbreak {}", arguments.join(" "));
    Ok(picture::svg(&command, &String::from_utf8_lossy(&printed)).into_bytes())
}

/// Writes or checks all files, or those named.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let mut checking = false;
    let mut wanted = Vec::new();
    for argument in arguments {
        if argument == "--check" {
            checking = true;
        } else if let Some(file) = FILES.iter().find(|(path, _)| path == argument) {
            wanted.push(file);
        } else if argument.starts_with('-') {
            return Err(ChoreFailure::Usage(format!("generate: unexpected {argument:?}")));
        } else {
            let known: Vec<_> = FILES.iter().map(|(path, _)| *path).collect();
            return Err(ChoreFailure::Usage(format!(
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

/// Fails if a generated file differs from what its source gives now, and names it.
pub(crate) fn check_all() -> Result<(), ChoreFailure> {
    check(FILES)
}

fn write<'a>(files: impl IntoIterator<Item = &'a (&'a str, ContentSource)>) -> Result<(), ChoreFailure> {
    for (path, source) in files {
        let content = source.content(path)?;
        if is_current(path, &content) {
            eprintln!("xtask: {path}: is current");
            continue;
        }
        let target = root().join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| ChoreFailure::io(format_args!("make the folder of {path}"), &error))?;
        }
        fs::write(&target, content)
            .map_err(|error| ChoreFailure::io(format_args!("write {path}"), &error))?;
        eprintln!("xtask: {path}: written");
    }
    Ok(())
}

fn check<'a>(files: impl IntoIterator<Item = &'a (&'a str, ContentSource)>) -> Result<(), ChoreFailure> {
    let mut stale = Vec::new();
    for (path, source) in files {
        if !is_current(path, &source.content(path)?) {
            stale.push(*path);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!(
        "not current: {}; run `cargo xtask generate` and commit",
        stale.join(", ")
    )))
}

/// A checkout may have turned line ends into CR LF; that does not count as a difference.
fn is_current(path: &str, content: &[u8]) -> bool {
    let without_cr =
        |bytes: &[u8]| -> Vec<u8> { bytes.iter().copied().filter(|byte| *byte != b'\r').collect() };
    fs::read(root().join(path)).is_ok_and(|kept| without_cr(&kept) == without_cr(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_interface_of_every_library_is_generated() {
        for entry in fs::read_dir(root().join("crates")).unwrap() {
            let folder = entry.unwrap().path();
            if folder.join("src/lib.rs").is_file() {
                let library = folder.file_name().unwrap().to_string_lossy().into_owned();
                let path = format!("docs/reference/api/{library}.txt");
                assert!(FILES.iter().any(|(file, _)| *file == path), "{path}");
            }
        }
    }
}
