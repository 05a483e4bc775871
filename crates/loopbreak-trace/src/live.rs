//! Reads logs while they are written: bytes in as they are appended, records out.

use std::fmt;

use serde::de::IgnoredAny;

use crate::feed::Feed;
use crate::format::{Format, Kin, Reader, Sink};
use crate::glimpse::{End, Glimpse};
use crate::kin;
use crate::lines::LONGEST_LINE;
use crate::open::Refusal;
use crate::read;
use crate::sniff::{Layout, Sniffed, sniff};
use crate::unpack::is_packed;

/// How much of the beginning of a file is looked at, at most, unless its first line is longer. What is no log by then is none.
pub const LOOKED_AT: usize = 4 * 1024 * 1024;

/// What the beginning of a file that is written shows.
#[derive(Debug)]
pub enum Looked {
    /// Too little to say; look again when there is more.
    NotYet,
    /// It is no log, and does not become one by growing.
    Never(NotFollowed),
    /// It is one.
    Log {
        /// Its format.
        format: Format,
        /// How it is to be read.
        shape: Shape,
        /// The run and the agent whose file it is, where a run is spread over files.
        kin: Option<Kin>,
    },
}

/// How a file that is written is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Record after record: what is appended is new. [`Live::push`] takes it.
    Lines,
    /// One value that holds a whole run, and is written anew whenever the run goes on. [`Live::whole`] takes it.
    Document,
    /// One record, which stands in a file of its own among others. [`Live::whole`] takes it.
    Piece,
}

/// Why a file is not followed.
#[derive(Debug)]
pub enum NotFollowed {
    /// It is packed, so it is over.
    Packed,
    /// It is no log.
    NoLog(Refusal),
}

impl fmt::Display for NotFollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFollowed::Packed => f.write_str("packed, so it does not grow; loopbreak analyze reads it"),
            NotFollowed::NoLog(refusal) => refusal.fmt(f),
        }
    }
}

/// Looks at the beginning of a file: [`LOOKED_AT`] of it or, where the first line is longer, that line. `settled` says that this is all of it and that nobody is
/// writing at it now: then the last line needs no end.
pub fn look(head: &[u8], settled: bool, only: Option<Format>) -> Looked {
    if is_packed(head) {
        return Looked::Never(NotFollowed::Packed);
    }
    let lines = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let full = head.len() >= if lines > 0 { LOOKED_AT } else { LONGEST_LINE };
    // A line that is half there looks like the beginning of a document.
    let head = if settled || full { head } else { &head[..lines] };
    // Reading from memory does not fail.
    let sniffed = sniff(head, only).unwrap_or(Sniffed::Unknown);
    let (format, layout) = match sniffed {
        Sniffed::Log(format, layout) => (format, layout),
        Sniffed::Binary => return Looked::Never(NotFollowed::NoLog(Refusal::Binary)),
        Sniffed::Utf16 => return Looked::Never(NotFollowed::NoLog(Refusal::Utf16)),
        Sniffed::Unknown if full => return Looked::Never(NotFollowed::NoLog(Refusal::Unknown)),
        Sniffed::Empty | Sniffed::Unknown => return Looked::NotYet,
    };
    if layout == Layout::Document {
        return Looked::Log { format, shape: Shape::Document, kin: None };
    }
    let kin = kin::of_head(head);
    let single = single(head);
    let is_run = single.is_some_and(|value| holds_run(format, value));
    let is_piece = single.is_some() && kin.as_ref().is_some_and(|kin| kin.order.is_some());
    let shape = match (is_run, is_piece && !head.ends_with(b"\n")) {
        (true, _) => Shape::Document,
        (_, true) => Shape::Piece,
        _ => Shape::Lines,
    };
    let kin = kin.filter(|kin| kin.order.is_none() || shape == Shape::Piece);
    Looked::Log { format, shape, kin }
}

/// The only line that there is, and nothing if there are more.
fn single(head: &[u8]) -> Option<&str> {
    let head = head.trim_ascii();
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    std::str::from_utf8(text).ok().filter(|text| !text.contains('\n'))
}

fn holds_run(format: Format, value: &str) -> bool {
    let glimpse = Glimpse::of(value);
    // One that is longer than the look is cut.
    glimpse.end() != End::Broken && glimpse.begins() && format.kind().holds_run(&glimpse)
}

/// Whether a document is there as a whole, or still being written.
pub fn is_whole(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)).is_ok()
}

/// Reads a log of which more and more is written: what is pushed into it comes out as records, as soon as whole lines are
/// there and the format knows that a step is complete. It keeps what it needs between pushes: of each file a line without its
/// end, of at most [`crate::LONGEST_LINE`], and what the format needs, which has a bound. A line that cannot be read is skipped, and
/// told.
pub struct Live {
    format: Format,
    reader: Box<dyn Reader>,
    files: Vec<Feed>,
}

impl Live {
    /// A log of this format, in one file: file 0.
    pub fn new(format: Format) -> Self {
        Live { format, reader: format.kind().reader(&[]), files: vec![Feed::new(None)] }
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// One more file of the same run, with the agent whose file it is: its number.
    pub fn join(&mut self, agent: Option<&str>) -> usize {
        if let Some(agent) = agent {
            self.reader.joined(agent);
        }
        self.files.push(Feed::new(None));
        self.files.len() - 1
    }

    /// Says that the first file is that of an agent, and not of the run as a whole.
    pub fn is_of(&mut self, agent: &str) {
        self.reader.joined(agent);
    }

    /// Takes what was appended to a file.
    pub fn push(&mut self, file: usize, bytes: &[u8], sink: &mut dyn Sink) {
        if let Some(feed) = self.files.get_mut(file) {
            feed.push(&mut *self.reader, bytes, sink);
        }
    }

    /// Takes a file that is one value as a whole.
    pub fn whole(&mut self, text: &[u8], sink: &mut dyn Sink) {
        read::whole(&mut *self.reader, text, sink);
    }

    /// Nothing more comes of a file: its last line needs no end.
    pub fn close(&mut self, file: usize, sink: &mut dyn Sink) {
        if let Some(feed) = self.files.get_mut(file) {
            feed.close(&mut *self.reader, sink);
        }
    }

    /// Nothing more comes at all: gives what was held back.
    pub fn end(&mut self, sink: &mut dyn Sink) {
        for feed in &mut self.files {
            feed.close(&mut *self.reader, sink);
        }
        self.reader.end(sink);
    }

    /// Gives what the format held back because more may belong to it, as at the end; lines without their end are left alone.
    pub fn give_up_waiting(&mut self, sink: &mut dyn Sink) {
        self.reader.end(sink);
    }

    /// How many bytes of a file wait for the end of their line.
    pub fn waiting(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, Feed::waiting)
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("format", &self.format).finish_non_exhaustive()
    }
}
