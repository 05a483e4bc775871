//! The files that are followed: those that were named, and those that come to be in the folders that were named.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopbreak_trace::{FileOwner, FileShape, LogFormat, LogInput, NotFollowed, ProbeResult};

use super::log::{Audience, Log, Origin};
use super::newcomers::{Newcomer, Newcomers, is_named_after};
use super::pieces::Pieces;
use super::rest::{Further, Rest};
use super::source::{Source, State, feed};
use super::tail::{Identity, News, Next, Stamp};

/// An open file that did not grow for so long is closed.
const RESTS_AFTER: Duration = Duration::from_mins(1);
/// How many files that were moved are remembered.
const MOVED: usize = 64;
/// How many files are open at a time, if they do not all grow at once.
const OPEN: usize = 256;

/// All files.
pub(super) struct Files {
    paths: Vec<PathBuf>,
    pub(super) format: Option<LogFormat>,
    forget: Duration,
    pub(super) sources: Vec<Source>,
    pub(super) logs: Vec<Option<Log>>,
    rests: Vec<Rest>,
    newcomers: Newcomers,
    pub(super) pieces: Pieces,
    by_path: HashMap<PathBuf, usize>,
    lives: u32,
    moved: Vec<Moved>,
    scanned: Option<(Instant, Duration)>,
}

/// A file that was moved before anything was read of it, and how it was to be read.
struct Moved {
    which: Identity,
    home: usize,
    quiet_until: u64,
    sleeps: bool,
}

impl Files {
    /// `tell_all` says that what is in the files already is news too. Otherwise logs to which nothing was written for `forget` are
    /// not even read until something is.
    pub(super) fn new(
        paths: &[PathBuf],
        format: Option<LogFormat>,
        forget: Duration,
        tell_all: bool,
    ) -> Self {
        let mut files = Files {
            paths: paths.to_vec(),
            format,
            forget,
            sources: Vec::new(),
            logs: Vec::new(),
            rests: Vec::new(),
            newcomers: Newcomers::default(),
            pieces: Pieces::default(),
            by_path: HashMap::new(),
            lives: 0,
            moved: Vec::new(),
            scanned: None,
        };
        for input in loopbreak_trace::list_files(paths).inputs {
            let Some((path, about)) = input.path().and_then(|path| Some((path, fs::metadata(path).ok()?)))
            else {
                continue;
            };
            let index = files.add(path, &input);
            let source = &mut files.sources[index];
            source.first = true;
            if !tell_all {
                source.quiet_until = about.len();
                source.sleeps = Stamp::of(&about).age().is_some_and(|age| age > forget);
            }
        }
        for path in paths.iter().filter(|path| !path.exists()) {
            files.add(path, &LogInput::file(path));
        }
        files
    }

    /// Looks for files that came to be.
    pub(super) fn scan(&mut self) {
        // A large folder is looked through less often, so that it never takes more than a tenth of the time.
        if self.scanned.is_none_or(|(at, took)| at.elapsed() >= took * 10) {
            self.scan_now();
        }
    }

    pub(super) fn scan_now(&mut self) {
        let began = Instant::now();
        for input in loopbreak_trace::list_files(&self.paths).inputs {
            let Some(path) = input.path().filter(|path| !self.by_path.contains_key(*path)) else { continue };
            match self.newcomers.judge(path, None, self.sources.iter(), &self.rests) {
                Newcomer::New => {
                    let index = self.add(path, &input);
                    // What is left of a log that was rotated before it was read has the runs of that log.
                    let original = self.sources.iter().find(|source| is_named_after(path, &source.tail.path));
                    if let Some(home) = original.map(|source| source.origin.home) {
                        self.sources[index].origin.home = home;
                    }
                }
                Newcomer::NotYet | Newcomer::Known => {}
            }
        }
        self.scanned = Some((began, began.elapsed()));
    }

    fn add(&mut self, path: &Path, input: &LogInput) -> usize {
        let home = self.sources.len();
        self.lives += 1;
        let origin = Origin { home, life: self.lives, unnamed: input.run() };
        let named = input.is_named() && self.paths.iter().any(|named| named == path);
        self.by_path.insert(path.to_owned(), home);
        self.sources.push(Source::new(path.to_owned(), origin, named));
        home
    }

    /// Gives what readers hold back because they wait for more. Half a line stays half a line.
    pub(super) fn give_up_waiting(&mut self, audience: &mut dyn Audience) {
        for log in self.logs.iter_mut().flatten() {
            log.give_up_waiting(audience);
        }
    }

