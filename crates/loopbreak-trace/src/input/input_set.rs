//! From what the user named to the files to read.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::file_owner::join_runs;
use super::log_input::LogInput;
use super::open_error::OpenError;

/// What the user named, spelt out.
#[derive(Debug, Default)]
pub struct InputSet {
    /// What to read, in the order named; the files of a folder by name.
    pub inputs: Vec<LogInput>,
    /// The folders that were named.
    pub folders: Vec<SearchedFolder>,
    /// What cannot be read.
    pub unreadable: Vec<UnreadableInput>,
}

/// A folder that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedFolder {
    /// Its path as given.
    pub name: String,
    /// How many files were found in it and below, those counted elsewhere included.
    pub files: usize,
    /// Whether some of them count elsewhere, because they were named before.
    pub shared: bool,
}

/// Something that was named, or found in a folder, and cannot be read.
#[derive(Debug)]
pub struct UnreadableInput {
    /// Which.
    pub name: String,
    /// Why.
    pub error: OpenError,
}

/// Spells out what the user named: `-` is standard input, a folder is all files in it and below. Hidden folders are left
/// out, so are sockets and devices. What was met before, by whatever name or link, is left out too: nothing counts twice.
/// Files of one run, such as those of a session and its subagents, become one input.
pub fn expand_paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> InputSet {
    let mut expansion = list_files(paths);
    expansion.inputs = join_runs(expansion.inputs);
    expansion
}

/// The same, but every file is an input of its own, and none is opened.
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
    /// Real paths of files and folders.
    met: HashSet<PathBuf>,
}

impl FolderWalk {
    fn unreadable(&mut self, path: &Path, error: OpenError) {
        self.out.unreadable.push(UnreadableInput { name: path.display().to_string(), error });
    }

    /// Whether this is met for the first time. What has no real path, such as a pipe, is always new.
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

    /// Walks a folder with a list of its own, not by recursion: folders may be nested deeper than the stack.
    fn folder(&mut self, path: &Path) {
        let folder = self.out.folders.len();
        self.out.folders.push(SearchedFolder { name: path.display().to_string(), files: 0, shared: false });
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            let about = match fs::metadata(&path) {
                Ok(about) => about,
                // A link that leads nowhere is no log that is missing.
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
                    // Last in, first out: the first by name is looked at next.
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
    fn links_that_go_round_in_circles_end() {
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
    fn nothing_counts_twice() {
        let root = tempfile::tempdir().unwrap();
        let log = root.path().join("log.jsonl");
        fs::write(&log, "{}").unwrap();
        let expansion =
            expand_paths([&log, &root.path().to_owned(), &log, &PathBuf::from("-"), &PathBuf::from("-")]);
        assert_eq!(expansion.inputs.len(), 2);
        assert!(expansion.inputs[0].is_named());
        assert!(expansion.folders[0].shared, "its log counts elsewhere");
    }

    #[test]
    fn what_is_not_there_does_not_stop_the_others() {
        let root = tempfile::tempdir().unwrap();
        let log = root.path().join("log.jsonl");
        fs::write(&log, "{}").unwrap();
        let expansion = expand_paths([root.path().join("missing"), log]);
        assert_eq!(expansion.inputs.len(), 1);
        assert!(matches!(expansion.unreadable[0].error, OpenError::Missing));
    }
}
