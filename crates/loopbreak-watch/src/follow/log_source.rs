//! One path with a log, or where a log may appear.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopbreak_trace::{LONGEST_LINE, LogFormat, PROBE_BYTES, ProbeResult, probe};

use super::file_tail::{FileStamp, FileTail, identity};
use super::followed_log::{FollowedLog, StepOrigin};
use super::watch_observer::{ObserverSink, WatchObserver};

/// A file that did not change for this long is not half written.
const SETTLED: Duration = Duration::from_secs(1);

/// A path that is followed.
pub(crate) struct LogSource {
    pub(crate) tail: FileTail,
    pub(crate) state: SourceState,
    /// True if the user named it: then a file that is not a log is a mistake.
    pub(crate) named: bool,
    pub(crate) origin: StepOrigin,
    /// Content up to this offset is not reported.
    pub(crate) quiet_until: u64,
    /// True if it existed when the watch began, so its content cannot be a copy.
    pub(crate) first: bool,
    /// True if it was not read because nothing was written recently. It is read when it grows.
    pub(crate) is_dormant: bool,
    /// True if it was written to since it was read.
    pub(crate) grown: bool,
    pub(crate) changed: Instant,
    /// The size at the last probe without a result, and whether the file was settled then.
    probed: Option<(u64, bool)>,
    pub(crate) last_error: Option<String>,
}

/// The kind of content at a path.
#[derive(Debug)]
pub(crate) enum SourceState {
    /// Nothing, or too little to decide.
    Undecided,
    /// Not a log.
    NotALog,
    /// Content that was read under another name.
    AlreadyRead,
    /// A log of lines: its index, and the number of this file in it.
    Lines { log: usize, file: usize },
    /// A document that is rewritten while its run continues: its state when read last, and whether it was complete.
    Document { read: Option<FileStamp>, whole: bool },
    /// One record of a folder with one record per file.
    Record,
}

impl LogSource {
    pub(crate) fn new(path: PathBuf, origin: StepOrigin, named: bool) -> Self {
        LogSource {
            tail: FileTail::new(path),
            state: SourceState::Undecided,
            named,
            origin,
            quiet_until: 0,
            first: false,
            is_dormant: false,
            grown: true,
            changed: Instant::now(),
            probed: None,
            last_error: None,
        }
    }

    /// Returns whether it is, or may become, a log.
    pub(crate) fn is_log(&self) -> bool {
        self.is_dormant
            || !matches!(self.state, SourceState::Undecided | SourceState::NotALog | SourceState::AlreadyRead)
    }

    /// Starts another log at the same path. Returns the previous tail and state.
    pub(crate) fn restart(&mut self, generation: u32) -> (FileTail, SourceState) {
        let path = self.tail.path.clone();
        self.origin.generation = generation;
        (self.quiet_until, self.is_dormant, self.grown, self.first) = (0, false, true, false);
        (self.changed, self.probed) = (Instant::now(), None);
        (
            std::mem::replace(&mut self.tail, FileTail::new(path)),
            std::mem::replace(&mut self.state, SourceState::Undecided),
        )
    }

    /// Makes it dormant until it grows. Then it is read from its beginning, to restore the state of its runs.
    pub(crate) fn make_dormant(&mut self) {
        let read = self.tail.offset();
        let (old, _) = self.restart(self.origin.generation);
        if let Some(stamp) = old.stamp() {
            self.tail.continue_in(old.path, stamp);
        }
        (self.quiet_until, self.is_dormant) = (read, true);
    }

    /// Reads the beginning of the file. Returns `None` if another file has its path now.
    fn head(&self, wanted: usize) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(&self.tail.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if Some(identity(&file.metadata()?)) != self.tail.identity() {
            return Ok(None);
        }
        let mut head = Vec::new();
        file.take(wanted as u64).read_to_end(&mut head)?;
        Ok(Some(head))
    }

    /// Forgets the last probe.
    pub(crate) fn reset_probe(&mut self) {
        self.probed = None;
    }

    /// Allows this path to be followed: its content is no longer followed from another path.
    pub(crate) fn reclaim(&mut self) {
        if matches!(self.state, SourceState::AlreadyRead) {
            self.state = SourceState::Undecided;
            self.reset_probe();
        }
    }

    /// Probes its beginning, if that can show more than the last probe.
    pub(crate) fn probe_head(&mut self, only: Option<LogFormat>, is_final: bool) -> io::Result<ProbeResult> {
        let size = self.tail.size();
        if self.is_dormant && size <= self.quiet_until {
            return Ok(ProbeResult::NotYet);
        }
        self.is_dormant = false;
        let old = self.tail.stamp().and_then(|stamp| stamp.age()).is_some_and(|age| age >= SETTLED);
        let settled = is_final || old || self.changed.elapsed() >= SETTLED;
        if size == 0 || self.probed == Some((size, settled)) {
            return Ok(ProbeResult::NotYet);
        }
        self.probed = Some((size, settled));
        let mut wanted = PROBE_BYTES;
        loop {
            // It is probed again if it cannot be read now.
            let head = self.head(wanted).inspect_err(|_| self.probed = None)?;
            let Some(head) = head else { return Ok(ProbeResult::NotYet) };
            let is_all = (head.len() as u64) >= size;
            match probe(&head, settled && is_all, only) {
                // The first line is longer than the probe.
                ProbeResult::NotYet if !is_all && wanted < LONGEST_LINE && !head.contains(&b'\n') => {
                    wanted = (wanted * 4).min(LONGEST_LINE);
                }
                probed => return Ok(probed),
            }
        }
    }
}

/// Returns the stamp of the file at a path, if there is one.
pub(crate) fn stamp(path: &Path) -> io::Result<Option<FileStamp>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(FileStamp::new(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Passes new bytes of a file to its reader. Content from before the watch is not reported.
pub(crate) fn feed(
    log: &mut FollowedLog,
    file: usize,
    tail: &FileTail,
    quiet_until: u64,
    bytes: &[u8],
    observer: &mut dyn WatchObserver,
) {
    let start = tail.offset() - bytes.len() as u64;
    let old = quiet_until.clamp(start, tail.offset()) - start;
    let (old, new) = bytes.split_at(line_end(bytes, old as usize));
    log.is_live |= tail.offset() > quiet_until;
    let FollowedLog { follower, origin, .. } = log;
    follower.push(
        file,
        old,
        &mut ObserverSink { origin, path: &tail.path, is_live: false, observer: &mut *observer },
    );
    follower.push(
        file,
        new,
        &mut ObserverSink { origin, path: &tail.path, is_live: true, observer: &mut *observer },
    );
    observer.trim_memory();
}

/// Returns the end of the last complete line within these bytes: a line that was incomplete is new.
fn line_end(bytes: &[u8], within: usize) -> usize {
    bytes[..within].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}
