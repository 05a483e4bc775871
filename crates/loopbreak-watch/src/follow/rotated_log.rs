//! A log that was rotated: renamed, or copied and truncated. Its writer may still append to it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::file_tail::{CopyMatch, FileChange, FileStamp, FileTail, TailRead};
use super::followed_log::FollowedLog;
use super::log_source::feed;
use super::new_file_classifier::is_rotated_name;
use super::watch_observer::WatchObserver;

/// The time to wait for the copy of a truncated log.
const COPY_TIMEOUT: Duration = Duration::from_secs(10);
/// After this long without new content the log has ended: its last line needs no line break.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// A rotated log that is read to its end.
pub(crate) struct RotatedLog {
    pub(crate) tail: FileTail,
    /// The path before the rotation: the names of copies begin with it.
    pub(crate) original: PathBuf,
    pub(crate) log: usize,
    pub(crate) file: usize,
    quiet_until: u64,
    /// The time until which its copy is waited for.
    copy_deadline: Option<Instant>,
    last_read: Instant,
    has_ended: bool,
}

/// The state of a rotated log after a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RotationState {
    Open,
    /// Nothing more is expected.
    Finished,
}

impl RotatedLog {
    /// Creates a log that was renamed.
    pub(crate) fn renamed(mut tail: FileTail, log: usize, file: usize, quiet_until: u64) -> Self {
        let original = tail.path.clone();
        if !tail.is_open() {
            tail.find();
        }
        RotatedLog {
            tail,
            original,
            log,
            file,
            quiet_until,
            copy_deadline: None,
            last_read: Instant::now(),
            has_ended: false,
        }
    }

    /// Creates a log that was truncated. It continues in its copy, if there is one.
    pub(crate) fn truncated(mut tail: FileTail, log: usize, file: usize, quiet_until: u64) -> Self {
        tail.close();
        let (original, now) = (tail.path.clone(), Instant::now());
        RotatedLog {
            tail,
            original,
            log,
            file,
            quiet_until,
            copy_deadline: Some(now + COPY_TIMEOUT),
            last_read: now,
            has_ended: false,
        }
    }

    pub(crate) fn waits_for_copy(&self) -> bool {
        self.copy_deadline.is_some()
    }

    /// Looks for the copy: a file in the same folder with a rotated name that begins with everything read so
    /// far.
    fn find_copy(&mut self) {
        let Some(folder) = self.original.parent() else { return };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.filter_map(Result::ok) {
            // The folder may have another spelling than in the path that the user gave.
            let path = self.original.with_file_name(entry.file_name());
            if is_rotated_name(&path, &self.original)
                && path.is_file()
                && let Ok(mut file) = File::open(&path)
                && let Ok(metadata) = file.metadata()
                && self.tail.match_copy(&mut file).is_ok_and(|copy_match| copy_match == CopyMatch::Complete)
            {
                self.tail.continue_in(path, FileStamp::new(&metadata));
                (self.copy_deadline, self.last_read) = (None, Instant::now());
                return;
            }
        }
    }

    /// Reads what was appended. Returns whether there was anything, and whether to read further.
    pub(crate) fn follow(
        &mut self,
        log: &mut FollowedLog,
        is_final_read: bool,
        observer: &mut dyn WatchObserver,
    ) -> io::Result<(bool, RotationState)> {
        let mut any = false;
        // A log that turns out to be truncated continues in its copy.
        for _ in 0..2 {
            if let Some(until) = self.copy_deadline {
                self.find_copy();
                if self.waits_for_copy() {
                    let waits = !is_final_read && Instant::now() < until;
                    return Ok((any, if waits { RotationState::Open } else { RotationState::Finished }));
                }
            }
            match self.read(log, &mut any, observer)? {
                RotatedRead::UpToDate => break,
                RotatedRead::Lost => return Ok((any, RotationState::Finished)),
                RotatedRead::Truncated => {
                    self.tail.close();
                    self.copy_deadline = Some(Instant::now() + COPY_TIMEOUT);
                }
            }
        }
        if any {
            (self.last_read, self.has_ended) = (Instant::now(), false);
        }
        if is_final_read {
            return Ok((any, RotationState::Finished));
        }
        if !self.has_ended && self.last_read.elapsed() >= IDLE_TIMEOUT {
            log.finish_file(self.file, &self.tail.path, observer);
            self.tail.close();
            self.has_ended = true;
            // There is a new log under its name now.
            if self.tail.check()? == FileChange::Gone && !self.tail.find() {
                return Ok((any, RotationState::Finished));
            }
        }
        Ok((any, RotationState::Open))
    }

    fn read(
        &mut self,
        log: &mut FollowedLog,
        any: &mut bool,
        observer: &mut dyn WatchObserver,
    ) -> io::Result<RotatedRead> {
        if !self.tail.is_open() {
            // The metadata says whether there is anything to read.
            match self.tail.check()? {
                FileChange::Truncated => return Ok(RotatedRead::Truncated),
                FileChange::Gone if !self.tail.find() => return Ok(RotatedRead::Lost),
                _ if self.tail.offset() == self.tail.size() => return Ok(RotatedRead::UpToDate),
                _ => {}
            }
        }
        loop {
            match self.tail.read_next()? {
                TailRead::Bytes(bytes) => {
                    feed(log, self.file, &self.tail, self.quiet_until, &bytes, observer);
                    *any = true;
                }
                TailRead::Nothing => return Ok(RotatedRead::UpToDate),
                TailRead::Rewritten => return Ok(RotatedRead::Truncated),
            }
        }
    }
}

/// The result of reading a rotated log.
enum RotatedRead {
    UpToDate,
    Truncated,
    Lost,
}
