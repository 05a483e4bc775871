//! One place where a log is, or may come to be, and what stands there now.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopbreak_trace::{LONGEST_LINE, LogFormat, PROBE_BYTES, ProbeResult, probe};

use super::log::{Audience, Given, Log, Origin};
use super::tail::{Stamp, Tail, identity};

/// What was not written to for so long is not half written.
const SETTLED: Duration = Duration::from_secs(1);

/// A place.
pub(super) struct Source {
    pub(super) tail: Tail,
    pub(super) state: State,
    /// Whether the user named it, so that it is a mistake if it is no log.
    pub(super) named: bool,
    pub(super) origin: Origin,
    /// What was written up to here is not told of.
    pub(super) quiet_until: u64,
    /// It was there when the watch began, so that it cannot be what was read already.
    pub(super) first: bool,
    /// Nothing was read yet, for nothing was written lately; it is read when it grows.
    pub(super) sleeps: bool,
    /// It was written to since it was read.
    pub(super) grown: bool,
    pub(super) changed: Instant,
    /// At which size it was looked at in vain, and whether it was settled then.
    looked: Option<(u64, bool)>,
    pub(super) complaint: Option<String>,
}

/// What stands at a place.
#[derive(Debug)]
pub(super) enum State {
    /// Nothing, or too little to say.
    NotYet,
    /// No log.
    Never,
    /// What was read already, under another name.
    Known,
    /// A log of lines: which, and which of its files.
    Lines { log: usize, file: usize },
    /// A document that is written anew as its run goes on: when it was read last, and whether it was whole.
    Document { read: Option<Stamp>, whole: bool },
    /// One record of a folder with a record a file.
    Piece,
}

impl Source {
    pub(super) fn new(path: PathBuf, origin: Origin, named: bool) -> Self {
        Source {
            tail: Tail::new(path),
            state: State::NotYet,
            named,
            origin,
            quiet_until: 0,
            first: false,
            sleeps: false,
            grown: true,
            changed: Instant::now(),
            looked: None,
            complaint: None,
        }
    }

    /// Whether it is, or may become, a log.
    pub(super) fn is_log(&self) -> bool {
        self.sleeps || !matches!(self.state, State::NotYet | State::Never | State::Known)
    }

    /// Another log begins at the same place.
    pub(super) fn begin_anew(&mut self, life: u32) -> (Tail, State) {
        let path = self.tail.path.clone();
        self.origin.life = life;
        (self.quiet_until, self.sleeps, self.grown, self.first) = (0, false, true, false);
        (self.changed, self.looked) = (Instant::now(), None);
        (
            std::mem::replace(&mut self.tail, Tail::new(path)),
            std::mem::replace(&mut self.state, State::NotYet),
        )
    }

    /// Lets it sleep until it grows, when it is read from its beginning to know where its runs stand.
    pub(super) fn sleep(&mut self) {
        let read = self.tail.offset();
        let (old, _) = self.begin_anew(self.origin.life);
        if let Some(stamp) = old.stamp() {
            self.tail.goes_on_in(old.path, stamp);
        }
        (self.quiet_until, self.sleeps) = (read, true);
    }

    /// The beginning of the file; nothing if another one stands there now.
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

    /// What was seen last time does not count.
    pub(super) fn look_again(&mut self) {
        self.looked = None;
    }

    /// What stands here was followed from another place, and is not any more.
    pub(super) fn take_over(&mut self) {
        if matches!(self.state, State::Known) {
            self.state = State::NotYet;
            self.look_again();
        }
    }

    /// Looks at its beginning, if that can show more than when it was looked at last.
    pub(super) fn recognise(&mut self, only: Option<LogFormat>, to_the_end: bool) -> io::Result<ProbeResult> {
        let size = self.tail.size();
        if self.sleeps && size <= self.quiet_until {
            return Ok(ProbeResult::NotYet);
        }
        self.sleeps = false;
        let old = self.tail.stamp().and_then(|stamp| stamp.age()).is_some_and(|age| age >= SETTLED);
        let settled = to_the_end || old || self.changed.elapsed() >= SETTLED;
        if size == 0 || self.looked == Some((size, settled)) {
            return Ok(ProbeResult::NotYet);
        }
        self.looked = Some((size, settled));
        let mut wanted = PROBE_BYTES;
        loop {
            let Some(head) = self.head(wanted)? else { return Ok(ProbeResult::NotYet) };
            let is_all = (head.len() as u64) >= size;
            match probe(&head, settled && is_all, only) {
                // The first line is longer than the look.
                ProbeResult::NotYet if !is_all && wanted < LONGEST_LINE && !head.contains(&b'\n') => {
                    wanted = (wanted * 4).min(LONGEST_LINE);
                }
                looked => return Ok(looked),
            }
        }
    }
}

/// The state of what stands at a path; nothing if there is nothing.
pub(super) fn stamp(path: &Path) -> io::Result<Option<Stamp>> {
    match fs::metadata(path) {
        Ok(about) => Ok(Some(Stamp::of(&about))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives to the reader what was just read of a file. What was there already goes by without a word.
pub(super) fn feed(
    log: &mut Log,
    file: usize,
    tail: &Tail,
    quiet_until: u64,
    bytes: &[u8],
    audience: &mut dyn Audience,
) {
    let start = tail.offset() - bytes.len() as u64;
    let old = quiet_until.clamp(start, tail.offset()) - start;
    let (old, new) = bytes.split_at(line_end(bytes, old as usize));
    log.aloud |= tail.offset() > quiet_until;
    let Log { live, origin, .. } = log;
    live.push(file, old, &mut Given { origin, path: &tail.path, aloud: false, audience: &mut *audience });
    live.push(file, new, &mut Given { origin, path: &tail.path, aloud: true, audience: &mut *audience });
    audience.tidy();
}

/// The end of the last whole line within so many bytes: a line that was half there is new.
fn line_end(bytes: &[u8], within: usize) -> usize {
    bytes[..within].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}
