//! Merges files of the cache, and drops the entries that were not used for long.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use foldhash::fast::RandomState;
use loopbreak_store::open_own_file;

use super::cache_segment::{CacheSegment, SegmentRefusal};
use super::segment_writer::{EXTENSION, SegmentWriter, UNFINISHED, since_epoch};

/// Bounds of the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheBounds {
    /// Maximum size of all files in bytes. Beyond it, the entries that were used longest ago are dropped until three quarters
    /// are left.
    pub(super) bytes: u64,
    /// An entry is dropped if it was not used for this long.
    pub(super) age: Duration,
    /// Maximum number of files. Beyond it, the smallest become one.
    pub(super) files: usize,
}

/// An unfinished file of this age was left behind by a process that was killed.
const ABANDONED: Duration = Duration::from_hours(24);
/// Only one process merges at a time. The lock ends with the process.
const LOCK: &str = "lock";

/// Lists the files of the cache by name, which is by time.
pub(super) fn list_segments(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION)).collect();
    files.sort_unstable();
    Ok(files)
}

/// Brings the cache back within its bounds, and removes damaged files. Does nothing if another process does it.
pub(super) fn merge_segments(folder: &Path, bounds: &CacheBounds, now: Duration) -> io::Result<()> {
    let options = &mut OpenOptions::new();
    let lock = open_own_file(&folder.join(LOCK), options.write(true).create(true).truncate(false))?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    remove_unfinished(folder, now)?;
    let oldest = now.saturating_sub(bounds.age);
    let mut segments = Vec::new();
    for path in list_segments(folder)? {
        let is_of_use = match CacheSegment::open(&path) {
            Ok(segment) => {
                let is_of_use = (0..segment.entries.len()).any(|number| segment.used(number) >= oldest);
                segments.extend(Some(segment).filter(|_| is_of_use));
                is_of_use
            }
            Err(SegmentRefusal::Damaged) => false,
            // The time of its last change is that of its last use.
            Err(SegmentRefusal::Newer | SegmentRefusal::Unreadable) => modified(&path) >= oldest,
        };
        if !is_of_use {
            let _ = fs::remove_file(&path);
        }
    }
    let is_too_large = segments.iter().map(|segment| segment.size).sum::<u64>() > bounds.bytes;
    if !is_too_large {
        if segments.len() <= bounds.files {
            return Ok(());
        }
        // The largest stay as they are: copying them each time would cost more than it brings.
        segments.sort_by_key(|segment| std::cmp::Reverse(segment.size));
        segments.drain(..bounds.files / 2);
    }
    let room = if is_too_large { bounds.bytes / 4 * 3 } else { bounds.bytes };
    write_merged(folder, &segments, room, oldest, now)?;
    for segment in segments {
        // Another process may still read it; then the system keeps its content until that process ends.
        let _ = fs::remove_file(&segment.path);
    }
    Ok(())
}

/// Removes the files of processes that were killed.
fn remove_unfinished(folder: &Path, now: Duration) -> io::Result<()> {
    for path in fs::read_dir(folder)?.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(UNFINISHED) && modified(&path) + ABANDONED < now {
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}

/// Returns the time of the last change of a file.
fn modified(path: &Path) -> Duration {
    let modified = fs::metadata(path).and_then(|about| about.modified());
    since_epoch(modified.unwrap_or(SystemTime::UNIX_EPOCH))
}

/// Writes the entries of these files into one, those that were used last first, as far as there is room.
fn write_merged(
    folder: &Path,
    segments: &[CacheSegment],
    room: u64,
    oldest: Duration,
    now: Duration,
) -> io::Result<()> {
    let mut last: HashMap<u128, (Duration, usize, usize), RandomState> = HashMap::default();
    for (segment, from) in segments.iter().enumerate() {
        for (number, entry) in from.entries.iter().enumerate() {
            let used = from.used(number);
            let known = last.entry(entry.key).or_insert((used, segment, number));
            // Of one log, only the result that was used last is kept.
            if used >= known.0 {
                *known = (used, segment, number);
            }
        }
    }
    let mut kept: Vec<(Duration, usize, usize)> =
        last.into_values().filter(|(used, ..)| *used >= oldest).collect();
    kept.sort_unstable_by(|one, other| other.cmp(one));
    let mut writer = SegmentWriter::create(folder)?;
    for (used, segment, number) in kept {
        let from = &segments[segment];
        let entry = from.entries[number];
        if writer.size() + entry.length > room {
            break;
        }
        // A damaged entry is left out.
        if let Ok(content) = from.read(number) {
            writer.add_unchecked(entry, &content, used)?;
        }
    }
    writer.finish(folder, now)
}
