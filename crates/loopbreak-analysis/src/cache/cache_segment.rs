//! Reads one file of the cache.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use loopbreak_store::open_own_file;

use super::segment_index::{self, ENTRY, HEAD, IndexEntry, IndexPlace, STAMP, TAIL};

/// A use is stored if the last one was this long before, so that most analyses write nothing.
const STAMP_STEP: Duration = Duration::from_hours(1);

/// One file of the cache.
#[derive(Debug)]
pub(super) struct CacheSegment {
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) entries: Vec<IndexEntry>,
    /// Time of the last use of each entry, in seconds since 1970.
    stamps: Vec<AtomicU64>,
    /// The position of the times in the file.
    stamps_start: u64,
    file: Mutex<File>,
}

/// The reason why a file of the cache is not read.
#[derive(Debug)]
pub(super) enum SegmentRefusal {
    /// A newer version of the program wrote it.
    Newer,
    /// It is damaged, or not a file of the cache.
    Damaged,
    /// It is missing, belongs to another user, or cannot be read.
    Unreadable,
}

impl CacheSegment {
    /// Opens a file and reads its index.
    pub(super) fn open(path: &Path) -> Result<Self, SegmentRefusal> {
        let unreadable = |_: io::Error| SegmentRefusal::Unreadable;
        let mut file = open_own_file(path, OpenOptions::new().read(true).write(true)).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        let mut read = |start: u64, length: usize| {
            let mut bytes = vec![0; length];
            file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes)).map(|()| bytes)
        };
        if size < (HEAD + TAIL) as u64 {
            return Err(SegmentRefusal::Damaged);
        }
        let head = read(0, HEAD).map_err(unreadable)?;
        match segment_index::version(&head) {
            Some(segment_index::VERSION) => {}
            Some(newer) if newer > segment_index::VERSION => return Err(SegmentRefusal::Newer),
            _ => return Err(SegmentRefusal::Damaged),
        }
        let tail = read(size - TAIL as u64, TAIL).map_err(unreadable)?;
        let place = IndexPlace::from_tail(&tail, size).ok_or(SegmentRefusal::Damaged)?;
        let index = read(place.start, place.entries * ENTRY).map_err(unreadable)?;
        let entries = place.entries(&index).ok_or(SegmentRefusal::Damaged)?;
        let stamps_start = place.start + index.len() as u64;
        let stamps = read(stamps_start, place.entries * STAMP).map_err(unreadable)?;
        let (stamps, _) = stamps.as_chunks::<STAMP>();
        let stamps = stamps.iter().map(|stamp| AtomicU64::new(u64::from_le_bytes(*stamp))).collect();
        Ok(CacheSegment {
            path: path.to_owned(),
            size,
            entries,
            stamps,
            stamps_start,
            file: Mutex::new(file),
        })
    }

    /// Reads the content of an entry. An error means that it is damaged.
    pub(super) fn read(&self, number: usize) -> io::Result<Vec<u8>> {
        let entry = self.entries.get(number).ok_or_else(segment_index::damaged)?;
        let length = usize::try_from(entry.length).map_err(io::Error::other)?;
        let mut content = vec![0; length];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(entry.offset))?;
            file.read_exact(&mut content)?;
        }
        if IndexEntry::checksum_of(entry.key, entry.identity, &content) == entry.checksum {
            Ok(content)
        } else {
            Err(segment_index::damaged())
        }
    }

    /// Returns the time of the last use of an entry.
    pub(super) fn used(&self, number: usize) -> Duration {
        Duration::from_secs(self.stamps.get(number).map_or(0, |stamp| stamp.load(Ordering::Relaxed)))
    }

    /// Notes that an entry is used.
    pub(super) fn note_use(&self, number: usize, now: Duration) {
        if let Some(stamp) = self.stamps.get(number) {
            stamp.store(now.as_secs(), Ordering::Relaxed);
        }
    }

    /// Stores the times of use.
    pub(super) fn write_uses(&self) -> io::Result<()> {
        let stamps: Vec<u8> =
            self.stamps.iter().flat_map(|stamp| stamp.load(Ordering::Relaxed).to_le_bytes()).collect();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.stamps_start))?;
        file.write_all(&stamps)
    }
}

/// Returns whether a use is worth storing.
pub(super) fn is_worth_storing(before: Duration, now: Duration) -> bool {
    before.saturating_add(STAMP_STEP) <= now || now.saturating_add(STAMP_STEP) <= before
}
