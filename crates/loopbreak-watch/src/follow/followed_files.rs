//! All followed files: those that the user named, and those that appear in the folders that the user named.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopbreak_trace::{FileOwner, LogFormat, LogInput};

use super::file_tail::{FileChange, FileIdentity, FileStamp, TailRead};
use super::followed_log::{FollowedLog, StepOrigin};
use super::log_source::{LogSource, SourceState, feed};
use super::new_file_classifier::{NewFileClassifier, NewFileKind, is_rotated_name};
use super::open_files::{OUT_OF_FILES, OpenFiles, is_out_of_files};
use super::record_files::RecordFiles;
use super::rotated_log::{RotatedLog, RotationState};
use super::watch_observer::WatchObserver;

/// An open file that did not grow for this long is closed.
const CLOSE_AFTER: Duration = Duration::from_mins(1);
/// Upper bound of remembered moved files.
const MAX_MOVED: usize = 64;

/// All followed files.
pub(crate) struct FollowedFiles {
    paths: Vec<PathBuf>,
    pub(crate) format: Option<LogFormat>,
    forget: Duration,
    pub(crate) sources: Vec<LogSource>,
    pub(crate) logs: Vec<Option<FollowedLog>>,
    pub(super) rotated: Vec<RotatedLog>,
    pub(super) new_files: NewFileClassifier,
    pub(crate) record_files: RecordFiles,
    by_path: HashMap<PathBuf, usize>,
    generations: u32,
    pub(super) moved: Vec<MovedFile>,
    scanned: Option<(Instant, Duration)>,
    pub(super) open_files: OpenFiles,
    /// Number of links that lead out of the folders, and are not followed.
    pub(crate) skipped_links: usize,
}

/// A file that was moved before it was read, and how to read it.
pub(super) struct MovedFile {
    pub(super) identity: FileIdentity,
    pub(super) source_id: usize,
    pub(super) quiet_until: u64,
    pub(super) is_dormant: bool,
}

impl FollowedFiles {
    /// Creates the list of files. With `report_existing`, existing content is reported too. Otherwise logs without new content for
    /// `forget` are not read until something is written.
    pub(crate) fn new(
        paths: &[PathBuf],
        format: Option<LogFormat>,
        forget: Duration,
        report_existing: bool,
    ) -> Self {
        let mut files = FollowedFiles {
            paths: paths.to_vec(),
            format,
            forget,
            sources: Vec::new(),
            logs: Vec::new(),
            rotated: Vec::new(),
            new_files: NewFileClassifier::default(),
            record_files: RecordFiles::default(),
            by_path: HashMap::new(),
            generations: 0,
            moved: Vec::new(),
            scanned: None,
            open_files: OpenFiles::default(),
            skipped_links: 0,
        };
        let found = loopbreak_trace::list_files(paths);
        files.skipped_links = found.folders.iter().map(|folder| folder.skipped_links).sum();
        for input in found.inputs {
            let Some((path, about)) = input.path().and_then(|path| Some((path, fs::metadata(path).ok()?)))
            else {
                continue;
            };
            let index = files.add(path, &input);
            let source = &mut files.sources[index];
            source.first = true;
            if !report_existing {
                source.quiet_until = about.len();
                source.is_dormant = FileStamp::new(&about).age().is_some_and(|age| age > forget);
            }
        }
        for path in paths.iter().filter(|path| !path.exists()) {
            files.add(path, &LogInput::file(path));
        }
        files
    }

    /// Looks for new files.
    pub(crate) fn scan(&mut self) {
        // A large folder is scanned less often, so scanning takes at most a tenth of the time.
        if self.scanned.is_none_or(|(at, took)| at.elapsed() >= took * 10) {
            self.scan_now();
        }
    }

    pub(crate) fn scan_now(&mut self) {
        let began = Instant::now();
        for input in loopbreak_trace::list_files(&self.paths).inputs {
            let Some(path) = input.path().filter(|path| !self.by_path.contains_key(*path)) else { continue };
            match self.new_files.classify(path, None, self.sources.iter(), &self.rotated) {
                NewFileKind::New => {
                    let index = self.add(path, &input);
                    // A log that was rotated before it was read has the runs of the original.
                    let original =
                        self.sources.iter().find(|source| is_rotated_name(path, &source.tail.path));
                    if let Some(source_id) = original.map(|source| source.origin.source_id) {
                        self.sources[index].origin.source_id = source_id;
                    }
                }
                NewFileKind::Undecided | NewFileKind::AlreadyRead => {}
            }
        }
        self.scanned = Some((began, began.elapsed()));
    }

