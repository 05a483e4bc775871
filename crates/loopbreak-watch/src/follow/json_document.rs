//! JSON documents that hold a whole run and are rewritten while it continues. They are read as a whole each time; nothing
//! is reported twice.

use std::fs;
use std::io;
use std::time::Duration;

use loopbreak_trace::{FileShape, LARGEST_DOCUMENT, LogFollower, ProbeResult, is_complete_document, probe};

use super::file_tail::FileTail;
use super::followed_files::FollowedFiles;
use super::log_source::{SourceState, stamp};
use super::watch_observer::{ObserverSink, WatchObserver};

/// A file that was written this recently may change again without a new modification time.
const SETTLED: Duration = Duration::from_millis(100);

impl FollowedFiles {
    /// Reads a document if it was rewritten and is complete.
    pub(crate) fn read_document(
        &mut self,
        index: usize,
        is_final: bool,
        observer: &mut dyn WatchObserver,
    ) -> io::Result<bool> {
        let source = &mut self.sources[index];
        let SourceState::Document { read, whole } = source.state else { return Ok(false) };
        let Some(now) = stamp(&source.tail.path)? else { return Ok(false) };
        if read == Some(now) && (whole || !is_final) {
            return Ok(false);
        }
        if now.size > LARGEST_DOCUMENT {
            let largest = LARGEST_DOCUMENT / (1024 * 1024);
            return Err(io::Error::other(format!("one JSON document of more than {largest} MB")));
        }
        let text = fs::read(&source.tail.path)?;
        let whole = is_complete_document(&text);
        let is_first = read.is_none();
        let is_settled = now.age().is_none_or(|age| age >= SETTLED);
        source.state = SourceState::Document { read: Some(now).filter(|_| is_settled || !whole), whole };
        let source_id = source.origin.source_id;
        match probe(&text, whole || is_final, self.format) {
            ProbeResult::Log { format, shape: FileShape::Lines, owner } => {
                // More lines were added, or it was an incomplete line.
                source.tail = FileTail::new(source.tail.path.clone());
                source.tail.check()?;
                source.grown = true;
                self.start_log(index, format, owner.as_ref());
                observer.reread_started(source_id);
                let read = self.read_lines(index, observer);
                observer.reread_finished(source_id);
                read
            }
            ProbeResult::Log { format, shape: FileShape::Document, .. } if whole || is_final => {
                observer.reread_started(source_id);
                // What was there when the watch began, and did not change, is not reported.
                let is_live = !(is_first && source.quiet_until > 0 && now.size <= source.quiet_until);
                let mut follower = LogFollower::new(format);
                let origin = &source.origin;
                let mut sink = ObserverSink { origin, path: &source.tail.path, is_live, observer };
                follower.push_document(&text, &mut sink);
                if is_final {
                    follower.finish(&mut sink);
                }
                observer.reread_finished(source_id);
                Ok(read != Some(now))
            }
            _ => Ok(false),
        }
    }
}
