//! One thing to read: a file, or standard input.

use std::fs;
use std::path::{Path, PathBuf};

use super::unpack_limit::UnpackLimit;

/// One thing to read: a file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogInput {
    /// `None` for standard input.
    path: Option<PathBuf>,
    /// Index into [`InputSet::folders`](crate::InputSet::folders) of the folder in which it was found. `None` if the
    /// user named it; then it is an error if it is not a log.
    folder: Option<usize>,
    size: u64,
    parts: Vec<CompanionPath>,
    /// Name of the run, for a folder with one record per file.
    folder_run: Option<String>,
    /// Limit on the unpacked bytes, if it is compressed.
    limit: UnpackLimit,
}

/// Another file of the same run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompanionPath {
    pub(crate) path: PathBuf,
    /// Name of the agent that wrote it.
    pub(crate) agent: Option<String>,
}

impl LogInput {
    /// Creates the input for standard input.
    pub fn stdin() -> Self {
        LogInput {
            path: None,
            folder: None,
            size: 0,
            parts: Vec::new(),
            folder_run: None,
            limit: UnpackLimit::default(),
        }
    }

    /// Creates an input for a file that the user named.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let size = fs::metadata(&path).map_or(0, |about| about.len());
        LogInput {
            path: Some(path),
            folder: None,
            size,
            parts: Vec::new(),
            folder_run: None,
            limit: UnpackLimit::default(),
        }
    }

    /// Creates an input for a file that was named, or found in one of
    /// [`InputSet::folders`](crate::InputSet::folders).
    pub(super) fn found(path: &Path, folder: Option<usize>, size: u64) -> Self {
        LogInput {
            path: Some(path.to_owned()),
            folder,
            size,
            parts: Vec::new(),
            folder_run: None,
            limit: UnpackLimit::default(),
        }
    }

    /// Returns the path; `None` for standard input.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns whether the user named the file; otherwise it was found in a folder.
    pub fn is_named(&self) -> bool {
        self.folder.is_none()
    }

    /// Returns the index into [`InputSet::folders`](crate::InputSet::folders) of the folder in which it was found.
    pub fn folder(&self) -> Option<usize> {
        self.folder
    }

    /// Returns the paths of all files that are read, each with the agent that wrote it if the file was joined because of it.
    /// There are none for standard input.
    pub fn files(&self) -> impl Iterator<Item = (&Path, Option<&str>)> {
        let parts = self.parts.iter().map(|part| (part.path.as_path(), part.agent.as_deref()));
        self.path.as_deref().map(|path| (path, None)).into_iter().chain(parts)
    }

    /// Returns the other files of the same run, which are read with it.
    pub(crate) fn parts(&self) -> &[CompanionPath] {
        &self.parts
    }

    /// Returns whether the companion files follow one another, and are not merged by time.
    pub fn is_sequence(&self) -> bool {
        self.folder_run.is_some()
    }

    /// Makes this the first file of a folder with one record per file. Sessions keep such files in a folder named
    /// `events`.
    pub fn begin_sequence(&mut self) {
        let mut folders = self.path.iter().flat_map(|path| path.ancestors().skip(1));
        let name = folders.find_map(|folder| {
            let name = folder.file_name()?.to_string_lossy();
            (name != "events").then(|| name.into_owned())
        });
        self.folder_run = name.or_else(|| Some("events".to_owned()));
    }

    /// Adds another file of the same run.
    pub(crate) fn join(&mut self, other: LogInput, agent: Option<String>) {
        self.size += other.size;
        self.parts.extend(other.path.map(|path| CompanionPath { path, agent }));
        self.parts.extend(other.parts);
    }

    /// Sets the limit on the unpacked bytes, if it is compressed. It applies to each file.
    pub fn limit_unpacked(&mut self, limit: UnpackLimit) {
        self.limit = limit;
    }

    /// Returns the limit on the unpacked bytes of each file.
    pub fn unpack_limit(&self) -> UnpackLimit {
        self.limit
    }

    /// Returns the size in bytes, including companion files; 0 if unknown.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the name to show: the path as given, or `-` for standard input.
    pub fn name(&self) -> String {
        self.path().map_or_else(|| "-".to_owned(), |path| path.display().to_string())
    }

    /// Returns the name of the run for records that do not name one.
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