    /// Reads all that is new. Gives whether there was anything. `over` says that nothing will be read after this.
    pub(super) fn read(&mut self, over: bool, audience: &mut dyn Audience) -> bool {
        for index in 0..self.sources.len() {
            let news = self.look(index, audience);
            self.heard(index, news, audience);
        }
        // What is left of a log comes before what is new at its place.
        let mut any = self.read_rests(over, audience);
        for index in 0..self.sources.len() {
            let read = self.read_source(index, over, audience);
            any |= self.heard(index, read, audience).unwrap_or(false);
        }
        any |= self.read_pieces(audience);
        if over {
            for log in self.logs.iter_mut().flatten() {
                let path = log.path();
                log.over(&path, audience);
            }
        }
        self.close_idle();
        any
    }

    /// Tells of an error once, for as long as it stays the same.
    fn heard<T>(&mut self, index: usize, result: io::Result<T>, audience: &mut dyn Audience) -> Option<T> {
        let source = &mut self.sources[index];
        match result {
            Ok(value) => {
                // What can be looked at can not always be read.
                if source.tail.is_open() {
                    source.complaint = None;
                }
                Some(value)
            }
            Err(error) => {
                let what = format!("cannot be read: {error}");
                if source.complaint.as_ref() != Some(&what) {
                    audience.say(&source.tail.path, &what);
                    source.complaint = Some(what);
                }
                None
            }
        }
    }

    /// Finds out what became of a file.
    fn look(&mut self, index: usize, audience: &mut dyn Audience) -> io::Result<()> {
        let source = &mut self.sources[index];
        // These are read as a whole, whichever file stands there.
        if matches!(source.state, State::Document { .. } | State::Piece) {
            return Ok(());
        }
        match source.tail.look()? {
            News::Same => {}
            News::More => (source.grown, source.changed) = (true, Instant::now()),
            News::Anew => self.retire(index, true, audience),
            News::Away => self.retire(index, false, audience),
        }
        Ok(())
    }

    /// Another log stands at this place, or none: what was there is read to its end elsewhere.
    fn retire(&mut self, index: usize, emptied: bool, audience: &mut dyn Audience) {
        let source = &mut self.sources[index];
        let (quiet_until, sleeps) = (source.quiet_until, source.sleeps);
        self.lives += 1;
        let (mut tail, state) = source.begin_anew(self.lives);
        let path = source.tail.path.clone();
        match state {
            State::Lines { log, file } if emptied => {
                self.rests.push(Rest::emptied(tail, log, file, quiet_until));
            }
            State::Lines { log, file } => self.rests.push(Rest::renamed(tail, log, file, quiet_until)),
            // It was moved before anything was read of it: the log is the same.
            State::NotYet if !emptied && tail.find() => {
                let home = source.origin.home;
                if let Some(which) = tail.identity() {
                    self.moved.truncate(MOVED - 1);
                    self.moved.insert(0, Moved { which, home, quiet_until, sleeps });
                }
                match self.by_path.get(&tail.path) {
                    // It was found there already, and left alone because it was still followed from here.
                    Some(place) => self.sources[*place].take_over(),
                    None => {
                        self.add(&tail.path, &LogInput::file(&path));
                    }
                }
            }
            _ => {}
        }
        if emptied || path.exists() {
            audience.anew(&path);
        }
        // An error is found again when it is read.
        let _ = self.sources[index].tail.look();
    }

    fn read_rests(&mut self, over: bool, audience: &mut dyn Audience) -> bool {
        let mut any = false;
        let mut kept = Vec::new();
        for mut rest in std::mem::take(&mut self.rests) {
            let Some(log) = self.logs.get_mut(rest.log).and_then(Option::as_mut) else { continue };
            let (read, further) = match rest.follow(log, over, audience) {
                Ok(done) => done,
                Err(error) => {
                    audience.say(&rest.tail.path, &format!("its end cannot be read: {error}"));
                    (false, Further::Drop)
                }
            };
            any |= read;
            if further == Further::Follow {
                kept.push(rest);
                continue;
            }
            log.file_over(rest.file, &rest.tail.path, audience);
            if log.is_one_file() {
                self.logs[rest.log] = None;
            }
            self.newcomers.was_read(rest.tail);
        }
        self.rests = kept;
        any
    }

    fn read_source(&mut self, index: usize, over: bool, audience: &mut dyn Audience) -> io::Result<bool> {
        match self.sources[index].state {
            State::NotYet => self.recognise(index, over, audience),
            State::Lines { .. } => self.drain(index, audience),
            State::Document { .. } => self.read_document(index, over, audience),
            State::Never | State::Known | State::Piece => Ok(false),
        }
    }

