//! Reads logs while they are being written.

use std::fmt;

use crate::bounded_name::NameBounds;
use crate::input::feed_document;
use crate::line::LineFeeder;
use crate::log_format::{LogFormat, LogReader};
use crate::log_record::RecordSink;

/// Reads a log that is still being written. Pushed bytes come out as records as soon as their lines are complete and
/// the format knows that a step is complete. Its state is bounded: one unfinished line per file, of at most
/// [`crate::LONGEST_LINE`] bytes, and the state of the format. A line that cannot be read is skipped and reported.
pub struct LogFollower {
    format: LogFormat,
    reader: Box<dyn LogReader>,
    files: Vec<LineFeeder>,
}

impl LogFollower {
    /// Creates a follower for a log of this format with one file, which has the number 0.
    pub fn new(format: LogFormat) -> Self {
        LogFollower {
            format,
            reader: format.definition().new_reader(&[]),
            files: vec![LineFeeder::new(None)],
        }
    }

    /// Returns the format.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// Adds another file of the same run and returns its number. `agent` is the agent that writes it.
    pub fn add_file(&mut self, agent: Option<&str>) -> usize {
        if let Some(agent) = agent {
            self.reader.add_agent_file(agent);
        }
        self.files.push(LineFeeder::new(None));
        self.files.len() - 1
    }

    /// Declares that the first file belongs to an agent, not to the run as a whole.
    pub fn set_first_agent(&mut self, agent: &str) {
        self.reader.add_agent_file(agent);
    }

    /// Adds bytes that were appended to a file.
    pub fn push(&mut self, file: usize, bytes: &[u8], sink: &mut dyn RecordSink) {
        if let Some(feed) = self.files.get_mut(file) {
            feed.push(&mut *self.reader, bytes, &mut NameBounds(sink));
        }
    }

    /// Adds a file that consists of one value.
    pub fn push_document(&mut self, text: &[u8], sink: &mut dyn RecordSink) {
        feed_document(&mut *self.reader, text, &mut NameBounds(sink));
    }

    /// Ends a file: its last line needs no line break.
    pub fn close_file(&mut self, file: usize, sink: &mut dyn RecordSink) {
        if let Some(feed) = self.files.get_mut(file) {
            feed.close(&mut *self.reader, &mut NameBounds(sink));
        }
    }

    /// Ends the log and emits everything that was held back.
    pub fn finish(&mut self, sink: &mut dyn RecordSink) {
        let sink = &mut NameBounds(sink);
        for feed in &mut self.files {
            feed.close(&mut *self.reader, sink);
        }
        self.reader.end(sink);
    }

    /// Emits what the format held back because more may belong to it. Unfinished lines are kept.
    pub fn flush(&mut self, sink: &mut dyn RecordSink) {
        self.reader.end(&mut NameBounds(sink));
    }

    /// Returns the number of bytes of the unfinished line of a file.
    pub fn unfinished_bytes(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, LineFeeder::unfinished_bytes)
    }
}

impl fmt::Debug for LogFollower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFollower").field("format", &self.format).finish_non_exhaustive()
    }
}
