//! Detects the format of a file that is still being written.

use std::fmt;

use serde::de::IgnoredAny;

use crate::database::is_database;
use crate::input::{FileOwner, OpenError, is_packed, owner_of_head};
use crate::line::LONGEST_LINE;
use crate::log_format::LogFormat;
use crate::sniff::{JsonOutline, LogLayout, OutlineEnd, SniffResult, sniff};

/// Number of bytes inspected at most, unless the first line is longer. A file that does not look like a log by then
/// is not one.
pub const PROBE_BYTES: usize = 4 * 1024 * 1024;

/// The result of probing a file that is still being written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProbeResult {
    /// Not enough data to decide; probe again when there is more.
    NotYet,
    /// The file is not a log and will not become one.
    Never(NotFollowed),
    /// The file is a log.
    Log {
        /// Format of the log.
        format: LogFormat,
        /// The way in which the file has to be read.
        shape: FileShape,
        /// Run and agent that the file belongs to, for formats that write several files per run.
        owner: Option<FileOwner>,
    },
}

/// The way in which a growing file has to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileShape {
    /// Records are appended. Pass the appended bytes to [`LogFollower::push`](crate::LogFollower::push).
    Lines,
    /// One value holds a whole run and is rewritten whenever the run continues. Pass it to
    /// [`LogFollower::push_document`](crate::LogFollower::push_document).
    Document,
    /// One record in a file of its own. Pass it to [`LogFollower::push_document`](crate::LogFollower::push_document).
    Piece,
}

/// The reason why a file is not followed.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotFollowed {
    /// The file is compressed, so it no longer grows.
    Packed,
    /// The file is a SQLite database. Its new rows are not appended to the file.
    Database,
    /// The file is not a log.
    NotALog(OpenError),
}

impl fmt::Display for NotFollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFollowed::Packed => {
                f.write_str("the file is compressed, so it no longer grows; use loopbreak analyze")
            }
            NotFollowed::Database => f.write_str(
                "a database cannot be followed; use loopbreak analyze when the session is over, or guard the agent \
                 while it works, for example with loopbreak hook install opencode",
            ),
            NotFollowed::NotALog(error) => error.fmt(f),
        }
    }
}

/// Probes the beginning of a file: its first [`PROBE_BYTES`] bytes or, if that is longer, its first line. `settled`
/// means that this is the whole file and that nothing is being written at the moment; then the last line needs no
/// line break.
pub fn probe(head: &[u8], settled: bool, only: Option<LogFormat>) -> ProbeResult {
    if is_packed(head) {
        return ProbeResult::Never(NotFollowed::Packed);
    }
    if is_database(head) {
        return ProbeResult::Never(NotFollowed::Database);
    }
    let lines = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let full = head.len() >= if lines > 0 { PROBE_BYTES } else { LONGEST_LINE };
    // An unfinished line looks like the beginning of a document.
    let head = if settled || full { head } else { &head[..lines] };
    // Reading from memory does not fail.
    let sniffed = sniff(head, only).unwrap_or(SniffResult::Unknown);
    let (format, layout) = match sniffed {
        SniffResult::Log(format, layout) => (format, layout),
        SniffResult::Binary => return ProbeResult::Never(NotFollowed::NotALog(OpenError::Binary)),
        SniffResult::Utf16 => return ProbeResult::Never(NotFollowed::NotALog(OpenError::Utf16)),
        SniffResult::Unknown if full => return ProbeResult::Never(NotFollowed::NotALog(OpenError::Unknown)),
        SniffResult::Empty | SniffResult::Unknown => return ProbeResult::NotYet,
    };
    if layout == LogLayout::Document {
        return ProbeResult::Log { format, shape: FileShape::Document, owner: None };
    }
    let owner = owner_of_head(head, None);
    let single = single(head);
    let is_run = single.is_some_and(|value| holds_whole_run(format, value));
    let is_piece = single.is_some() && owner.as_ref().is_some_and(|owner| owner.order.is_some());
    let shape = match (is_run, is_piece && !head.ends_with(b"\n")) {
        (true, _) => FileShape::Document,
        (_, true) => FileShape::Piece,
        _ => FileShape::Lines,
    };
    let owner = owner.filter(|owner| owner.order.is_none() || shape == FileShape::Piece);
    ProbeResult::Log { format, shape, owner }
}

/// Returns the only line; `None` if there are several.
fn single(head: &[u8]) -> Option<&str> {
    let head = head.trim_ascii();
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    std::str::from_utf8(text).ok().filter(|text| !text.contains('\n'))
}

fn holds_whole_run(format: LogFormat, value: &str) -> bool {
    let outline = JsonOutline::parse(value);
    // A value that is longer than the inspected part is cut.
    outline.end() != OutlineEnd::Broken
        && outline.is_container()
        && format.definition().holds_whole_run(&outline)
}

/// Returns whether a document is complete.
pub fn is_complete_document(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)).is_ok()
}
