//! The files that are followed: those that were named, and those that come to be in the folders that were named.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use loopbreak_trace::{Input, expand};

use super::reading::{Known, Taker};
use super::tail::{Identity, Mark, News, Tail, identity};

/// An open file that did not grow for so long is closed.
const RESTS_AFTER: Duration = Duration::from_mins(1);

/// One file.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) tail: Tail,
    known: Known,
    /// What was written up to here is not told of.
    quiet_until: u64,
    /// Nothing was read yet, for nothing was written lately; it is read when it grows.
    sleeps: bool,
    grew: Instant,
    /// The run of records that name none.
    pub(super) unnamed: String,
    complaint: Option<String>,
}

/// All files.
#[derive(Debug)]
pub(super) struct Files {
    paths: Vec<PathBuf>,
    pub(super) sources: Vec<Source>,
    /// The files that were read, and how far: one that is renamed is no new one.
    followed: HashMap<Identity, Mark>,
    by_path: HashMap<PathBuf, usize>,
    scanned: Option<(Instant, Duration)>,
}

/// Who is told what is read. Sources are told by their number.
pub(super) trait Audience {
    fn step(&mut self, source: usize, told: bool, line: u64, run: Option<&str>, step: &loopbreak::Step<'_>);
    fn skipped(&mut self, source: usize, line: u64, why: String);
    /// The source begins anew.
    fn anew(&mut self, source: usize);
    fn say(&mut self, source: usize, what: String);
    /// After each piece, so that memory stays bounded while much is read.
    fn tidy(&mut self);
}

impl Files {
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        Files {
            paths: paths.to_vec(),
            sources: Vec::new(),
            followed: HashMap::new(),
            by_path: HashMap::new(),
            scanned: None,
        }
    }

    /// Looks for files that came to be. At the beginning, what is in them is old unless `tell_all`; logs to which nothing was
    /// written for `forget` are not even read until something is.
    pub(super) fn scan(&mut self, first: bool, tell_all: bool, forget: Duration) {
        // A large folder is looked through less often, so that it never takes more than a tenth of the time.
        if self.scanned.is_some_and(|(at, took)| at.elapsed() < took * 10) {
            return;
        }
        let began = Instant::now();
        for input in expand(&self.paths).inputs {
            let Some(path) = input.path() else { continue };
            if self.by_path.contains_key(path) {
                continue;
            }
            let Ok(about) = fs::metadata(path) else { continue };
            let renamed = |mark: &Mark| mark.is_in(path).unwrap_or(false);
            if !about.is_file() || self.followed.get(&identity(&about)).is_some_and(renamed) {
                continue;
            }
            let old = first && !tell_all;
            let idle = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
            let sleeps = old && idle.is_some_and(|idle| idle > forget);
            self.add(path, &input, if old { about.len() } else { 0 }, sleeps);
        }
        if first {
            for path in self.paths.clone() {
                if !path.exists() {
                    self.add(&path, &Input::file(&path), 0, false);
                }
            }
        }
        self.scanned = Some((began, began.elapsed()));
    }

    fn add(&mut self, path: &Path, input: &Input, quiet_until: u64, sleeps: bool) {
        let source = Source {
            tail: Tail::new(path.to_owned()),
            known: Known::NotYet,
            quiet_until,
            sleeps,
            grew: Instant::now(),
            unnamed: input.run(),
            complaint: None,
        };
        self.by_path.insert(path.to_owned(), self.sources.len());
        self.sources.push(source);
    }

    /// Reads all that is new. Gives whether there was anything.
    pub(super) fn read(&mut self, to_the_end: bool, audience: &mut dyn Audience) -> bool {
        let mut any = false;
        for index in 0..self.sources.len() {
            let source = &mut self.sources[index];
            match source.follow(index, to_the_end, audience) {
                Ok(grown) => {
                    any |= grown;
                    source.complaint = None;
                }
                Err(error) => {
                    let what = format!("cannot be read: {error}");
                    if source.complaint.as_ref() != Some(&what) {
                        audience.say(index, what.clone());
                        source.complaint = Some(what);
                    }
                }
            }
            if let Some(identity) = source.tail.identity().filter(|_| source.tail.offset() > 0) {
                self.followed.insert(identity, source.tail.mark());
            }
        }
        any
    }
}

impl Source {
    fn follow(
        &mut self,
        index: usize,
        to_the_end: bool,
        audience: &mut dyn Audience,
    ) -> std::io::Result<bool> {
        let mut any = false;
        let mut news = self.tail.look()?;
        if news == News::Replaced {
            any = self.drain(index, true, audience)?;
            self.tail.rest();
            news = self.tail.look()?;
        }
        match news {
            News::Gone | News::Replaced => {
                any |= self.tail.is_open() && self.drain(index, to_the_end, audience)?;
            }
            News::Same if self.sleeps || !to_the_end => {}
            News::Same => any |= self.drain(index, to_the_end, audience)?,
            News::Anew => {
                (self.known, self.quiet_until, self.sleeps) = (Known::NotYet, 0, false);
                audience.anew(index);
                self.drain(index, to_the_end, audience)?;
                any = true;
            }
            News::Grown => {
                // The first look at a file that sleeps only tells its size.
                if self.sleeps && self.tail.size() <= self.quiet_until {
                    return Ok(false);
                }
                self.sleeps = false;
                any |= self.drain(index, to_the_end, audience)?;
            }
        }
        if any {
            self.grew = Instant::now();
        } else if self.grew.elapsed() > RESTS_AFTER {
            self.tail.rest();
        }
        Ok(any)
    }

    fn drain(
        &mut self,
        index: usize,
        to_the_end: bool,
        audience: &mut dyn Audience,
    ) -> std::io::Result<bool> {
        let mut any = false;
        while let Some(bytes) = self.tail.next(to_the_end)? {
            if matches!(self.known, Known::NotYet) {
                self.known = Known::of(&bytes);
            }
            match &mut self.known {
                // Nothing is taken, so that all is looked at again when there is more.
                Known::NotYet => return Ok(any),
                Known::NoLog => {}
                Known::Log(reader) => {
                    let start = self.tail.offset();
                    let end = start + bytes.len() as u64;
                    // A piece that is partly old is read in two.
                    let old = self.quiet_until.clamp(start, end) - start;
                    let (old, new) = bytes.split_at(line_end(&bytes, old as usize));
                    reader.feed(old, &mut Told { index, aloud: false, audience: &mut *audience });
                    reader.feed(new, &mut Told { index, aloud: true, audience: &mut *audience });
                }
            }
            self.tail.take(&bytes);
            any = true;
            audience.tidy();
        }
        if to_the_end && let Known::Log(reader) = &mut self.known {
            let aloud = self.tail.offset() > self.quiet_until;
            reader.end(&mut Told { index, aloud, audience });
        }
        Ok(any)
    }

    /// Whether it is, or may become, a log.
    pub(super) fn is_log(&self) -> bool {
        matches!(self.known, Known::Log(_)) || self.sleeps
    }
}

/// The end of the last whole line within so many bytes: a line that was half there is new.
fn line_end(bytes: &[u8], within: usize) -> usize {
    bytes[..within].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

struct Told<'a> {
    index: usize,
    aloud: bool,
    audience: &'a mut dyn Audience,
}

impl Taker for Told<'_> {
    fn step(&mut self, line: u64, run: Option<&str>, step: &loopbreak::Step<'_>) {
        self.audience.step(self.index, self.aloud, line, run, step);
    }

    fn skipped(&mut self, line: u64, why: String) {
        if self.aloud {
            self.audience.skipped(self.index, line, why);
        }
    }
}
