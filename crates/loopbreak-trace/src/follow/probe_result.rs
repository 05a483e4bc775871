//! Finds out what a file is that is still being written.

use std::fmt;

use serde::de::IgnoredAny;

use crate::input::{FileOwner, OpenError, is_packed, owner_of_head};
use crate::line::LONGEST_LINE;
use crate::log_format::LogFormat;
use crate::sniff::{JsonOutline, LogLayout, OutlineEnd, SniffResult, sniff};

/// How much of the beginning of a file is looked at, at most, unless its first line is longer. What is no log by then is none.
pub const PROBE_BYTES: usize = 4 * 1024 * 1024;

/// What the beginning of a file that is written shows.
#[derive(Debug)]
pub enum ProbeResult {
    /// Too little to say; look again when there is more.
    NotYet,
    /// It is no log, and does not become one by growing.
    Never(NotFollowed),
    /// It is one.
    Log {
        /// Its format.
        format: LogFormat,
        /// How it is to be read.
        shape: FileShape,
        /// The run and the agent whose file it is, where a run is spread over files.
        owner: Option<FileOwner>,
    },
}

/// How a file that is written is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileShape {
    /// Record after record: what is appended is new. [`LogFollower::push`] takes it.
    Lines,
    /// One value that holds a whole run, and is written anew whenever the run goes on. [`LogFollower::push_document`] takes it.
    Document,
    /// One record, which stands in a file of its own among others. [`LogFollower::push_document`] takes it.
    Piece,
}

/// Why a file is not followed.
#[derive(Debug)]
pub enum NotFollowed {
    /// It is packed, so it is over.
    Packed,
    /// It is no log.
    NotALog(OpenError),
}

impl fmt::Display for NotFollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFollowed::Packed => f.write_str("packed, so it does not grow; loopbreak analyze reads it"),
            NotFollowed::NotALog(refusal) => refusal.fmt(f),
        }
    }
}

/// Looks at the beginning of a file: [`PROBE_BYTES`] of it or, where the first line is longer, that line. `settled` says that this is all of it and that nobody is
/// writing at it now: then the last line needs no end.
pub fn probe(head: &[u8], settled: bool, only: Option<LogFormat>) -> ProbeResult {
    if is_packed(head) {
        return ProbeResult::Never(NotFollowed::Packed);
    }
    let lines = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let full = head.len() >= if lines > 0 { PROBE_BYTES } else { LONGEST_LINE };
    // A line that is half there looks like the beginning of a document.
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
    let owner = owner_of_head(head);
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

/// The only line that there is, and nothing if there are more.
fn single(head: &[u8]) -> Option<&str> {
    let head = head.trim_ascii();
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    std::str::from_utf8(text).ok().filter(|text| !text.contains('\n'))
}

fn holds_whole_run(format: LogFormat, value: &str) -> bool {
    let glimpse = JsonOutline::parse(value);
    // One that is longer than the look is cut.
    glimpse.end() != OutlineEnd::Broken && glimpse.begins() && format.definition().holds_whole_run(&glimpse)
}

/// Whether a document is there as a whole, or still being written.
pub fn is_complete_document(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)).is_ok()
}