    fn recognise(&mut self, index: usize, over: bool, audience: &mut dyn Audience) -> io::Result<bool> {
        let source = &mut self.sources[index];
        let here = source.tail.identity();
        if let Some(at) = self.moved.iter().position(|moved| Some(moved.which) == here) {
            let Moved { home, quiet_until, sleeps, .. } = self.moved.remove(at);
            (source.origin.home, source.quiet_until, source.sleeps) = (home, quiet_until, sleeps);
        }
        let looked = source.recognise(self.format, over)?;
        if matches!(looked, ProbeResult::Log { .. }) && !self.is_new(index) {
            return Ok(false);
        }
        let source = &mut self.sources[index];
        match looked {
            ProbeResult::NotYet => Ok(false),
            ProbeResult::Never(why) => {
                source.state = State::Never;
                let (path, why) = (source.tail.path.clone(), why_not(&why));
                if source.named {
                    audience.say(&path, &why);
                } else {
                    audience.aside(&path, &why);
                }
                Ok(false)
            }
            ProbeResult::Log { format, shape: FileShape::Lines, owner } => {
                self.begin(index, format, owner.as_ref());
                self.drain(index, audience)
            }
            ProbeResult::Log { shape: FileShape::Document, .. } => {
                source.state = State::Document { read: None, whole: false };
                self.read_document(index, over, audience)
            }
            ProbeResult::Log { format, shape: FileShape::Piece, owner } => {
                let path = source.tail.path.clone();
                let is_lines = path.extension().is_some_and(|ending| ending == "jsonl");
                if is_lines && !over {
                    return Ok(false);
                }
                if self.pieces.found(index, &path, format, owner.and_then(|owner| owner.order))? {
                    source.state = State::Piece;
                }
                Ok(false)
            }
        }
    }

    /// Whether what stands at a place is a log that was not read before.
    fn is_new(&mut self, index: usize) -> bool {
        let source = &self.sources[index];
        if source.first {
            return true;
        }
        let others = self.sources.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.map(|(_, source)| source);
        match self.newcomers.judge(&source.tail.path, source.tail.identity(), others, &self.rests) {
            Newcomer::New => return true,
            Newcomer::NotYet => self.sources[index].look_again(),
            Newcomer::Known => self.sources[index].state = State::Known,
        }
        false
    }

    /// Begins to follow a log of lines, by itself or with those of the same run.
    pub(super) fn begin(&mut self, index: usize, format: LogFormat, kin: Option<&FileOwner>) {
        let source = &mut self.sources[index];
        let path = source.tail.path.clone();
        let near = |log: &Log| kin.and_then(|kin| log.nearness(format, &path, kin));
        let logs = self.logs.iter().enumerate().filter_map(|(at, log)| Some((at, near(log.as_ref()?)?)));
        let nearest = logs.max_by_key(|(at, near)| (*near, std::cmp::Reverse(*at)));
        let joined = nearest.and_then(|(at, _)| Some((at, self.logs[at].as_mut()?.join(kin?))));
        let (log, file) = joined.unwrap_or_else(|| {
            self.logs.push(Some(Log::new(format, source.origin.clone(), &path, kin)));
            (self.logs.len() - 1, 0)
        });
        source.state = State::Lines { log, file };
    }

    /// Reads what was written to a log of lines.
    pub(super) fn drain(&mut self, index: usize, audience: &mut dyn Audience) -> io::Result<bool> {
        let source = &mut self.sources[index];
        let State::Lines { log, file } = source.state else { return Ok(false) };
        let Some(log) = self.logs.get_mut(log).and_then(Option::as_mut).filter(|_| source.grown) else {
            return Ok(false);
        };
        let mut any = false;
        loop {
            match source.tail.next()? {
                Next::Bytes(bytes) => feed(log, file, &source.tail, source.quiet_until, &bytes, audience),
                Next::Nothing => break,
                Next::Anew => {
                    self.retire(index, true, audience);
                    return Ok(true);
                }
            }
            any = true;
        }
        source.grown = false;
        Ok(any)
    }

    /// Closes files that did not grow, and lets go of logs of which nothing was heard for long.
    fn close_idle(&mut self) {
        let open = self.sources.iter().filter(|source| source.tail.is_open()).count();
        for source in &mut self.sources {
            let idle = source.changed.elapsed();
            let age = source.tail.stamp().and_then(|stamp| stamp.age()).unwrap_or(idle);
            if open > OPEN || idle.max(age) > RESTS_AFTER {
                source.tail.rest();
            }
            if let State::Lines { log, .. } = source.state
                // The guards of its runs have to be forgotten before.
                && idle > self.forget + RESTS_AFTER
                && let Some(slot) = self.logs.get_mut(log)
                && slot.as_ref().is_some_and(Log::is_one_file)
            {
                *slot = None;
                source.sleep();
            }
        }
    }
}

fn why_not(why: &NotFollowed) -> String {
    format!("not followed: {why}")
}

#[cfg(test)]
mod tests;
