//! The cache of an analysis.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use foldhash::fast::RandomState;
use loopbreak_store::{StoreError, create_parent_folder};
use loopbreak_trace::LogInput;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::cache_segment::{CacheSegment, SegmentRefusal, is_worth_storing};
use super::merge_segments::{CacheBounds, list_segments, merge_segments};
use super::segment_writer::since_epoch;
use super::{LogIdentity, ResultKey, SegmentWriter};

/// Name of the folder of the cache, beside the store.
const FOLDER: &str = "analyses";
/// The bounds: the page of a session takes about ten times as much as its figures.
const BOUNDS: CacheBounds = CacheBounds { bytes: 256 << 20, age: Duration::from_hours(24 * 60), files: 8 };
/// Maximum size of one entry in bytes.
const LARGEST_ENTRY: usize = 32 << 20;

/// Results of logs that were analyzed before, in a few files of a folder that only the user can read. Several processes may
/// use it at the same time.
pub struct LogCache {
    folder: PathBuf,
    bounds: CacheBounds,
    opened: SystemTime,
    segments: Vec<CacheSegment>,
    /// The file and the number of each entry.
    entries: HashMap<(u128, u128), (usize, usize), RandomState>,
    /// A file is damaged, or written by a newer version.
    has_damage: AtomicBool,
    /// The time of use of an entry has to be stored.
    has_uses: AtomicBool,
    writer: Mutex<NewResults>,
    reused: AtomicU64,
}

/// The results that were not in the cache.
#[derive(Debug)]
enum NewResults {
    /// There are none yet.
    Unopened,
    Written(Box<SegmentWriter>),
    /// The file cannot be written, or is as large as it may get.
    Closed(Option<io::Error>),
}

/// The part of a result that an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CachePart {
    /// The figures of all runs.
    Runs,
    /// The recordings for a page.
    Recordings,
}

/// The names of a log in the cache, taken before the log was read.
#[derive(Debug)]
pub(crate) struct CacheTicket {
    key: u128,
    identity: LogIdentity,
}

/// The use of a cache by one analysis.
#[derive(Debug)]
pub struct CacheSummary {
    /// Number of logs whose results were in the cache.
    pub reused: u64,
    /// The reason why new results are not stored, if there is one.
    pub error: Option<io::Error>,
}

impl fmt::Debug for LogCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogCache").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl LogCache {
    /// Opens the cache in the folder of a store, and creates it if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be created or read, or belongs to another user.
    pub fn beside_store(store: &Path, now: SystemTime) -> Result<Self, StoreError> {
        let parent = store.parent().unwrap_or(Path::new("."));
        // The folder of the store is checked too: its owner could exchange the one in it.
        create_parent_folder(store)?;
        Self::open(&parent.join(FOLDER), now, BOUNDS)
    }

    pub(super) fn open(folder: &Path, now: SystemTime, bounds: CacheBounds) -> Result<Self, StoreError> {
        create_parent_folder(&folder.join("lock"))?;
        let unreadable = |error| StoreError::File { path: folder.display().to_string(), error };
        let (mut segments, mut has_damage) = (Vec::new(), false);
        for path in list_segments(folder).map_err(unreadable)? {
            match CacheSegment::open(&path) {
                Ok(segment) => segments.push(segment),
                Err(SegmentRefusal::Damaged) => has_damage = true,
                Err(SegmentRefusal::Newer | SegmentRefusal::Unreadable) => {}
            }
        }
        let mut entries = HashMap::default();
        for (segment, from) in segments.iter().enumerate() {
            let numbered = from.entries.iter().enumerate();
            entries.extend(numbered.map(|(number, entry)| ((entry.key, entry.identity), (segment, number))));
        }
        Ok(LogCache {
            folder: folder.to_owned(),
            bounds,
            opened: now,
            segments,
            entries,
            has_damage: AtomicBool::new(has_damage),
            has_uses: AtomicBool::new(false),
            writer: Mutex::new(NewResults::Unopened),
            reused: AtomicU64::new(0),
        })
    }

    /// Returns the names of a log in the cache. `None` if it is a stream or cannot be read.
    pub(crate) fn ticket(input: &LogInput, key: ResultKey) -> Option<CacheTicket> {
        Some(CacheTicket { key: key.of_log(input)?, identity: LogIdentity::read(input)? })
    }

    /// Returns a part of the result of a log.
    pub(crate) fn find(&self, ticket: &CacheTicket, part: CachePart) -> Option<Vec<u8>> {
        let key = (part.key(ticket.key), ticket.identity.hash);
        let (segment, number) = *self.entries.get(&key)?;
        let segment = self.segments.get(segment)?;
        let Ok(content) = segment.read(number) else {
            self.has_damage.store(true, Ordering::Relaxed);
            return None;
        };
        let now = since_epoch(self.opened);
        if is_worth_storing(segment.used(number), now) {
            segment.note_use(number, now);
            self.has_uses.store(true, Ordering::Relaxed);
        }
        Some(content)
    }

    /// Counts a log whose result was taken from the cache.
    pub(crate) fn note_reused(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
    }

    /// Stores the parts of the result of a log, unless the log changed while it was read.
    pub(crate) fn store(&self, ticket: &CacheTicket, input: &LogInput, parts: &[(CachePart, Vec<u8>)]) {
        let is_same = || LogIdentity::read(input).is_some_and(|identity| identity == ticket.identity);
        if parts.iter().any(|(_, content)| content.len() > LARGEST_ENTRY)
            || !ticket.identity.is_settled(self.opened)
            || !is_same()
        {
            return;
        }
        let mut writer = self.writer();
        if matches!(*writer, NewResults::Unopened) {
            *writer = match SegmentWriter::create(&self.folder) {
                Ok(file) => NewResults::Written(Box::new(file)),
                Err(error) => NewResults::Closed(Some(error)),
            };
        }
        for (part, content) in parts {
            let NewResults::Written(file) = &mut *writer else { return };
            // More would only be dropped at the end.
            if file.size() + content.len() as u64 > self.bounds.bytes / 4 * 3 {
                return;
            }
            let used = since_epoch(self.opened);
            if let Err(error) = file.add(part.key(ticket.key), ticket.identity.hash, content, used) {
                *writer = NewResults::Closed(Some(error));
            }
        }
    }

    /// Completes the new results, stores which entries were used, and keeps the cache within its bounds.
    pub fn finish(&self) -> CacheSummary {
        let now = since_epoch(self.opened);
        let written = match std::mem::replace(&mut *self.writer(), NewResults::Closed(None)) {
            NewResults::Unopened => Ok(false),
            NewResults::Written(file) => file.finish(&self.folder, now).map(|()| true),
            NewResults::Closed(error) => error.map_or(Ok(false), Err),
        };
        let uses = if self.has_uses.load(Ordering::Relaxed) {
            self.segments.iter().try_for_each(CacheSegment::write_uses)
        } else {
            Ok(())
        };
        let is_due =
            written.as_ref().is_ok_and(|written| *written) || self.has_damage.load(Ordering::Relaxed);
        let merged = if is_due { merge_segments(&self.folder, &self.bounds, now) } else { Ok(()) };
        let error = written.map(drop).and(uses).and(merged).err();
        CacheSummary { reused: self.reused.load(Ordering::Relaxed), error }
    }

    fn writer(&self) -> MutexGuard<'_, NewResults> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachePart {
    fn key(self, log: u128) -> u128 {
        let part = match self {
            CachePart::Runs => 0,
            CachePart::Recordings => 1,
        };
        xxh3_128_with_seed(&log.to_le_bytes(), part)
    }
}
