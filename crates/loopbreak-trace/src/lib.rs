//! Readers of agent logs: each turns one log format into [`loopbreak`] steps.
//!
//! [`expand_paths`] turns what the user named into [`LogInput`]s, [`LogInput::open`] looks at the content and chooses the
//! [`LogFormat`], and [`OpenedLog::read`] streams its records to a [`RecordSink`]. Nothing is judged here, and memory does not grow with the
//! length of a log: one line is held at a time, none longer than [`LONGEST_LINE`]. Only a log that is one JSON document over
//! many lines is held as a whole, up to [`LARGEST_DOCUMENT`].
//!
//! Where each line of a log stands by itself, [`OpenedLog::into_blocks`] gives the lines in [`LineBlock`]s, which several threads can read.
//! While a log is written, [`probe`] says what it is, and [`LogFollower`] takes what is appended to it.

mod follow;
mod formats;
mod input;
mod line;
mod log_format;
mod log_record;
mod message;
mod skip_reason;
mod sniff;

pub use follow::{
    FileShape, LogFollower, NotFollowed, PROBE_BYTES, ProbeResult, is_complete_document, probe,
};
pub use input::{
    AgentLogDir, FileOwner, InputSet, LARGEST_DOCUMENT, LogInput, OpenError, OpenedLog, SearchedFolder,
    UnreadableInput, agent_log_dirs, expand_paths, list_files,
};
pub use line::{LONGEST_LINE, LineBlock, LineBlocks, LineReader, LogLine};
pub use log_format::{LogFormat, UnknownFormat};
pub use log_record::{LogRecord, ReadStats, RecordSink, SkippedLine};
pub use skip_reason::SkipReason;
pub use sniff::{LogLayout, SniffResult, sniff};
