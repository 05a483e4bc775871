//! A copy of the workspace in which a template is tried out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::template::TemplateEdit;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, stdout_of};
use crate::workspace_program::WorkspaceProgram;

/// The name of the built program, beside the manifest of the copy.
const PROGRAM: &str = "loopbreak-with-extension";

/// Options that make the build of the copy quicker: its program is run on a few lines only.
const QUICK_BUILD: [&str; 4] = [
    "--config",
    "profile.dev.package.loopbreak.opt-level=0",
    "--config",
    "profile.dev.package.loopbreak-arena.opt-level=0",
];

/// A copy of the files that git tracks, with some edits. It is assembled in memory and written by [`TreeCopy::write_to`].
pub(super) struct TreeCopy {
    files: BTreeMap<String, Vec<u8>>,
}

/// A copy of the workspace below `target/`.
pub(super) struct WrittenCopy {
    folder: PathBuf,
}

impl TreeCopy {
    /// Reads the tree as it stands in the checkout. The version of its crates gets a suffix, so that cargo keeps what it
    /// compiles apart from the crates of the checkout, while all dependencies are shared.
    pub(super) fn new(suffix: &str) -> Result<Self, ChoreFailure> {
        let listed = stdout_of(Command::new("git").args(["ls-files", "-z"]).current_dir(root()))?;
        let mut files = BTreeMap::new();
        for path in String::from_utf8_lossy(&listed).split('\0').filter(|path| !path.is_empty()) {
            let from = root().join(path);
            // A file that is deleted in the checkout, but not yet in the index, is not copied.
            if from.is_file() {
                let bytes =
                    fs::read(&from).map_err(|error| ChoreFailure::io(format_args!("read {path}"), &error))?;
                files.insert(path.to_owned(), bytes);
            }
        }
        let mut copy = TreeCopy { files };
        let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
        let suffixed = format!("version = \"{}+{suffix}\"", env!("CARGO_PKG_VERSION"));
        copy.change("Cargo.toml", |manifest| manifest.replacen(&version, &suffixed, 1))?;
        // The lock file has to agree: the build is `--locked`, so that it needs no network and takes no other versions.
        copy.change("Cargo.lock", |lock| with_local_versions(lock, &version, &suffixed))?;
        Ok(copy)
    }

    /// Applies the edits of a template. A file that is already there, or a line that is missing, is a failure.
    pub(super) fn apply(&mut self, edits: &[TemplateEdit]) -> Result<(), ChoreFailure> {
        for edit in edits {
            match edit {
                TemplateEdit::NewFile { path, text } => {
                    if self.files.insert(path.clone(), text.clone().into_bytes()).is_some() {
                        return Err(ChoreFailure::Failed(format!("{path} is already there")));
                    }
                }
                TemplateEdit::AddedLines { path, after, text } => {
                    let content = self.read(path)?;
                    let mut lines: Vec<&str> = content.lines().collect();
                    let at = lines.iter().position(|line| line.trim_start().starts_with(after.as_str()));
                    let Some(at) = at else {
                        return Err(ChoreFailure::Failed(format!("no line of {path} starts with {after:?}")));
                    };
                    lines.insert(at + 1, text.trim_end());
                    let edited = lines.join("\n") + "\n";
                    self.files.insert(path.clone(), edited.into_bytes());
                }
            }
        }
        Ok(())
    }

    /// Writes the copy to a folder below `target/extensions`. Files that are there already and did not change are left
    /// alone, and others are removed, so that cargo compiles again only what changed.
    pub(super) fn write_to(&self, name: &str) -> Result<WrittenCopy, ChoreFailure> {
        let folder = root().join("target/extensions").join(name);
        remove_others(&folder, &folder, &self.files)?;
        for (path, bytes) in &self.files {
            let to = folder.join(path);
            if fs::read(&to).is_ok_and(|known| known == *bytes) {
                continue;
            }
            let written = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&to, bytes));
            written.map_err(|error| ChoreFailure::io(format_args!("write {}", to.display()), &error))?;
        }
        Ok(WrittenCopy { folder })
    }

    fn read(&self, path: &str) -> Result<String, ChoreFailure> {
        let bytes =
            self.files.get(path).ok_or_else(|| ChoreFailure::Failed(format!("there is no {path}")))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn change(&mut self, path: &str, edit: impl FnOnce(&str) -> String) -> Result<(), ChoreFailure> {
        let edited = edit(&self.read(path)?);
        self.files.insert(path.to_owned(), edited.into_bytes());
        Ok(())
    }
}

impl WrittenCopy {
    /// Builds the program of the copy and returns its path.
    pub(super) fn build_program(&self) -> Result<PathBuf, ChoreFailure> {
        let built = WorkspaceProgram::Loopbreak.build_in(&self.folder, &QUICK_BUILD)?;
        // The next build in the checkout puts its own program there.
        let program = self.folder.join(PROGRAM);
        fs::copy(&built, &program)
            .map_err(|error| ChoreFailure::io(format_args!("copy {}", built.display()), &error))?;
        Ok(program)
    }
}

/// Changes the versions of the crates of the workspace in a lock file: those that have no source.
fn with_local_versions(lock: &str, version: &str, suffixed: &str) -> String {
    let packages: Vec<String> = lock
        .split("[[package]]")
        .map(|package| {
            if package.contains("\nsource = ") {
                package.to_owned()
            } else {
                package.replace(&format!("\n{version}\n"), &format!("\n{suffixed}\n"))
            }
        })
        .collect();
    packages.join("[[package]]")
}

/// Removes every file of a folder that is not part of the copy.
fn remove_others(root: &Path, folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), ChoreFailure> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            remove_others(root, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if !files.contains_key(&name) {
            fs::remove_file(&path)
                .map_err(|error| ChoreFailure::io(format_args!("remove {}", path.display()), &error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_crates_of_the_workspace_get_another_version_in_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\nsource = \"registry\"\n\n\
                    [[package]]\nname = \"b\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n]\n";
        let changed = with_local_versions(lock, "version = \"0.1.0\"", "version = \"0.1.0+x\"");
        assert_eq!(changed.matches("0.1.0+x").count(), 1);
        assert!(changed.contains("name = \"b\"\nversion = \"0.1.0+x\""));
    }

    #[test]
    fn a_template_cannot_replace_a_file_or_add_to_a_list_that_is_not_there() {
        let mut copy = TreeCopy { files: BTreeMap::from([("list.rs".to_owned(), b"a\nb\n".to_vec())]) };
        let added = |after: &str| TemplateEdit::AddedLines {
            path: "list.rs".to_owned(),
            after: after.to_owned(),
            text: "new\n".to_owned(),
        };
        copy.apply(&[added("a")]).unwrap();
        assert_eq!(copy.files["list.rs"], b"a\nnew\nb\n");
        assert!(copy.apply(&[added("c")]).is_err());
        let again = TemplateEdit::NewFile { path: "list.rs".to_owned(), text: String::new() };
        assert!(copy.apply(&[again]).is_err());
    }
}
