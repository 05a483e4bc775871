//! Files that come to be beside those that are followed: new logs, or what was read already under another name.
//!
//! A log is rotated by renaming it, or by copying it and emptying the original. Both leave a file behind that nobody may read
//! from its beginning once more.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::rest::Rest;
use super::source::{Source, State};
use super::tail::{Identity, Likeness, Stamp, Tail};

/// How long a copy may stand beside its original before the original is emptied.
const BESIDE: Duration = Duration::from_secs(10);
/// A copy that did not grow for so long is finished.
const STANDS_STILL: Duration = Duration::from_secs(2);
/// How much of the beginning of two files is compared.
const HEAD: u64 = 4096;
/// How many copies are remembered, and how many files that were read.
const COPIES: usize = 256;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Newcomer {
    /// A file to follow.
    New,
    /// Not to be said yet.
    NotYet,
    /// It was read before.
    Known,
}

/// What is known of files that are not followed.
#[derive(Default)]
pub(super) struct Newcomers {
    waiting: HashMap<PathBuf, Waiting>,
    copies: Vec<Stamp>,
    /// What was read of files that are not followed any more.
    read: VecDeque<Tail>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    stamp: Stamp,
    since: Instant,
    changed: Instant,
    likeness: Likeness,
}

impl Newcomers {
    /// Says what a file is that is not followed under this name yet. `which` is the file
    /// that is meant, if it is known; `sources` are the other ones.
    pub(super) fn judge<'s>(
        &mut self,
        path: &Path,
        which: Option<Identity>,
        sources: impl Iterator<Item = &'s Source> + Clone,
        rests: &[Rest],
    ) -> Newcomer {
        // Names may change hands at any time, so all is asked of one open file.
        let Ok(mut file) = File::open(path) else { return Newcomer::NotYet };
        let Ok(stamp) = file.metadata().map(|about| Stamp::of(&about)) else { return Newcomer::NotYet };
        if which.is_some_and(|which| which != stamp.identity) {
            return Newcomer::NotYet;
        }
        let mut is_same = |tail: &Tail| tail.identity() == Some(stamp.identity) && tail.is_in(&mut file);
        let mut was_read = |source: &Source| match source.state {
            State::Document { read, .. } => read == Some(stamp),
            State::Piece => source.tail.stamp() == Some(stamp),
            _ => is_same(&source.tail),
        };
        if sources.clone().any(&mut was_read)
            || rests.iter().any(|rest| is_same(&rest.tail))
            || self.read.iter().any(&mut is_same)
            || self.copies.contains(&stamp)
        {
            return Newcomer::Known;
        }
        if let Some(waiting) = self.waiting.get(path)
            && waiting.stamp == stamp
            && waiting.likeness == Likeness::Whole
        {
            return self.wait(path, stamp, Likeness::Whole);
        }
        let originals = sources.clone().map(|source| &source.tail.path);
        let unread = originals.filter(|original| is_named_after(path, original)).any(|original| {
            // What is not read yet will be read there, unless it is emptied before: then it is read here.
            File::open(original).is_ok_and(|mut original| begins_like(&mut original, &mut file))
        });
        let emptied = rests.iter().filter(|rest| rest.waits_for_copy());
        let emptied = emptied.map(|rest| (&rest.tail, &rest.original));
        let originals = emptied.chain(sources.map(|source| (&source.tail, &source.tail.path)));
        for (original, _) in originals.filter(|(_, name)| is_named_after(path, name)) {
            match original.likeness(&mut file).unwrap_or(Likeness::None) {
                Likeness::None => {}
                likeness => return self.wait(path, stamp, likeness),
            }
        }
        if unread {
            return Newcomer::NotYet;
        }
        self.waiting.remove(path);
        Newcomer::New
    }

    /// Remembers what was read of a file that is not followed any more: it may turn up under another name.
    pub(super) fn was_read(&mut self, mut tail: Tail) {
        tail.rest();
        self.read.push_back(tail);
        if self.read.len() > COPIES {
            self.read.pop_front();
        }
    }

    /// A copy, as it seems: of an original that will be emptied in a moment, or a copy for its own sake.
    fn wait(&mut self, path: &Path, stamp: Stamp, likeness: Likeness) -> Newcomer {
        let now = Instant::now();
        let waiting = self.waiting.entry(path.to_owned()).or_insert(Waiting {
            stamp,
            since: now,
            changed: now,
            likeness,
        });
        if waiting.stamp.identity != stamp.identity {
            *waiting = Waiting { stamp, since: now, changed: now, likeness };
        }
        if waiting.stamp != stamp {
            (waiting.stamp, waiting.changed) = (stamp, now);
        }
        waiting.likeness = likeness;
        let over = match likeness {
            Likeness::Whole => waiting.since.elapsed() >= BESIDE,
            _ => waiting.changed.elapsed() >= STANDS_STILL,
        };
        if !over {
            return Newcomer::NotYet;
        }
        self.waiting.remove(path);
        self.copies.push(stamp);
        let from = self.copies.len().saturating_sub(COPIES);
        self.copies.drain(..from);
        Newcomer::Known
    }
}

/// Whether the beginning of a copy is that of its original.
fn begins_like(original: &mut File, copy: &mut File) -> bool {
    let head = |file: &mut File| -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        file.rewind()?;
        file.take(HEAD).read_to_end(&mut head)?;
        Ok(head)
    };
    // One that is empty may become a copy.
    matches!((head(original), head(copy)), (Ok(original), Ok(copy)) if original.starts_with(&copy))
}

/// Whether a name is that of another file with something added, as `log.jsonl.1` and `log.jsonl-20251104` are.
pub(super) fn is_named_after(path: &Path, original: &Path) -> bool {
    let (Some(name), Some(first)) = (path.file_name(), original.file_name()) else { return false };
    let added = name.as_encoded_bytes().strip_prefix(first.as_encoded_bytes());
    path.parent() == original.parent() && added.is_some_and(|added| matches!(added, [b'.' | b'-' | b'_', ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_files_are_named_after_their_log() {
        let named = |name: &str| is_named_after(Path::new(name), Path::new("logs/a.jsonl"));
        assert!(named("logs/a.jsonl.1") && named("logs/a.jsonl-20251104") && named("logs/a.jsonl_old"));
        assert!(!named("logs/a.jsonl") && !named("logs/a2.jsonl") && !named("logs/a.jsonl2"));
        assert!(!named("other/a.jsonl.1") && !named("logs/b.jsonl.1"));
    }
}
