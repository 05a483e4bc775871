//! Logs with one record per file: the files of a folder are one log, in the order that they state.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use loopbreak_trace::{LARGEST_DOCUMENT, LogFormat, LogInput, is_complete_document};

use super::followed_files::FollowedFiles;
use super::followed_log::{FollowedLog, StepOrigin};
use super::watch_observer::WatchObserver;

/// A file with one record.
#[derive(Debug)]
struct RecordFile {
    source: usize,
    format: LogFormat,
    text: Vec<u8>,
    order: i64,
}

/// Record files that were found and not passed on yet, and the log of each folder.
#[derive(Debug, Default)]
pub(crate) struct RecordFiles {
    found: Vec<RecordFile>,
    folders: HashMap<PathBuf, usize>,
}

impl RecordFiles {
    /// Adds a record file. Returns false if it is still being written.
    pub(crate) fn add(
        &mut self,
        source: usize,
        path: &Path,
        format: LogFormat,
        order: Option<i64>,
    ) -> io::Result<bool> {
        let largest = LARGEST_DOCUMENT / (1024 * 1024);
        if fs::metadata(path)?.len() > LARGEST_DOCUMENT {
            return Err(io::Error::other(format!("one record of more than {largest} MB")));
        }
        let text = fs::read(path)?;
        let whole = is_complete_document(&text);
        if whole {
            self.found.push(RecordFile { source, format, text, order: order.unwrap_or(i64::MAX) });
        }
        Ok(whole)
    }

    /// Removes and returns all found files, in order.
    fn take(&mut self) -> Vec<RecordFile> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|record| (record.order, record.source));
        found
    }

    /// Returns the log of the folder that a file is in.
    fn log_of(&self, path: &Path) -> Option<usize> {
        self.folders.get(path.parent()?).copied()
    }

    /// Sets the log of the folder that a file is in.
    fn set_log(&mut self, path: &Path, log: usize) {
        if let Some(folder) = path.parent() {
            self.folders.insert(folder.to_owned(), log);
        }
    }
}

impl FollowedFiles {
    /// Passes on the records that were found, in their order.
    pub(crate) fn read_record_files(&mut self, observer: &mut dyn WatchObserver) -> bool {
        let mut any = false;
        for record in self.record_files.take() {
            let RecordFile { source, format, text, .. } = record;
            let source = &self.sources[source];
            let log = self.record_files.log_of(&source.tail.path).unwrap_or_else(|| {
                let mut input = LogInput::file(&source.tail.path);
                input.begin_sequence();
                let origin = StepOrigin { unnamed_run: input.run(), ..source.origin.clone() };
                self.logs.push(Some(FollowedLog::new(format, origin, &source.tail.path, None)));
                self.logs.len() - 1
            });
            self.record_files.set_log(&source.tail.path, log);
            if let Some(Some(log)) = self.logs.get_mut(log) {
                let is_live = source.quiet_until == 0;
                log.push_document(&text, &source.tail.path, is_live, observer);
                any = true;
            }
        }
        any
    }
}
