//! From the paths that a user names to the files to read.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::file_owner::join_runs;
use super::log_input::LogInput;
use super::open_error::OpenError;
use super::unpack_limit::UnpackLimit;

/// The largest number of levels of folders that are searched below a folder that was named.
pub(super) const MAX_DEPTH: usize = 128;

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
        if skipped.is_empty() {
            return;
        }
        self.inputs.retain(|input| {
            let real = input.path().and_then(|path| fs::canonicalize(path).ok());
            real.is_none_or(|real| !skipped.contains(&real))
        });
    }

    /// Sets the limit on the unpacked bytes of compressed files.
    pub fn limit_unpacked(&mut self, limit: UnpackLimit) {
        self.inputs.iter_mut().for_each(|input| input.limit_unpacked(limit));
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
    /// Number of links in it that lead out of it. They are not followed.
    pub skipped_links: usize,
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
/// skipped too, so nothing counts twice. A link in a folder that leads out of it is not followed. Files of one run, such as those of a session and its subagents,
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
            if !std::mem::replace(&mut walk.has_stdin, true) {
                walk.out.inputs.push(LogInput::stdin());
            }
            continue;
        }
        match fs::metadata(path) {
            Err(error) => walk.unreadable(path, OpenError::from(error)),
            Ok(about) if about.is_dir() => walk.folder(path),
            Ok(about) => walk.file(path, None, &about),
        }
    }
    walk.out
}

#[derive(Default)]
struct FolderWalk {
    out: InputSet,
    /// The files and folders seen so far.
    met: HashSet<InputIdentity>,
    /// Standard input was named.
    has_stdin: bool,
}

/// Identifies a file or a folder independently of its name. Comparing resolved paths would take time that grows with
/// the cube of the depth.
#[cfg(unix)]
type InputIdentity = (u64, u64);

/// Returns the identity of a file, if it has one.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot always tell")]
fn identity(_: &Path, about: &fs::Metadata) -> Option<InputIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
type InputIdentity = PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path, _: &fs::Metadata) -> Option<InputIdentity> {
    fs::canonicalize(path).ok()
}

impl FolderWalk {
    fn unreadable(&mut self, path: &Path, error: OpenError) {
        self.out.unreadable.push(UnreadableInput { name: path.display().to_string(), error });
    }

    /// Returns whether a file or folder is seen for the first time. One that cannot be identified is always new.
    fn is_new(&mut self, path: &Path, about: &fs::Metadata) -> bool {
        identity(path, about).is_none_or(|identity| self.met.insert(identity))
    }

    fn file(&mut self, path: &Path, folder: Option<usize>, about: &fs::Metadata) {
        let new = self.is_new(path, about);
        if new {
            self.out.inputs.push(LogInput::found(path, folder, about.len()));
        }
        if let Some(folder) = folder.and_then(|folder| self.out.folders.get_mut(folder)) {
            folder.files += 1;
            folder.shared |= !new;
        }
    }

    /// Walks a folder iteratively: folders may be nested deeper than the stack allows.
    fn folder(&mut self, path: &Path) {
        let folder = self.out.folders.len();
        self.out.folders.push(SearchedFolder {
            name: path.display().to_string(),
            files: 0,
            shared: false,
            skipped_links: 0,
        });
        let root = fs::canonicalize(path).ok();
        let mut open = vec![(path.to_owned(), 0, false)];
        while let Some((path, depth, is_link)) = open.pop() {
            // A link may lead to files that the author of the folder could not read.
            if is_link {
                // A link to nothing or to itself is not a missing log.
                let Ok(target) = fs::canonicalize(&path) else { continue };
                if root.as_ref().is_none_or(|root| !target.starts_with(root)) {
                    self.out.folders[folder].skipped_links += 1;
                    continue;
                }
            }
            let about = match fs::metadata(&path) {
                Ok(about) => about,
                // It disappeared in the meantime.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.unreadable(&path, OpenError::from(error));
                    continue;
                }
            };
            if about.is_file() {
                self.file(&path, Some(folder), &about);
            }
            if !about.is_dir() || !self.is_new(&path, &about) {
                continue;
            }
            if depth > MAX_DEPTH {
                self.unreadable(&path, OpenError::TooDeep);
                continue;
            }
            match fs::read_dir(&path) {
                Err(error) => self.unreadable(&path, OpenError::from(error)),
                Ok(entries) => {
                    let hidden_folder = |entry: &fs::DirEntry| {
                        entry.file_name().as_encoded_bytes().starts_with(b".") && entry.path().is_dir()
                    };
                    let is_link =
                        |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
                    let mut inside: Vec<(PathBuf, usize, bool)> = entries
                        .filter_map(Result::ok)
                        .filter(|entry| !hidden_folder(entry))
                        .map(|entry| (entry.path(), depth + 1, is_link(&entry)))
                        .collect();
                    // A stack: the first by name is visited next.
                    inside.sort_unstable_by(|a, b| b.0.cmp(&a.0));
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

    /// A folder may come from somebody else. A link in it must not bring private files into a report.
    #[cfg(unix)]
    #[test]
    fn links_out_of_a_folder_are_not_followed_unless_they_are_named() {
        let root = tempfile::tempdir().unwrap();
        let (shared, private) = (root.path().join("shared"), root.path().join("private"));
        for folder in [&shared.join("real"), &private] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(shared.join("real/log.jsonl"), "{}").unwrap();
        fs::write(private.join("secret.jsonl"), "{}").unwrap();
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, shared.join(name)).unwrap();
        link("../private", "folder");
        link("../private/secret.jsonl", "file.jsonl");
        link("real", "inside");
        link("ring-b", "ring-a");
        link("ring-a", "ring-b");
        let expansion = expand_paths([&shared]);
        assert_eq!(names(&expansion, &shared), ["inside/log.jsonl"], "a link within the folder is harmless");
        assert_eq!((expansion.folders[0].skipped_links, expansion.folders[0].shared), (2, false));
        assert!(expansion.unreadable.is_empty(), "{:?}", expansion.unreadable);
        let named = expand_paths([shared.join("folder"), shared.join("real")]);
        assert_eq!(names(&named, &shared), ["folder/secret.jsonl", "real/log.jsonl"]);
    }

    /// Nested folders once took time that grew with the cube of their depth.
    #[cfg(unix)]
    #[test]
    fn a_deep_tree_is_searched_up_to_a_limit_and_the_rest_is_reported() {
        let root = tempfile::tempdir().unwrap();
        let mut deep = root.path().to_owned();
        for _ in 0..1000 {
            deep.push("x");
        }
        fs::create_dir_all(&deep).unwrap();
        fs::write(root.path().join("x/x/log.jsonl"), "{}").unwrap();
        let expansion = expand_paths([root.path()]);
        assert_eq!(names(&expansion, root.path()), ["x/x/log.jsonl"]);
        assert_eq!(expansion.unreadable.len(), 1);
        assert!(matches!(expansion.unreadable[0].error, OpenError::TooDeep));
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
