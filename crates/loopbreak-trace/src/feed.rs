//! Gives the bytes of one file, in whatever pieces they come, to a reader line by line.

use crate::format::{Read, Reader, Sink, Skipped, Unit};
use crate::lines::{LONGEST_LINE, Line};
use crate::reason::Reason;
use crate::seam::{Cut, Seam, bare};

/// A file on its way to a reader: the half line that waits for its end, and how much came before.
#[derive(Debug)]
pub(crate) struct Feed {
    seam: Seam,
    read: Read,
    /// Its name, where it is another file than the one that is named anyway.
    file: Option<String>,
}

impl Feed {
    pub(crate) fn new(file: Option<&str>) -> Self {
        Feed { seam: Seam::new(LONGEST_LINE), read: Read::default(), file: file.map(str::to_owned) }
    }

    /// The next bytes. What ends in them goes to the reader.
    pub(crate) fn push(&mut self, reader: &mut dyn Reader, mut bytes: &[u8], sink: &mut dyn Sink) {
        self.read.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let (end, cut) = self.seam.take(bytes);
            let (piece, rest) = bytes.split_at(end);
            self.cut(cut, piece, reader, sink);
            bytes = rest;
        }
    }

    /// The file is at its end: its last line needs none.
    pub(crate) fn close(&mut self, reader: &mut dyn Reader, sink: &mut dyn Sink) {
        let cut = self.seam.rest();
        self.cut(cut, &[], reader, sink);
    }

    /// How much was pushed so far.
    pub(crate) fn read(&self) -> Read {
        self.read
    }

    /// How many bytes of a line wait for its end.
    pub(crate) fn waiting(&self) -> u64 {
        self.seam.waiting()
    }

    fn cut(&mut self, cut: Cut, piece: &[u8], reader: &mut dyn Reader, sink: &mut dyn Sink) {
        let is_first = self.read.lines == 0;
        let line = match cut {
            Cut::Open => return,
            Cut::InPiece => Line::Whole(bare(piece, is_first)),
            Cut::Joined => Line::Whole(bare(self.seam.line(), is_first)),
            Cut::TooLong(length) => Line::TooLong { length },
        };
        self.read.lines += 1;
        take(reader, line, self.read.lines, self.file.as_deref(), sink);
    }
}

/// Gives a line to the reader, or says why not.
pub(crate) fn take(
    reader: &mut dyn Reader,
    line: Line<'_>,
    number: u64,
    file: Option<&str>,
    sink: &mut dyn Sink,
) {
    let taken = match line {
        Line::TooLong { length } => Err(Reason::too_long(length)),
        Line::Whole(line) if line.trim_ascii().is_empty() => return,
        // Checked as a whole, once, which is far cheaper than string by string.
        Line::Whole(line) => match simdutf8::basic::from_utf8(line) {
            Ok(text) => reader.unit(Unit { text, line: number }, sink),
            Err(_) => Err(Reason::not_utf8(line)),
        },
    };
    if let Err(reason) = taken {
        let reason = file.map_or(reason.clone(), |file| reason.in_file(file));
        sink.skipped(Skipped { line: number, reason });
    }
}
