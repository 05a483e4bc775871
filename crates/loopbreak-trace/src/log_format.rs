//! What a log format is, and what its reader gives.

use std::fmt;
use std::str::FromStr;

use crate::formats;
use crate::input::FileOwner;
use crate::log_record::{LogRecord, RecordSink};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// A log format. [`LogFormat::all`] lists them.
#[derive(Clone, Copy)]
pub struct LogFormat(&'static dyn FormatDefinition);

/// Everything that makes a format: how it is called, how it is told from the others, and how it is read. To add one, write
/// its file in `formats/` and name it in the list there.
pub(crate) trait FormatDefinition: Sync {
    /// The name in all output, and for `--format`.
    fn name(&self) -> &'static str;
    /// Whose logs these are, in a few words.
    fn title(&self) -> &'static str;
    /// What the files look like, in a few words.
    fn file_description(&self) -> &'static str;
    /// Whether this value is one of the format: a line of it, or the document. It may be asked of the beginning of a
    /// document only.
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool;
    /// Whether a line that is no JSON is one of the format.
    fn recognizes_text(&self, _line: &str) -> bool {
        false
    }
    /// Whether this value is a run, or several, rather than one record of a run. Where it is all that a file holds, the file
    /// is written anew when the run goes on.
    fn holds_whole_run(&self, _value: &JsonOutline<'_>) -> bool {
        false
    }
    /// Of which run, and of which of its agents, a file is that holds this value. For formats that spread a run over files.
    fn file_owner(&self, _value: &str) -> Option<FileOwner> {
        None
    }
    /// What a line says, for formats whose lines stand by themselves: they can be read in any order, by many threads.
    fn parse_line<'a>(&self, _unit: LogUnit<'a>) -> Option<Result<LogRecord<'a>, SkipReason>> {
        None
    }
    /// Whether lines stand by themselves: then `line` gives what the reader would.
    fn has_independent_lines(&self) -> bool {
        false
    }
    /// The run of a line, where it can be told without reading the whole: what the record would say, if there is one.
    fn run_of_line<'a>(&self, _line: &'a [u8]) -> Option<&'a str> {
        None
    }
    /// A reader for one log. `beside` are the agents that have files of their own, which are read with it.
    fn new_reader(&self, agents: &[String]) -> Box<dyn LogReader>;
}

/// Turns the units of a log into steps. It keeps what it needs between them, and never more than a bound.
pub(crate) trait LogReader: Send {
    /// The next unit. An error is why it was skipped.
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason>;
    /// From now on this agent has a file of its own, which is read with the others.
    fn add_agent_file(&mut self, _agent: &str) {}
    /// The log is at its end: give what was held back.
    fn end(&mut self, _sink: &mut dyn RecordSink) {}
}

/// A piece of a log that makes sense by itself: a line, or the whole document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogUnit<'a> {
    /// Its text.
    pub(crate) text: &'a str,
    /// The line it begins on, from 1 on.
    pub(crate) line: u64,
}

impl LogFormat {
    /// The native format: one step record a line.
    pub const STEPS: LogFormat = LogFormat(&formats::StepsFormat);

    /// All formats, in the order in which they are tried on an unknown log.
    pub fn all() -> impl Iterator<Item = LogFormat> {
        formats::ALL.iter().map(|kind| LogFormat(*kind))
    }

    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        self.0.name()
    }

    /// Whose logs these are, in a few words.
    pub fn title(self) -> &'static str {
        self.0.title()
    }

    /// What the files look like, in a few words.
    pub fn file_description(self) -> &'static str {
        self.0.file_description()
    }

    pub(crate) fn definition(self) -> &'static dyn FormatDefinition {
        self.0
    }
}

impl FromStr for LogFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        LogFormat::all().find(|format| format.as_str() == name).ok_or(UnknownFormat)
    }
}

/// The error for a name that no log format has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown log format; the formats are")?;
        for (index, format) in LogFormat::all().enumerate() {
            write!(f, "{} {format}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFormat {}

impl PartialEq for LogFormat {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for LogFormat {}

impl fmt::Debug for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