    fn add(&mut self, path: &Path, input: &LogInput) -> usize {
        let source_id = self.sources.len();
        self.generations += 1;
        let origin = StepOrigin { source_id, generation: self.generations, unnamed_run: input.run() };
        let named = input.is_named() && self.paths.iter().any(|named| named == path);
        self.by_path.insert(path.to_owned(), source_id);
        self.sources.push(LogSource::new(path.to_owned(), origin, named));
        source_id
    }

    /// Passes on steps that readers hold back. An incomplete line stays incomplete.
    pub(crate) fn flush(&mut self, observer: &mut dyn WatchObserver) {
        for log in self.logs.iter_mut().flatten() {
            log.flush(observer);
        }
    }

    /// Reads everything new. Returns whether there was anything. `is_final` means that nothing is read after this.
    pub(crate) fn read(&mut self, is_final: bool, observer: &mut dyn WatchObserver) -> bool {
        for index in 0..self.sources.len() {
            let news = self.check(index, observer);
            self.report_error(index, news, observer);
        }
        // The end of a rotated log comes before new content at its path.
        let mut any = self.read_rotated(is_final, observer);
        for index in 0..self.sources.len() {
            let read = self.read_with_room(index, is_final, observer);
            if self.report_error(index, read, observer).unwrap_or(false) {
                self.sources[index].last_error = None;
                any = true;
            }
            self.limit_open_files(index);
        }
        self.report_unopened(observer);
        any |= self.read_record_files(observer);
        if is_final {
            for log in self.logs.iter_mut().flatten() {
                let path = log.path();
                log.finish(&path, observer);
            }
        }
        self.close_idle();
        any
    }

    /// Reports an error once, as long as it stays the same.
    fn report_error<T>(
        &mut self,
        index: usize,
        result: io::Result<T>,
        observer: &mut dyn WatchObserver,
    ) -> Option<T> {
        let source = &mut self.sources[index];
        match result {
            Ok(value) => {
                // A file can have metadata and still be unreadable.
                if source.tail.is_open() {
                    source.last_error = None;
                }
                Some(value)
            }
            Err(error) => {
                let what = format!("cannot be read: {error}");
                // There may be thousands of them.
                if is_out_of_files(&error) {
                    source.last_error = Some(OUT_OF_FILES.to_owned());
                    return None;
                }
                if source.last_error.as_ref() != Some(&what) {
                    observer.warning(&source.tail.path, &what);
                    source.last_error = Some(what);
                }
                None
            }
        }
    }

    /// Checks how a file changed.
    fn check(&mut self, index: usize, observer: &mut dyn WatchObserver) -> io::Result<()> {
        let source = &mut self.sources[index];
        // These are read as a whole, whatever file has the path.
        if matches!(source.state, SourceState::Document { .. } | SourceState::Record) {
            return Ok(());
        }
        match source.tail.check()? {
            FileChange::Unchanged => {}
            FileChange::Grown => (source.grown, source.changed) = (true, Instant::now()),
            FileChange::Truncated => self.retire(index, true, observer),
            FileChange::Gone => self.retire(index, false, observer),
        }
        Ok(())
    }

    /// Handles a path that has another log or none: the previous log is read to its end elsewhere.
    fn retire(&mut self, index: usize, is_truncated: bool, observer: &mut dyn WatchObserver) {
        let source = &mut self.sources[index];
        let (quiet_until, is_dormant) = (source.quiet_until, source.is_dormant);
        self.generations += 1;
        let (mut tail, state) = source.restart(self.generations);
        let path = source.tail.path.clone();
        match state {
            SourceState::Lines { log, file } if is_truncated => {
                self.rotated.push(RotatedLog::truncated(tail, log, file, quiet_until));
            }
            SourceState::Lines { log, file } => {
                self.rotated.push(RotatedLog::renamed(tail, log, file, quiet_until));
            }
            // It was moved before it was read: the log is the same.
            SourceState::Undecided if !is_truncated && tail.find() => {
                let source_id = source.origin.source_id;
                if let Some(identity) = tail.identity() {
                    self.moved.truncate(MAX_MOVED - 1);
                    self.moved.insert(0, MovedFile { identity, source_id, quiet_until, is_dormant });
                }
                match self.by_path.get(&tail.path) {
                    // It was found there already and skipped because it was still followed from here.
                    Some(place) => self.sources[*place].reclaim(),
                    None => {
                        self.add(&tail.path, &LogInput::file(&path));
                    }
                }
            }
            _ => {}
        }
        if is_truncated || path.exists() {
            observer.log_restarted(&path);
        }
        // An error occurs again when it is read.
        let _ = self.sources[index].tail.check();
    }

