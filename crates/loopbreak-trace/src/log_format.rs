//! Log formats: the public handle, and the definition of each format.

use std::fmt;
#[cfg(feature = "sqlite")]
use std::io;
use std::str::FromStr;

#[cfg(feature = "sqlite")]
use crate::database::SqliteFile;
use crate::formats;
use crate::input::FileOwner;
#[cfg(feature = "sqlite")]
use crate::log_record::ReadStats;
use crate::log_record::{LogRecord, RecordSink};
use crate::model_call::ModelCall;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// A log format. [`LogFormat::all`] lists the known ones; a name is parsed with [`FromStr`].
#[derive(Clone, Copy)]
pub struct LogFormat(&'static dyn FormatDefinition);

/// The definition of a log format: its name, its detection, and its reader. To add a format, write its file
/// in `formats/` and add it to the list there.
pub(crate) trait FormatDefinition: Sync {
    /// Returns the name used in all output and by `--format`.
    fn name(&self) -> &'static str;
    /// Returns the program that writes these logs, in a few words.
    fn title(&self) -> &'static str;
    /// Returns a short description of the files.
    fn file_description(&self) -> &'static str;
    /// Returns whether a value belongs to the format: a line of it, or the whole document. The value may be only the
    /// beginning of a document.
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool;
    /// Returns whether a line that is not JSON belongs to the format.
    fn recognizes_text(&self, _line: &str) -> bool {
        false
    }
    /// Returns whether a value holds one or more whole runs, not one record of a run. A file that consists of such a
    /// value is rewritten when the run continues.
    fn holds_whole_run(&self, _value: &JsonOutline<'_>) -> bool {
        false
    }
    /// Returns the run and the agent that a file belongs to, given one value of the file and the name of the folder that
    /// it is in, if known. For formats that write several files per run.
    fn file_owner(&self, _value: &str, _folder: Option<&str>) -> Option<FileOwner> {
        None
    }
    /// Parses one line, for formats whose lines are independent of each other: they can be read in any order, by
    /// several threads.
    fn parse_line<'a>(&self, _unit: LogUnit<'a>) -> Option<Result<LogRecord<'a>, SkipReason>> {
        None
    }
    /// Returns whether lines are independent of each other. Then `parse_line` returns the same records as the
    /// reader.
    fn has_independent_lines(&self) -> bool {
        false
    }
    /// Returns the run of a line if it can be found without parsing the whole line. It equals the run of the parsed
    /// record, if the line can be parsed.
    fn run_of_line<'a>(&self, _line: &'a [u8]) -> Option<&'a str> {
        None
    }
    /// Returns the beginnings of the results of calls that the agent rejected by itself. A log without any of them has no
    /// such call.
    fn rejection_marks(&self) -> &'static [&'static str] {
        &[]
    }
    /// Returns the number of calls of a model that one step stands for.
    fn calls_per_step(&self) -> u32 {
        1
    }
    /// Finds the exit code of a call in a part of a log. Lines may be incomplete.
    fn exit_code(&self, _part: &[u8], _call: &str) -> Option<i64> {
        None
    }
    /// Returns texts of which every line with the usage of a model has at least one. Without any, the usage cannot be read from
    /// single lines.
    fn usage_marks(&self) -> &'static [&'static str] {
        &[]
    }
    /// Reads the usage of a model from a line that has one of the marks.
    fn model_call(&self, _line: &str) -> Option<ModelCall> {
        None
    }
    /// Returns the way to read the database in which the program keeps these logs, if it has one.
    #[cfg(feature = "sqlite")]
    fn database_format(&self) -> Option<&dyn DatabaseFormat> {
        None
    }
    /// Creates a reader for one log. `agents` are the agents that have their own files, which are read together with
    /// this one.
    fn new_reader(&self, agents: &[String]) -> Box<dyn LogReader>;
}

