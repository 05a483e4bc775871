//! The files that an agent works on: whether they are as they were.
//!
//! They are told by name, length and time of change, and none is read. Where it cannot be known, they changed: who works is
//! never taken for idle.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher as _;
use std::io;
use std::path::{self, PathBuf};

/// In a folder with more files and folders below it than this, nothing is known.
const MOST: usize = 50_000;
/// Of the folder of the version control only the files on top are looked at, which every commit changes.
const HISTORY: &str = ".git";

/// The files below the folder in which the agent runs.
#[derive(Debug)]
pub(crate) struct WorkTree {
    /// Nowhere if that folder is gone.
    root: Option<PathBuf>,
    /// What this program writes itself is nobody's work.
    ours: Vec<PathBuf>,
    hasher: RandomState,
    last: Option<u64>,
}

impl WorkTree {
    /// As it is now. `ours` are files and folders that do not count.
    pub(crate) fn new(root: Option<PathBuf>, ours: impl IntoIterator<Item = PathBuf>) -> Self {
        let ours = ours.into_iter().filter_map(|path| path::absolute(path).ok()).collect();
        let mut tree = WorkTree { root, ours, hasher: RandomState::new(), last: None };
        tree.last = tree.sum();
        tree
    }

    /// Whether all is as it was when this was asked for the last time, or at the beginning.
    pub(crate) fn rests(&mut self) -> bool {
        let now = self.sum();
        let before = std::mem::replace(&mut self.last, now);
        before.is_some() && before == now
    }

    /// One number for all files, whatever their order.
    fn sum(&self) -> Option<u64> {
        let mut folders = vec![self.root.clone()?];
        let (mut sum, mut count) = (0_u64, 0);
        while let Some(folder) = folders.pop() {
            let in_history = folder.file_name().is_some_and(|name| name == HISTORY);
            for entry in fs::read_dir(folder).ok()? {
                count += 1;
                let entry = entry.ok().filter(|_| count <= MOST)?;
                let path = entry.path();
                if self.ours.contains(&path) {
                    continue;
                }
                let about = match entry.metadata() {
                    // It is gone meanwhile.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    about => about.ok()?,
                };
                if !about.is_dir() {
                    let changed = about.modified().ok()?;
                    sum = sum.wrapping_add(self.hasher.hash_one((path, about.len(), changed)));
                } else if !in_history {
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
    fn every_change_of_a_file_is_seen_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["src", "logs", ".git", ".git/objects"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("src/a"), "one").unwrap();
        let mut tree = WorkTree::new(Some(folder.path().to_owned()), [at("logs"), at("pad.md")]);
        assert!(tree.rests() && tree.rests());
        let changes: [(&str, &dyn Fn()); 5] = [
            ("a new file", &|| fs::write(at("src/b"), "").unwrap()),
            ("other contents", &|| fs::write(at("src/a"), "other").unwrap()),
            ("as long as before", &|| {
                let later = SystemTime::now() + Duration::from_secs(5);
                fs::File::options().write(true).open(at("src/a")).unwrap().set_modified(later).unwrap();
            }),
            ("a file that is gone", &|| fs::remove_file(at("src/b")).unwrap()),
            ("a commit", &|| fs::write(at(".git/HEAD"), "x").unwrap()),
        ];
        for (what, change) in changes {
            change();
            assert!(!tree.rests(), "{what}");
            assert!(tree.rests(), "{what}");
        }
        for name in ["logs/1", "pad.md", ".git/objects/x"] {
            fs::write(at(name), "x").unwrap();
            assert!(tree.rests(), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_looked_at_does_not_rest() {
        let mut none = WorkTree::new(Some("/nowhere at all".into()), []);
        assert!(!none.rests() && !none.rests());
        let mut unknown = WorkTree::new(None, []);
        assert!(!unknown.rests());
    }
}
