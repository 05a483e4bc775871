//! Gives the bytes of one file, in whatever pieces they come, to a reader line by line.

use super::line_assembler::{LineAssembler, LineBoundary, bare};
use super::{LONGEST_LINE, LogLine};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{ReadStats, RecordSink, SkippedLine};
use crate::skip_reason::SkipReason;

/// A file on its way to a reader: the half line that waits for its end, and how much came before.
#[derive(Debug)]
pub(crate) struct LineFeeder {
    seam: LineAssembler,
    read: ReadStats,
    /// Its name, where it is another file than the one that is named anyway.
    file: Option<String>,
}

impl LineFeeder {
    pub(crate) fn new(file: Option<&str>) -> Self {
        LineFeeder {
            seam: LineAssembler::new(LONGEST_LINE),
            read: ReadStats::default(),
            file: file.map(str::to_owned),
        }
    }

    /// The next bytes. What ends in them goes to the reader.
    pub(crate) fn push(&mut self, reader: &mut dyn LogReader, mut bytes: &[u8], sink: &mut dyn RecordSink) {
        self.read.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let (end, cut) = self.seam.take(bytes);
            let (piece, rest) = bytes.split_at(end);
            self.cut(cut, piece, reader, sink);
            bytes = rest;
        }
    }

    /// The file is at its end: its last line needs none.
    pub(crate) fn close(&mut self, reader: &mut dyn LogReader, sink: &mut dyn RecordSink) {
        let cut = self.seam.rest();
        self.cut(cut, &[], reader, sink);
    }

    /// How much was pushed so far.
    pub(crate) fn read(&self) -> ReadStats {
        self.read
    }

    /// How many bytes of a line wait for its end.
    pub(crate) fn waiting(&self) -> u64 {
        self.seam.waiting()
    }

    fn cut(
        &mut self,
        cut: LineBoundary,
        piece: &[u8],
        reader: &mut dyn LogReader,
        sink: &mut dyn RecordSink,
    ) {
        let is_first = self.read.lines == 0;
        let line = match cut {
            LineBoundary::Open => return,
            LineBoundary::InPiece => LogLine::Whole(bare(piece, is_first)),
            LineBoundary::Joined => LogLine::Whole(bare(self.seam.line(), is_first)),
            LineBoundary::TooLong(length) => LogLine::TooLong { length },
        };
        self.read.lines += 1;
        give_line(reader, line, self.read.lines, self.file.as_deref(), sink);
    }
}

/// Gives a line to the reader, or says why not.
pub(crate) fn give_line(
    reader: &mut dyn LogReader,
    line: LogLine<'_>,
    number: u64,
    file: Option<&str>,
    sink: &mut dyn RecordSink,
) {
    let taken = match line {
        LogLine::TooLong { length } => Err(SkipReason::too_long(length)),
        LogLine::Whole(line) if line.trim_ascii().is_empty() => return,
        // Checked as a whole, once, which is far cheaper than string by string.
        LogLine::Whole(line) => match simdutf8::basic::from_utf8(line) {
            Ok(text) => reader.read_unit(LogUnit { text, line: number }, sink),
            Err(_) => Err(SkipReason::not_utf8(line)),
        },
    };
    if let Err(reason) = taken {
        let reason = file.map_or(reason.clone(), |file| reason.in_file(file));
        sink.skipped(SkippedLine { line: number, reason });
    }
}
