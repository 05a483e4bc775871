//! From the paths that a user names to the files to read.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::file_owner::join_runs;
use super::log_input::LogInput;
use super::open_error::OpenError;

/// The files behind the paths that a user named.
#[derive(Debug, Default)]
pub struct InputSet {
    /// Inputs to read, in the order in which they were named; the files of a folder are sorted by name.
    pub inputs: Vec<LogInput>,
    /// Folders that were named.
    pub folders: Vec<SearchedFolder>,
    /// Paths that cannot be read.
    pub unreadable: Vec<UnreadableInput>,
}

impl InputSet {
    /// Removes files that are not logs, such as labels in the same folders. Files that do not exist are ignored.
    pub fn skip<P: AsRef<Path>>(&mut self, files: impl IntoIterator<Item = P>) {
        let skipped: Vec<_> = files.into_iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        self.inputs.retain(|input| {
            let real = input.path().and_then(|path| fs::canonicalize(path).ok());
            real.is_none_or(|real| !skipped.contains(&real))
        });
    }
}

/// A folder that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedFolder {
    /// Path as given.
    pub name: String,
    /// Number of files found in it and below, including files that count elsewhere.
    pub files: usize,
    /// True if some of the files count elsewhere because they were named before.
    pub shared: bool,
}

/// A path that was named, or found in a folder, and cannot be read.
#[derive(Debug)]
pub struct UnreadableInput {
    /// Path of the file.
    pub name: String,
    /// The error.
    pub error: OpenError,
}

/// Expands paths into inputs. `-` is standard input; a folder stands for all files in it and below. Hidden
/// folders, sockets and devices are skipped. A file that was already seen under another name or link is
/// skipped too, so nothing counts twice. Files of one run, such as those of a session and its subagents,
/// become one input.
pub fn expand_paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> InputSet {
    let mut expansion = list_files(paths);
    expansion.inputs = join_runs(expansion.inputs);
    expansion
}

/// Expands paths like [`expand_paths`], but makes every file an input of its own and opens none of them.
pub fn list_files<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> InputSet {
    let mut walk = FolderWalk::default();
    for path in paths {
        let path = path.as_ref();
        if path == Path::new("-") {
            if walk.met.insert(path.to_owned()) {
                walk.out.inputs.push(LogInput::stdin());
            }
            continue;
        }
        match fs::metadata(path) {
            Err(error) => walk.unreadable(path, OpenError::from(error)),
            Ok(about) if about.is_dir() => walk.folder(path),
            Ok(about) => walk.file(path, None, about.len()),
        }
    }
    walk.out
}

#[derive(Default)]
struct FolderWalk {
    out: InputSet,
    /// Canonical paths of the files and folders seen so far.
    met: HashSet<PathBuf>,
}

impl FolderWalk {
    fn unreadable(&mut self, path: &Path, error: OpenError) {
        self.out.unreadable.push(UnreadableInput { name: path.display().to_string(), error });
    }

    /// Returns whether a path is seen for the first time. A path that cannot be canonicalized, such as a pipe, is
    /// always new.
    fn is_new(&mut self, path: &Path) -> bool {
        fs::canonicalize(path).map_or(true, |real| self.met.insert(real))
    }

    fn file(&mut self, path: &Path, folder: Option<usize>, size: u64) {
        let new = self.is_new(path);
        if new {
            self.out.inputs.push(LogInput::found(path, folder, size));
        }
        if let Some(folder) = folder.and_then(|folder| self.out.folders.get_mut(folder)) {
            folder.files += 1;
            folder.shared |= !new;
        }
    }

    /// Walks a folder iteratively: folders may be nested deeper than the stack allows.
    fn folder(&mut self, path: &Path) {
        let folder = self.out.folders.len();
        self.out.folders.push(SearchedFolder { name: path.display().to_string(), files: 0, shared: false });
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            let about = match fs::metadata(&path) {
                Ok(about) => about,
                // A dangling link is not a missing log.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.unreadable(&path, OpenError::from(error));
                    continue;
                }
            };
            if about.is_file() {
                self.file(&path, Some(folder), about.len());
            }
            if !about.is_dir() || !self.is_new(&path) {
                continue;
            }
            match fs::read_dir(&path) {
                Err(error) => self.unreadable(&path, OpenError::from(error)),
                Ok(entries) => {
                    let hidden_folder = |entry: &fs::DirEntry| {
                        entry.file_name().as_encoded_bytes().starts_with(b".") && entry.path().is_dir()
                    };
                    let mut inside: Vec<PathBuf> = entries
                        .filter_map(Result::ok)
                        .filter(|entry| !hidden_folder(entry))
                        .map(|entry| entry.path())
                        .collect();
                    // A stack: the first by name is visited next.
                    inside.sort_unstable_by(|a, b| b.cmp(a));
                    open.append(&mut inside);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(expansion: &InputSet, root: &Path) -> Vec<String> {
        let below =
            |input: &LogInput| input.path().unwrap().strip_prefix(root).unwrap().display().to_string();
        expansion.inputs.iter().map(below).collect()
    }

    #[test]
    fn a_folder_is_walked_by_name_without_hidden_folders() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["b/c", ".git", "a"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in ["z.jsonl", "b/c/1.jsonl", "b/2.jsonl", ".git/x.jsonl", "a/3.txt", ".hidden.jsonl"] {
            fs::write(root.path().join(file), "{}").unwrap();
        }
        let expansion = expand_paths([root.path()]);
        assert_eq!(
            names(&expansion, root.path()),
            [".hidden.jsonl", "a/3.txt", "b/2.jsonl", "b/c/1.jsonl", "z.jsonl"]
        );
        assert!(expansion.unreadable.is_empty());
        assert!(!expansion.inputs[0].is_named());
    }

    #[cfg(unix)]
    #[test]
    fn cyclic_links_do_not_loop_forever() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a")).unwrap();
        fs::write(root.path().join("a/log.jsonl"), "{}").unwrap();
        std::os::unix::fs::symlink(root.path(), root.path().join("a/up")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.path().join("dangling")).unwrap();
        let expansion = expand_paths([root.path()]);
        assert_eq!(names(&expansion, root.path()), ["a/log.jsonl"]);
        assert!(expansion.unreadable.is_empty());
    }

    #[test]
    fn a_file_named_twice_counts_once() {
        let root = tempfile::tempdir().unwrap();
        let log = root.path().join("log.jsonl");
        fs::write(&log, "{}").unwrap();
        let expansion =
            expand_paths([&log, &root.path().to_owned(), &log, &PathBuf::from("-"), &PathBuf::from("-")]);
        assert_eq!(expansion.inputs.len(), 2);
        assert!(expansion.inputs[0].is_named());
        assert!(expansion.folders[0].shared, "its log counts as a named file");
    }

    #[test]
    fn a_missing_path_does_not_stop_the_others() {
        let root = tempfile::tempdir().unwrap();
        let log = root.path().join("log.jsonl");
        fs::write(&log, "{}").unwrap();
        let expansion = expand_paths([root.path().join("missing"), log]);
        assert_eq!(expansion.inputs.len(), 1);
        assert!(matches!(expansion.unreadable[0].error, OpenError::Missing));
    }
}
