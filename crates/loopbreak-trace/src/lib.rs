//! Readers of agent logs: each turns one log format into [`loopbreak`] steps.
//!
//! [`expand_paths`] turns what the user named into [`LogInput`]s, [`LogInput::open`] looks at the content and chooses the
//! [`LogFormat`], and [`OpenedLog::read`] streams its records to a [`RecordSink`]. Nothing is judged here, and memory does not grow with the
//! length of a log: one line is held at a time, none longer than [`LONGEST_LINE`]. Only a log that is one JSON document over
//! many lines is held as a whole, up to [`LARGEST_DOCUMENT`].
//!
//! Where each line of a log stands by itself, [`OpenedLog::into_blocks`] gives the lines in [`LineBlock`]s, which several threads can read.
//! While a log is written, [`probe`] says what it is, and [`LogFollower`] takes what is appended to it.

mod arguments;
mod block;
mod content;
mod document;
mod feed;
mod format;
mod formats;
mod glimpse;
mod installed;
mod kin;
mod lines;
mod live;
mod open;
mod pending;
mod read;
mod reason;
mod seam;
mod sniff;
mod source;
mod unpack;

pub use block::{LineBlock, LineBlocks};
pub use format::{FileOwner, LogFormat, LogRecord, ReadStats, RecordSink, SkippedLine, UnknownFormat};
pub use installed::{AgentLogDir, agent_log_dirs};
pub use lines::{LONGEST_LINE, LineReader, LogLine};
pub use live::{FileShape, LogFollower, NotFollowed, PROBE_BYTES, ProbeResult, is_complete_document, probe};
pub use open::{OpenError, OpenedLog};
pub use read::LARGEST_DOCUMENT;
pub use reason::SkipReason;
pub use sniff::{LogLayout, SniffResult, sniff};
pub use source::{InputSet, LogInput, SearchedFolder, UnreadableInput, expand_paths, list_files};
