//! Detects changes of the files that an agent works on.
//!
//! Files are compared by name, length and modification time; their contents are not read. If that is not
//! possible, they count as changed: a working agent must not be taken for idle.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher as _;
use std::io;
use std::path::{self, PathBuf};

/// The largest number of files and folders. Beyond it, the files always count as changed.
const MAX_FILES: usize = 50_000;
/// The folder of the version control. Only its top-level files are compared: every commit changes them.
const VERSION_CONTROL: &str = ".git";

/// The files below the folder in which the agent runs.
#[derive(Debug)]
pub(crate) struct WorkTree {
    /// The folder, or `None` if it is gone.
    root: Option<PathBuf>,
    /// Files and folders that this program writes itself. They are ignored.
    ignored: Vec<PathBuf>,
    hasher: RandomState,
    last: Option<u64>,
}

impl WorkTree {
    /// Records the current state. `ignored` are files and folders that are not compared.
    pub(crate) fn new(root: Option<PathBuf>, ignored: impl IntoIterator<Item = PathBuf>) -> Self {
        let ignored = ignored.into_iter().filter_map(|path| path::absolute(path).ok()).collect();
        let mut tree = WorkTree { root, ignored, hasher: RandomState::new(), last: None };
        tree.last = tree.hash_files();
        tree
    }

    /// Returns whether nothing changed since the last call, or since the start.
    pub(crate) fn is_unchanged(&mut self) -> bool {
        let now = self.hash_files();
        let before = std::mem::replace(&mut self.last, now);
        before.is_some() && before == now
    }

    /// Returns one hash of all files that does not depend on their order.
    fn hash_files(&self) -> Option<u64> {
        let mut folders = vec![self.root.clone()?];
        let (mut sum, mut count) = (0_u64, 0);
        while let Some(folder) = folders.pop() {
            let in_version_control = folder.file_name().is_some_and(|name| name == VERSION_CONTROL);
            for entry in fs::read_dir(folder).ok()? {
                count += 1;
                let entry = entry.ok().filter(|_| count <= MAX_FILES)?;
                let path = entry.path();
                if self.ignored.contains(&path) {
                    continue;
                }
                let metadata = match entry.metadata() {
                    // It was deleted in the meantime.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    metadata => metadata.ok()?,
                };
                if !metadata.is_dir() {
                    let changed = metadata.modified().ok()?;
                    sum = sum.wrapping_add(self.hasher.hash_one((path, metadata.len(), changed)));
                } else if !in_version_control {
                    folders.push(path);
                }
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn only_changes_of_the_agents_files_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["src", "logs", ".git", ".git/objects"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("src/a"), "one").unwrap();
        let mut tree = WorkTree::new(Some(folder.path().to_owned()), [at("logs"), at("pad.md")]);
        assert!(tree.is_unchanged() && tree.is_unchanged());
        let changes: [(&str, &dyn Fn()); 5] = [
            ("a new file", &|| fs::write(at("src/b"), "").unwrap()),
            ("other contents", &|| fs::write(at("src/a"), "other").unwrap()),
            ("same length, later time", &|| {
                let later = SystemTime::now() + Duration::from_secs(5);
                fs::File::options().write(true).open(at("src/a")).unwrap().set_modified(later).unwrap();
            }),
            ("a deleted file", &|| fs::remove_file(at("src/b")).unwrap()),
            ("a commit", &|| fs::write(at(".git/HEAD"), "x").unwrap()),
        ];
        for (what, change) in changes {
            change();
            assert!(!tree.is_unchanged(), "{what}");
            assert!(tree.is_unchanged(), "{what}");
        }
        for name in ["logs/1", "pad.md", ".git/objects/x"] {
            fs::write(at(name), "x").unwrap();
            assert!(tree.is_unchanged(), "{name}");
        }
    }

    #[test]
    fn an_unreadable_folder_counts_as_changed() {
        let mut none = WorkTree::new(Some("/nowhere at all".into()), []);
        assert!(!none.is_unchanged() && !none.is_unchanged());
        let mut unknown = WorkTree::new(None, []);
        assert!(!unknown.is_unchanged());
    }
}