/// The logs of a program in a SQLite database.
#[cfg(feature = "sqlite")]
pub(crate) trait DatabaseFormat {
    /// Returns whether a database is that of the program.
    fn recognizes(&self, database: &SqliteFile) -> io::Result<bool>;
    /// Returns whether a database of the program has no logs.
    fn is_empty(&self, database: &SqliteFile) -> io::Result<bool>;
    /// Reads all logs of a database. `watch` receives the number of bytes of each read.
    fn read(
        &self,
        database: &SqliteFile,
        watch: &dyn Fn(u64),
        sink: &mut dyn RecordSink,
    ) -> io::Result<ReadStats>;
}

/// Turns the units of a log into steps. The state it keeps between units is bounded.
pub(crate) trait LogReader: Send {
    /// Reads the next unit. An error says why the unit was skipped.
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason>;
    /// Declares that this agent has its own file, which is read together with the others.
    fn add_agent_file(&mut self, _agent: &str) {}
    /// Ends the log and emits everything that was held back.
    fn end(&mut self, _sink: &mut dyn RecordSink) {}
}

/// A self-contained piece of a log: a line, or the whole document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogUnit<'a> {
    /// Text of the unit.
    pub(crate) text: &'a str,
    /// Line number at which it starts, counted from 1.
    pub(crate) line: u64,
    /// Name of the file, for a companion file.
    pub(crate) file: Option<&'a str>,
}

impl LogFormat {
    /// The native format: one step record per line.
    pub const STEPS: LogFormat = LogFormat(&formats::StepsFormat);
    /// Transcripts of Claude Code.
    pub const CLAUDE_CODE: LogFormat = LogFormat(&formats::ClaudeCodeFormat);
    /// Rollouts of Codex CLI.
    pub const CODEX: LogFormat = LogFormat(&formats::CodexFormat);
    /// Sessions of Gemini CLI.
    pub const GEMINI_CLI: LogFormat = LogFormat(&formats::GeminiCliFormat);
    /// Sessions of Qwen Code.
    pub const QWEN_CODE: LogFormat = LogFormat(&formats::QwenCodeFormat);

    /// Returns all formats, in the order in which they are tried on an unknown log.
    pub fn all() -> impl Iterator<Item = LogFormat> {
        formats::ALL.iter().map(|kind| LogFormat(*kind))
    }

    /// Returns the name used in all output.
    pub fn as_str(self) -> &'static str {
        self.0.name()
    }

    /// Returns the program that writes these logs, in a few words.
    pub fn title(self) -> &'static str {
        self.0.title()
    }

    /// Returns a short description of the files.
    pub fn file_description(self) -> &'static str {
        self.0.file_description()
    }

    /// Returns the number of calls of a model that one step of these logs stands for.
    pub fn calls_per_step(self) -> u32 {
        self.0.calls_per_step()
    }

    /// Returns whether a part of a log may have calls that the agent rejected by itself. This is much faster than reading
    /// it; see [`RecordSink::rejected_call`].
    pub fn may_have_rejected_calls(self, part: &[u8]) -> bool {
        let marks = self.0.rejection_marks();
        marks.iter().any(|mark| memchr::memmem::find(part, mark.as_bytes()).is_some())
    }

    /// Returns the exit code of a call, if the format has it before the result of the call. `part` is a part of a log, whose
    /// lines may be incomplete.
    pub fn exit_code(self, part: &[u8], call: &str) -> Option<i64> {
        self.0.exit_code(part, call)
    }

    /// Returns whether single lines of these logs have the usage of a model; see [`LogFormat::model_call`].
    pub fn has_model_calls(self) -> bool {
        !self.0.usage_marks().is_empty()
    }

    /// Reads the usage of a model from one line. Most lines have none, which is found without parsing them.
    pub fn model_call(self, line: &[u8]) -> Option<ModelCall> {
        let marks = self.0.usage_marks();
        let has_mark = marks.iter().any(|mark| memchr::memmem::find(line, mark.as_bytes()).is_some());
        has_mark.then(|| self.0.model_call(std::str::from_utf8(line).ok()?)).flatten()
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

/// The error for a name that is not the name of a log format.
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
