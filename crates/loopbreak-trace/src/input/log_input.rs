//! One thing to read.

use std::fs;
use std::path::{Path, PathBuf};

/// One thing to read: a file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogInput {
    /// Nothing for standard input.
    path: Option<PathBuf>,
    /// The folder it was found in, an index into [`InputSet::folders`]. Nothing where the user named it, so that it is a
    /// mistake if it is no log.
    folder: Option<usize>,
    size: u64,
    parts: Vec<CompanionPath>,
    /// The name of the run, where it is that of a folder with a record a file.
    folder_run: Option<String>,
}

/// Another file of the same run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompanionPath {
    pub(crate) path: PathBuf,
    /// The agent whose file it is.
    pub(crate) agent: Option<String>,
}

impl LogInput {
    /// Standard input.
    pub fn stdin() -> Self {
        LogInput { path: None, folder: None, size: 0, parts: Vec::new(), folder_run: None }
    }

    /// A file that the user named.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let size = fs::metadata(&path).map_or(0, |about| about.len());
        LogInput { path: Some(path), folder: None, size, parts: Vec::new(), folder_run: None }
    }

    /// A file that was named, or found in one of [`InputSet::folders`](crate::InputSet::folders).
    pub(super) fn found(path: &Path, folder: Option<usize>, size: u64) -> Self {
        LogInput { path: Some(path.to_owned()), folder, size, parts: Vec::new(), folder_run: None }
    }

    /// Where it is; nothing for standard input.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the user named it; otherwise it was found in a folder.
    pub fn is_named(&self) -> bool {
        self.folder.is_none()
    }

    /// Which of [`InputSet::folders`] it was found in.
    pub fn folder(&self) -> Option<usize> {
        self.folder
    }

    /// Other files of the same run, read with it.
    pub(crate) fn parts(&self) -> &[CompanionPath] {
        &self.parts
    }

    /// Whether its parts follow one another, and are not read side by side.
    pub(crate) fn is_sequence(&self) -> bool {
        self.folder_run.is_some()
    }

    /// Makes this the first file of a folder with a record a file. Sessions keep them in a folder `events`.
    pub fn begin_sequence(&mut self) {
        let mut folders = self.path.iter().flat_map(|path| path.ancestors().skip(1));
        let name = folders.find_map(|folder| {
            let name = folder.file_name()?.to_string_lossy();
            (name != "events").then(|| name.into_owned())
        });
        self.folder_run = name.or_else(|| Some("events".to_owned()));
    }

    /// Makes another file a part of this one.
    pub(crate) fn join(&mut self, other: LogInput, agent: Option<String>) {
        self.size += other.size;
        self.parts.extend(other.path.map(|path| CompanionPath { path, agent }));
        self.parts.extend(other.parts);
    }

    /// Its size in bytes, 0 where that is not known.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The name to show: the path as it was given, `-` for standard input.
    pub fn name(&self) -> String {
        self.path().map_or_else(|| "-".to_owned(), |path| path.display().to_string())
    }

    /// The name of its run where the records name none.
    pub fn run(&self) -> String {
        if let Some(run) = &self.folder_run {
            return run.clone();
        }
        let stem = self.path().and_then(Path::file_stem);
        stem.map_or_else(|| "stdin".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_name_is_named_after_its_file() {
        assert_eq!(LogInput::file("logs/ep-7.jsonl").run(), "ep-7");
        assert_eq!(LogInput::stdin().run(), "stdin");
        assert_eq!(LogInput::stdin().name(), "-");
    }
}
