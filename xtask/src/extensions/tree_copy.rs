//! A copy of the workspace in which a template is tried out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::template::TemplateEdit;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, stdout_of};

/// A copy of all files that git tracks, below `target/`.
pub(super) struct TreeCopy {
    folder: PathBuf,
}

impl TreeCopy {
    /// Copies the tree as it stands in the checkout. Its version gets a suffix, so that cargo keeps what it compiles
    /// apart from the crates of the checkout, while all dependencies are shared.
    pub(super) fn new(name: &str) -> Result<Self, ChoreFailure> {
        let folder = root().join("target/extensions").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .map_err(|error| ChoreFailure::io(format_args!("clear {}", folder.display()), &error))?;
        }
        let listed = stdout_of(Command::new("git").args(["ls-files", "-z"]).current_dir(root()))?;
        for path in String::from_utf8_lossy(&listed).split('\0').filter(|path| !path.is_empty()) {
            let (from, to) = (root().join(path), folder.join(path));
            // A file that is deleted in the checkout, but not yet in the index, is not copied.
            if from.is_file() {
                write(
                    &to,
                    &fs::read(&from)
                        .map_err(|error| ChoreFailure::io(format_args!("read {path}"), &error))?,
                )?;
            }
        }
        let copy = TreeCopy { folder };
        let manifest = copy.read("Cargo.toml")?;
        let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
        let suffixed = format!("version = \"{}+{name}\"", env!("CARGO_PKG_VERSION"));
        copy.write("Cargo.toml", &manifest.replacen(&version, &suffixed, 1))?;
        Ok(copy)
    }

    /// Applies the edits of a template. A file that is already there, or a line that is missing, is a failure.
    pub(super) fn apply(&self, edits: &[TemplateEdit]) -> Result<(), ChoreFailure> {
        for edit in edits {
            match edit {
                TemplateEdit::NewFile { path, text } => {
                    if self.folder.join(path).exists() {
                        return Err(ChoreFailure::Failed(format!("{path} is already there")));
                    }
                    self.write(path, text)?;
                }
                TemplateEdit::AddedLines { path, after, text } => {
                    let content = self.read(path)?;
                    let mut lines: Vec<&str> = content.lines().collect();
                    let at = lines.iter().position(|line| line.trim_start().starts_with(after.as_str()));
                    let Some(at) = at else {
                        return Err(ChoreFailure::Failed(format!("no line of {path} starts with {after:?}")));
                    };
                    lines.insert(at + 1, text.trim_end());
                    self.write(path, &(lines.join("\n") + "\n"))?;
                }
            }
        }
        Ok(())
    }

    /// Builds the program of the copy and returns its path.
    pub(super) fn build_program(&self) -> Result<PathBuf, ChoreFailure> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
        let mut command = Command::new(cargo);
        command
            .args(["build", "--package", "loopbreak-cli", "--message-format=json-render-diagnostics"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target);
        let messages = stdout_of(&mut command)?;
        let built = String::from_utf8_lossy(&messages)
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|message| message["target"]["name"] == "loopbreak")
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .ok_or_else(|| ChoreFailure::Failed("cargo built no binary `loopbreak`".to_owned()))?;
        // The next build in the checkout puts its own program there.
        let program = self.folder.join("loopbreak-with-extension");
        fs::copy(&built, &program)
            .map_err(|error| ChoreFailure::io(format_args!("copy {}", built.display()), &error))?;
        Ok(program)
    }

    /// Returns the folder of the copy.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn read(&self, path: &str) -> Result<String, ChoreFailure> {
        fs::read_to_string(self.folder.join(path))
            .map_err(|error| ChoreFailure::io(format_args!("read {path}"), &error))
    }

    fn write(&self, path: &str, text: &str) -> Result<(), ChoreFailure> {
        write(&self.folder.join(path), text.as_bytes())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ChoreFailure> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, bytes));
    written.map_err(|error| ChoreFailure::io(format_args!("write {}", path.display()), &error))
}