    fn read_rotated(&mut self, is_final: bool, observer: &mut dyn WatchObserver) -> bool {
        let mut any = false;
        let mut kept = Vec::new();
        for mut rotated_log in std::mem::take(&mut self.rotated) {
            let Some(log) = self.logs.get_mut(rotated_log.log).and_then(Option::as_mut) else { continue };
            let (read, state) = match rotated_log.follow(log, is_final, observer) {
                Ok(done) => done,
                Err(error) => {
                    observer.warning(&rotated_log.tail.path, &format!("its end cannot be read: {error}"));
                    (false, RotationState::Finished)
                }
            };
            any |= read;
            if state == RotationState::Open {
                kept.push(rotated_log);
                continue;
            }
            log.finish_file(rotated_log.file, &rotated_log.tail.path, observer);
            if log.is_one_file() {
                self.logs[rotated_log.log] = None;
            }
            self.new_files.remember(rotated_log.tail);
        }
        self.rotated = kept;
        any
    }

    pub(super) fn read_source(
        &mut self,
        index: usize,
        is_final: bool,
        observer: &mut dyn WatchObserver,
    ) -> io::Result<bool> {
        match self.sources[index].state {
            SourceState::Undecided => self.recognise(index, is_final, observer),
            SourceState::Lines { .. } => self.read_lines(index, observer),
            SourceState::Document { .. } => self.read_document(index, is_final, observer),
            SourceState::NotALog | SourceState::AlreadyRead | SourceState::Record => Ok(false),
        }
    }

    /// Starts to follow a log of lines, alone or together with other files of the same run.
    pub(crate) fn start_log(&mut self, index: usize, format: LogFormat, owner: Option<&FileOwner>) {
        let source = &mut self.sources[index];
        let path = source.tail.path.clone();
        let near =
            |log: &FollowedLog| owner.and_then(|owner| log.shared_path_components(format, &path, owner));
        let logs = self.logs.iter().enumerate().filter_map(|(at, log)| Some((at, near(log.as_ref()?)?)));
        let nearest = logs.max_by_key(|(at, near)| (*near, std::cmp::Reverse(*at)));
        let joined = nearest.and_then(|(at, _)| Some((at, self.logs[at].as_mut()?.join(owner?))));
        let (log, file) = joined.unwrap_or_else(|| {
            self.logs.push(Some(FollowedLog::new(format, source.origin.clone(), &path, owner)));
            (self.logs.len() - 1, 0)
        });
        source.state = SourceState::Lines { log, file };
    }

    /// Reads what was appended to a log of lines.
    pub(crate) fn read_lines(&mut self, index: usize, observer: &mut dyn WatchObserver) -> io::Result<bool> {
        let source = &mut self.sources[index];
        let SourceState::Lines { log, file } = source.state else { return Ok(false) };
        let Some(log) = self.logs.get_mut(log).and_then(Option::as_mut).filter(|_| source.grown) else {
            return Ok(false);
        };
        let mut any = false;
        loop {
            match source.tail.read_next()? {
                TailRead::Bytes(bytes) => feed(log, file, &source.tail, source.quiet_until, &bytes, observer),
                TailRead::Nothing => break,
                TailRead::Rewritten => {
                    self.retire(index, true, observer);
                    return Ok(true);
                }
            }
            any = true;
        }
        source.grown = false;
        Ok(any)
    }

    /// Closes files that did not grow, and drops logs without new content for long.
    fn close_idle(&mut self) {
        for source in &mut self.sources {
            let idle = source.changed.elapsed();
            let age = source.tail.stamp().and_then(|stamp| stamp.age()).unwrap_or(idle);
            if idle.max(age) > CLOSE_AFTER {
                source.tail.close();
            }
            if let SourceState::Lines { log, .. } = source.state
                // The guards of its runs must be forgotten first.
                && idle > self.forget + CLOSE_AFTER
                && let Some(slot) = self.logs.get_mut(log)
                && slot.as_ref().is_some_and(FollowedLog::is_one_file)
            {
                *slot = None;
                source.make_dormant();
            }
        }
    }
}
