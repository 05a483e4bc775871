//! The files that are open at the same time: a process may open some hundred, and there may be thousands of logs.

use std::collections::VecDeque;
use std::io;

use super::followed_files::FollowedFiles;
use super::log_source::LogSource;
use super::watch_observer::WatchObserver;

/// Upper bound of logs that stay open.
const MAX_OPEN: usize = 64;
/// The error of a source for which too many files were open.
pub(super) const OUT_OF_FILES: &str = "too many open files";

/// The sources with an open file.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// The one that was read longest ago comes first.
    order: VecDeque<usize>,
    /// Number of logs that could not be opened at the last check because too many files are open.
    unopened: usize,
}

impl FollowedFiles {
    /// Reads what is new at a path. If too many files are open, closes others first.
    pub(super) fn read_with_room(
        &mut self,
        index: usize,
        is_final: bool,
        observer: &mut dyn WatchObserver,
    ) -> io::Result<bool> {
        match self.read_source(index, is_final, observer) {
            Err(error) if is_out_of_files(&error) && !self.open_files.order.is_empty() => {
                for index in std::mem::take(&mut self.open_files.order) {
                    self.sources[index].tail.close();
                }
                self.read_source(index, is_final, observer)
            }
            read => read,
        }
    }

    /// Closes the files that were read longest ago, if too many are open. They are opened again when they grow.
    pub(super) fn limit_open_files(&mut self, last_read: usize) {
        if !self.sources[last_read].tail.is_open() {
            return;
        }
        self.open_files.order.retain(|index| *index != last_read);
        self.open_files.order.push_back(last_read);
        while self.open_files.order.len() > MAX_OPEN {
            if let Some(oldest) = self.open_files.order.pop_front() {
                self.sources[oldest].tail.close();
            }
        }
    }

    /// Reports the logs that cannot be opened because too many files are open, once for all of them.
    pub(super) fn report_unopened(&mut self, observer: &mut dyn WatchObserver) {
        let is_unopened = |source: &&LogSource| {
            source.last_error.as_ref().is_some_and(|error| error.contains(OUT_OF_FILES))
        };
        let unopened: Vec<&LogSource> = self.sources.iter().filter(is_unopened).collect();
        if let (Some(first), true) = (unopened.first(), unopened.len() > self.open_files.unopened) {
            let others = match unopened.len() - 1 {
                0 => String::new(),
                1 => ", like 1 other log".to_owned(),
                others => format!(", like {others} other logs"),
            };
            let text = format!("cannot be opened{others}: too many open files; it is tried again");
            observer.warning(&first.tail.path, &text);
        }
        self.open_files.unopened = unopened.len();
    }

    /// Returns the number of logs that could not be read at the last check.
    pub(crate) fn unread_logs(&self) -> usize {
        self.sources.iter().filter(|source| source.last_error.is_some()).count()
    }
}

/// Returns whether an error says that the process or the system has too many open files.
pub(super) fn is_out_of_files(error: &io::Error) -> bool {
    // ENFILE and EMFILE, which are the same on all Unix systems.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}
