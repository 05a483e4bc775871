//! Feeds the bytes of one file to a reader line by line. They may arrive in pieces of any size.

use super::line_assembler::{LineAssembler, LineBoundary, without_line_break};
use super::{LONGEST_LINE, LogLine};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{ReadStats, RecordSink, SkippedLine};
use crate::skip_reason::SkipReason;

/// The state of one file: its unfinished line, and the amount of data so far.
#[derive(Debug)]
pub(crate) struct LineFeeder {
    assembler: LineAssembler,
    stats: ReadStats,
    /// File name, for a companion file.
    file: Option<String>,
}

impl LineFeeder {
    pub(crate) fn new(file: Option<&str>) -> Self {
        LineFeeder {
            assembler: LineAssembler::new(LONGEST_LINE),
            stats: ReadStats::default(),
            file: file.map(str::to_owned),
        }
    }

    /// Adds bytes and passes the lines that end in them to the reader.
    pub(crate) fn push(&mut self, reader: &mut dyn LogReader, mut bytes: &[u8], sink: &mut dyn RecordSink) {
        self.stats.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let (end, cut) = self.assembler.take(bytes);
            let (piece, rest) = bytes.split_at(end);
            self.cut(cut, piece, reader, sink);
            bytes = rest;
        }
    }

    /// Ends the file: its last line needs no line break.
    pub(crate) fn close(&mut self, reader: &mut dyn LogReader, sink: &mut dyn RecordSink) {
        let cut = self.assembler.finish();
        self.cut(cut, &[], reader, sink);
    }

    /// Returns the amount of data pushed so far.
    pub(crate) fn stats(&self) -> ReadStats {
        self.stats
    }

    /// Returns the number of bytes of the unfinished line.
    pub(crate) fn unfinished_bytes(&self) -> u64 {
        self.assembler.unfinished_bytes()
    }

    fn cut(
        &mut self,
        cut: LineBoundary,
        piece: &[u8],
        reader: &mut dyn LogReader,
        sink: &mut dyn RecordSink,
    ) {
        let is_first = self.stats.lines == 0;
        let line = match cut {
            LineBoundary::Open => return,
            LineBoundary::InPiece => LogLine::Whole(without_line_break(piece, is_first)),
            LineBoundary::Joined => LogLine::Whole(without_line_break(self.assembler.line(), is_first)),
            LineBoundary::TooLong(length) => LogLine::TooLong { length },
        };
        self.stats.lines += 1;
        feed_line(reader, line, self.stats.lines, self.file.as_deref(), sink);
    }
}

/// Passes a line to the reader, or reports why it is skipped.
pub(crate) fn feed_line(
    reader: &mut dyn LogReader,
    line: LogLine<'_>,
    number: u64,
    file: Option<&str>,
    sink: &mut dyn RecordSink,
) {
    let taken = match line {
        LogLine::TooLong { length } => Err(SkipReason::too_long(length)),
        LogLine::Whole(line) if line.trim_ascii().is_empty() => return,
        // Checking the whole line once is far cheaper than checking each string.
        LogLine::Whole(line) => match simdutf8::basic::from_utf8(line) {
            Ok(text) => reader.read_unit(LogUnit { text, line: number, file }, sink),
            Err(_) => Err(SkipReason::not_utf8(line)),
        },
    };
    if let Err(reason) = taken {
        let reason = file.map_or(reason.clone(), |file| reason.in_file(file));
        sink.skipped(SkippedLine { line: number, reason });
    }
}
