//! Classifies files that appear while logs are followed: new logs, or content that was read already under another name.
//!
//! A log is rotated by renaming it, or by copying it and truncating the original. Both leave a file behind that must not
//! be read from its beginning again.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::file_tail::{CopyMatch, FileIdentity, FileStamp, FileTail};
use super::log_source::{LogSource, SourceState};
use super::rotated_log::RotatedLog;

/// The longest time between the copy of a log and the truncation of the original.
const TRUNCATION_DELAY: Duration = Duration::from_secs(10);
/// A copy that did not grow for this long is complete.
const COPY_SETTLED: Duration = Duration::from_secs(2);
/// The number of bytes at the beginning of two files that are compared.
const HEAD: u64 = 4096;
/// Upper bound of remembered copies and of remembered files.
const MAX_REMEMBERED: usize = 256;

/// The kind of a file that is not followed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewFileKind {
    /// A file to follow.
    New,
    /// Cannot be decided yet.
    Undecided,
    /// Its content was read before.
    AlreadyRead,
}

/// Remembers files that are not followed, and classifies new ones.
#[derive(Default)]
pub(crate) struct NewFileClassifier {
    waiting: HashMap<PathBuf, PendingCopy>,
    copies: Vec<FileStamp>,
    /// The read parts of files that are no longer followed.
    read: VecDeque<FileTail>,
}

#[derive(Clone, Copy, Debug)]
struct PendingCopy {
    stamp: FileStamp,
    since: Instant,
    changed: Instant,
    copy_match: CopyMatch,
}

impl NewFileClassifier {
    /// Classifies a file that is not followed under this name yet. `which` identifies the file, if it is known;
    /// `sources` are the other sources.
    pub(crate) fn classify<'s>(
        &mut self,
        path: &Path,
        which: Option<FileIdentity>,
        sources: impl Iterator<Item = &'s LogSource> + Clone,
        rotated: &[RotatedLog],
    ) -> NewFileKind {
        // A rename may happen at any time, so every check uses one open file.
        let Ok(mut file) = File::open(path) else { return NewFileKind::Undecided };
        let Ok(stamp) = file.metadata().map(|metadata| FileStamp::new(&metadata)) else {
            return NewFileKind::Undecided;
        };
        if which.is_some_and(|which| which != stamp.identity) {
            return NewFileKind::Undecided;
        }
        let mut is_same = |tail: &FileTail| tail.identity() == Some(stamp.identity) && tail.is_in(&mut file);
        let mut was_read = |source: &LogSource| match source.state {
            SourceState::Document { read, .. } => read == Some(stamp),
            SourceState::Record => source.tail.stamp() == Some(stamp),
            _ => is_same(&source.tail),
        };
        if sources.clone().any(&mut was_read)
            || rotated.iter().any(|rest| is_same(&rest.tail))
            || self.read.iter().any(&mut is_same)
            || self.copies.contains(&stamp)
        {
            return NewFileKind::AlreadyRead;
        }
        if let Some(waiting) = self.waiting.get(path)
            && waiting.stamp == stamp
            && waiting.copy_match == CopyMatch::Complete
        {
            return self.wait(path, stamp, CopyMatch::Complete);
        }
        let originals = sources.clone().map(|source| &source.tail.path);
        let unread = originals.filter(|original| is_rotated_name(path, original)).any(|original| {
            // Unread content is read there, unless the original is truncated first: then it is read here.
            File::open(original).is_ok_and(|mut original| begins_like(&mut original, &mut file))
        });
        let truncated = rotated.iter().filter(|log| log.waits_for_copy());
        let truncated = truncated.map(|log| (&log.tail, &log.original));
        let originals = truncated.chain(sources.map(|source| (&source.tail, &source.tail.path)));
        for (original, _) in originals.filter(|(_, name)| is_rotated_name(path, name)) {
            match original.match_copy(&mut file).unwrap_or(CopyMatch::None) {
                CopyMatch::None => {}
                copy_match => return self.wait(path, stamp, copy_match),
            }
        }
        if unread {
            return NewFileKind::Undecided;
        }
        self.waiting.remove(path);
        NewFileKind::New
    }

    /// Remembers what was read of a file that is no longer followed: it may appear under another name.
    pub(crate) fn remember(&mut self, mut tail: FileTail) {
        tail.close();
        self.read.push_back(tail);
        if self.read.len() > MAX_REMEMBERED {
            self.read.pop_front();
        }
    }

    /// Handles a file that seems to be a copy: its original may be truncated in a moment.
    fn wait(&mut self, path: &Path, stamp: FileStamp, copy_match: CopyMatch) -> NewFileKind {
        let now = Instant::now();
        let waiting = self.waiting.entry(path.to_owned()).or_insert(PendingCopy {
            stamp,
            since: now,
            changed: now,
            copy_match,
        });
        if waiting.stamp.identity != stamp.identity {
            *waiting = PendingCopy { stamp, since: now, changed: now, copy_match };
        }
        if waiting.stamp != stamp {
            (waiting.stamp, waiting.changed) = (stamp, now);
        }
        waiting.copy_match = copy_match;
        let is_final = match copy_match {
            CopyMatch::Complete => waiting.since.elapsed() >= TRUNCATION_DELAY,
            _ => waiting.changed.elapsed() >= COPY_SETTLED,
        };
        if !is_final {
            return NewFileKind::Undecided;
        }
        self.waiting.remove(path);
        self.copies.push(stamp);
        let from = self.copies.len().saturating_sub(MAX_REMEMBERED);
        self.copies.drain(..from);
        NewFileKind::AlreadyRead
    }
}

/// Returns whether a copy begins as its original does.
fn begins_like(original: &mut File, copy: &mut File) -> bool {
    let head = |file: &mut File| -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        file.rewind()?;
        file.take(HEAD).read_to_end(&mut head)?;
        Ok(head)
    };
    // An empty file may become a copy.
    matches!((head(original), head(copy)), (Ok(original), Ok(copy)) if original.starts_with(&copy))
}

/// Returns whether a name is that of another file with a suffix, such as `log.jsonl.1` or `log.jsonl-20251104`.
pub(crate) fn is_rotated_name(path: &Path, original: &Path) -> bool {
    let (Some(name), Some(first)) = (path.file_name(), original.file_name()) else { return false };
    let added = name.as_encoded_bytes().strip_prefix(first.as_encoded_bytes());
    path.parent() == original.parent() && added.is_some_and(|added| matches!(added, [b'.' | b'-' | b'_', ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_the_names_of_rotated_files() {
        let named = |name: &str| is_rotated_name(Path::new(name), Path::new("logs/a.jsonl"));
        assert!(named("logs/a.jsonl.1") && named("logs/a.jsonl-20251104") && named("logs/a.jsonl_old"));
        assert!(!named("logs/a.jsonl") && !named("logs/a2.jsonl") && !named("logs/a.jsonl2"));
        assert!(!named("other/a.jsonl.1") && !named("logs/b.jsonl.1"));
    }
}
