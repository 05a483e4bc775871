//! What is left of a log whose place was taken: it was renamed, or copied and emptied. Its writer may not have noticed yet.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::log::{Audience, Log};
use super::newcomers::is_named_after;
use super::source::feed;
use super::tail::{Likeness, News, Next, Stamp, Tail};

/// How long the copy of a log that was emptied is waited for.
const COPY: Duration = Duration::from_secs(10);
/// When nothing was written for so long, the log is over: its last line needs no end.
const OVER: Duration = Duration::from_secs(30);

/// A log that is read to its end.
pub(super) struct Rest {
    pub(super) tail: Tail,
    /// Where it was while it was written: copies are named after that.
    pub(super) original: PathBuf,
    pub(super) log: usize,
    pub(super) file: usize,
    quiet_until: u64,
    /// Until when it waits for its copy.
    copy: Option<Instant>,
    heard: Instant,
    over: bool,
}

/// What is to be done with it further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Further {
    Follow,
    /// It will not be written to any more.
    Drop,
}

impl Rest {
    /// The rest of a log that was renamed.
    pub(super) fn renamed(mut tail: Tail, log: usize, file: usize, quiet_until: u64) -> Self {
        let original = tail.path.clone();
        if !tail.is_open() {
            tail.find();
        }
        Rest { tail, original, log, file, quiet_until, copy: None, heard: Instant::now(), over: false }
    }

    /// The rest of a log that was emptied: in its copy, if there is one.
    pub(super) fn emptied(mut tail: Tail, log: usize, file: usize, quiet_until: u64) -> Self {
        tail.rest();
        let (original, now) = (tail.path.clone(), Instant::now());
        Rest { tail, original, log, file, quiet_until, copy: Some(now + COPY), heard: now, over: false }
    }

    pub(super) fn waits_for_copy(&self) -> bool {
        self.copy.is_some()
    }

    /// Looks for the copy: a file beside it, named after it, that begins with all that was read.
    fn find_copy(&mut self) {
        let Some(folder) = self.original.parent() else { return };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.filter_map(Result::ok) {
            // The folder may be spelt in another way than in the path that was named.
            let path = self.original.with_file_name(entry.file_name());
            if is_named_after(&path, &self.original)
                && path.is_file()
                && let Ok(mut file) = File::open(&path)
                && let Ok(about) = file.metadata()
                && self.tail.likeness(&mut file).is_ok_and(|likeness| likeness == Likeness::Whole)
            {
                self.tail.goes_on_in(path, Stamp::of(&about));
                (self.copy, self.heard) = (None, Instant::now());
                return;
            }
        }
    }

    /// Reads what was written since. Gives whether there was anything, and what to do further.
    pub(super) fn follow(
        &mut self,
        log: &mut Log,
        to_the_end: bool,
        audience: &mut dyn Audience,
    ) -> io::Result<(bool, Further)> {
        let mut any = false;
        // What turns out to have been emptied goes on in its copy.
        for _ in 0..2 {
            if let Some(until) = self.copy {
                self.find_copy();
                if self.waits_for_copy() {
                    let waits = !to_the_end && Instant::now() < until;
                    return Ok((any, if waits { Further::Follow } else { Further::Drop }));
                }
            }
            match self.read(log, &mut any, audience)? {
                There::All => break,
                There::Nowhere => return Ok((any, Further::Drop)),
                There::Emptied => {
                    self.tail.rest();
                    self.copy = Some(Instant::now() + COPY);
                }
            }
        }
        if any {
            (self.heard, self.over) = (Instant::now(), false);
        }
        if to_the_end {
            return Ok((any, Further::Drop));
        }
        if !self.over && self.heard.elapsed() >= OVER {
            log.file_over(self.file, &self.tail.path, audience);
            self.tail.rest();
            self.over = true;
            // Under its own name it was the new one that was found.
            if self.tail.look()? == News::Away && !self.tail.find() {
                return Ok((any, Further::Drop));
            }
        }
        Ok((any, Further::Follow))
    }

    fn read(&mut self, log: &mut Log, any: &mut bool, audience: &mut dyn Audience) -> io::Result<There> {
        if !self.tail.is_open() {
            // Its name says whether there is anything to read.
            match self.tail.look()? {
                News::Anew => return Ok(There::Emptied),
                News::Away if !self.tail.find() => return Ok(There::Nowhere),
                _ if self.tail.offset() == self.tail.size() => return Ok(There::All),
                _ => {}
            }
        }
        loop {
            match self.tail.next()? {
                Next::Bytes(bytes) => {
                    feed(log, self.file, &self.tail, self.quiet_until, &bytes, audience);
                    *any = true;
                }
                Next::Nothing => return Ok(There::All),
                Next::Anew => return Ok(There::Emptied),
            }
        }
    }
}

/// What was found.
enum There {
    All,
    Emptied,
    Nowhere,
}
