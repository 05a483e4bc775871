//! Documents that hold a whole run, and are written anew as it goes on. They are read as a whole each time; what was told of
//! them is not told again.

use std::fs;
use std::io;
use std::time::Duration;

use loopbreak_trace::{FileShape, LARGEST_DOCUMENT, LogFollower, ProbeResult, is_complete_document, probe};

use super::files::Files;
use super::log::{Audience, Given};
use super::source::{State, stamp};
use super::tail::Tail;

/// A file that was written to so shortly before it was read may be written to again without its time telling.
const SURE: Duration = Duration::from_millis(100);

impl Files {
    /// Reads a document if it was written anew, and is whole.
    pub(super) fn read_document(
        &mut self,
        index: usize,
        over: bool,
        audience: &mut dyn Audience,
    ) -> io::Result<bool> {
        let source = &mut self.sources[index];
        let State::Document { read, whole } = source.state else { return Ok(false) };
        let Some(now) = stamp(&source.tail.path)? else { return Ok(false) };
        if read == Some(now) && (whole || !over) {
            return Ok(false);
        }
        if now.size > LARGEST_DOCUMENT {
            let largest = LARGEST_DOCUMENT / (1024 * 1024);
            return Err(io::Error::other(format!("one JSON document of more than {largest} MB")));
        }
        let text = fs::read(&source.tail.path)?;
        let whole = is_complete_document(&text);
        let first = read.is_none();
        let sure = now.age().is_none_or(|age| age >= SURE);
        source.state = State::Document { read: Some(now).filter(|_| sure || !whole), whole };
        let home = source.origin.home;
        match probe(&text, whole || over, self.format) {
            ProbeResult::Log { format, shape: FileShape::Lines, owner } => {
                // More lines came, or it was half a line.
                source.tail = Tail::new(source.tail.path.clone());
                source.tail.look()?;
                source.grown = true;
                self.begin(index, format, owner.as_ref());
                audience.again(home);
                let read = self.drain(index, audience);
                audience.all(home);
                read
            }
            ProbeResult::Log { format, shape: FileShape::Document, .. } if whole || over => {
                audience.again(home);
                // What was there when the watch began, and did not change, is not told.
                let aloud = !(first && source.quiet_until > 0 && now.size <= source.quiet_until);
                let mut live = LogFollower::new(format);
                let origin = &source.origin;
                let mut given = Given { origin, path: &source.tail.path, aloud, audience };
                live.push_document(&text, &mut given);
                if over {
                    live.finish(&mut given);
                }
                audience.all(home);
                Ok(read != Some(now))
            }
            _ => Ok(false),
        }
    }
}
