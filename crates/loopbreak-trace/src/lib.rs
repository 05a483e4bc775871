//! Readers of agent logs: each turns one log format into [`loopbreak`] steps.
//!
//! [`expand_paths`] turns the paths that a user names into [`LogInput`]s. [`LogInput::open`] detects the [`LogFormat`] from the
//! content, and [`OpenedLog::read`] streams the records to a [`RecordSink`]:
//!
//! ```
//! use std::io::Cursor;
//!
//! use loopbreak_trace::{LogRecord, OpenedLog, RecordSink, SkippedLine};
//!
//! #[derive(Default)]
//! struct ActionNames(Vec<String>);
//!
//! impl RecordSink for ActionNames {
//!     fn record(&mut self, record: &LogRecord<'_>) {
//!         self.0.extend(record.step.action.as_ref().map(|action| action.name.to_string()));
//!     }
//!     fn skipped(&mut self, skipped: SkippedLine) {
//!         eprintln!("line {}: {}", skipped.line, skipped.reason);
//!     }
//! }
//!
//! let log = "{\"action\":\"look\",\"score\":1}\n{\"action\":\"north\",\"score\":1}\n";
//! let opened = OpenedLog::from_stream(Cursor::new(log), None, |_| {}).expect("a known format");
//! assert_eq!(opened.format().as_str(), "steps");
//! let mut names = ActionNames::default();
//! let stats = opened.read(&mut names)?;
//! assert_eq!((names.0.join(", ").as_str(), stats.lines), ("look, north", 2));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The readers judge nothing, and their memory does not grow with the length of a log: they hold one line at a time, of at
//! most [`LONGEST_LINE`] bytes. Only a log that is one JSON document over several lines is held as a whole, up to
//! [`LARGEST_DOCUMENT`] bytes.
//!
//! Names of runs, agents, places and tasks have at most [`LONGEST_NAME`] bytes: longer ones are shortened by
//! [`bounded_name`]. A compressed log is unpacked up to its [`UnpackLimit`].
//!
//! If the lines of a log are independent of each other, [`OpenedLog::into_blocks`] returns them in
//! [`LineBlock`]s, which several threads can read. For a log that is still being written, [`probe`] detects
//! the format, and [`LogFollower`] reads the appended content.
//!
//! | module | content |
//! |---|---|
//! | `input` | paths, files of one run, compressed files, folders of installed agents, opening |
//! | `database` | SQLite files, opened without changing them |
//! | `sniff` | format detection |
//! | `line` | bytes to lines: streams, pushed bytes, blocks |
//! | `message` | pieces that formats share: message content, calls and results, arguments, JSON documents |
//! | `formats` | one file or folder per format |
//! | `follow` | logs that are still being written |

mod bounded_name;
mod database;
mod follow;
mod formats;
mod input;
mod line;
mod log_format;
mod log_record;
mod message;
mod model_call;
pub mod prices;
mod skip_reason;
mod sniff;

pub use bounded_name::{LONGEST_NAME, bounded_name};
pub use follow::{
    FileShape, LogFollower, NotFollowed, PROBE_BYTES, ProbeResult, is_complete_document, probe,
};
pub use formats::{
    MAX_TELEMETRY_ITEMS, TelemetryBatch, TelemetryEncoding, TelemetryError, TelemetryReader, TelemetrySignal,
    TelemetryStep, rejection_reason,
};
pub use input::{
    AgentLogDir, AgentLogSearch, FileOwner, InputSet, LARGEST_DOCUMENT, LogInput, NoAgentLogs, OpenError,
    OpenedLog, SearchedFolder, UnpackLimit, UnreadableInput, agent_log_dirs, expand_paths, list_files,
    search_agent_logs,
};
pub use line::{LONGEST_LINE, LineBlock, LineBlocks, LineReader, LogLine};
pub use log_format::{LogFormat, UnknownFormat};
pub use log_record::{LogRecord, ReadStats, RecordSink, RejectedCall, SkippedLine, UnreadItem};
pub use message::{ToolText, unwrap_tool_text};
pub use model_call::ModelCall;
pub use skip_reason::SkipReason;
pub use sniff::{LogLayout, SniffResult, sniff};
