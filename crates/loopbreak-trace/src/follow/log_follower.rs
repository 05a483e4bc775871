//! Reads logs while they are written: bytes in as they are appended, records out.

use std::fmt;

use crate::input::give_document;
use crate::line::LineFeeder;
use crate::log_format::{LogFormat, LogReader};
use crate::log_record::RecordSink;

/// Reads a log of which more and more is written: what is pushed into it comes out as records, as soon as whole lines are
/// there and the format knows that a step is complete. It keeps what it needs between pushes: of each file a line without its
/// end, of at most [`crate::LONGEST_LINE`], and what the format needs, which has a bound. A line that cannot be read is skipped, and
/// told.
pub struct LogFollower {
    format: LogFormat,
    reader: Box<dyn LogReader>,
    files: Vec<LineFeeder>,
}

impl LogFollower {
    /// A log of this format, in one file: file 0.
    pub fn new(format: LogFormat) -> Self {
        LogFollower {
            format,
            reader: format.definition().new_reader(&[]),
            files: vec![LineFeeder::new(None)],
        }
    }

    /// Its format.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// One more file of the same run, with the agent whose file it is: its number.
    pub fn add_file(&mut self, agent: Option<&str>) -> usize {
        if let Some(agent) = agent {
            self.reader.add_agent_file(agent);
        }
        self.files.push(LineFeeder::new(None));
        self.files.len() - 1
    }

    /// Says that the first file is that of an agent, and not of the run as a whole.
    pub fn set_first_agent(&mut self, agent: &str) {
        self.reader.add_agent_file(agent);
    }

    /// Takes what was appended to a file.
    pub fn push(&mut self, file: usize, bytes: &[u8], sink: &mut dyn RecordSink) {
        if let Some(feed) = self.files.get_mut(file) {
            feed.push(&mut *self.reader, bytes, sink);
        }
    }

    /// Takes a file that is one value as a whole.
    pub fn push_document(&mut self, text: &[u8], sink: &mut dyn RecordSink) {
        give_document(&mut *self.reader, text, sink);
    }

    /// Nothing more comes of a file: its last line needs no end.
    pub fn close_file(&mut self, file: usize, sink: &mut dyn RecordSink) {
        if let Some(feed) = self.files.get_mut(file) {
            feed.close(&mut *self.reader, sink);
        }
    }

    /// Nothing more comes at all: gives what was held back.
    pub fn finish(&mut self, sink: &mut dyn RecordSink) {
        for feed in &mut self.files {
            feed.close(&mut *self.reader, sink);
        }
        self.reader.end(sink);
    }

    /// Gives what the format held back because more may belong to it, as at the end; lines without their end are left alone.
    pub fn flush(&mut self, sink: &mut dyn RecordSink) {
        self.reader.end(sink);
    }

    /// How many bytes of a file wait for the end of their line.
    pub fn unfinished_bytes(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, LineFeeder::waiting)
    }
}

impl fmt::Debug for LogFollower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFollower").field("format", &self.format).finish_non_exhaustive()
    }
}
