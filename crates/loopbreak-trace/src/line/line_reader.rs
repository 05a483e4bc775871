//! Splits a stream into lines without holding more than one of them.

use std::io::{self, BufRead};

use super::line_assembler::{LineAssembler, LineBoundary, bare};

/// The longest line that is read, in bytes. A longer one is passed over without being held.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// The lines of a stream. Lends each one out until the next is asked for.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    seam: LineAssembler,
    /// How much of the reader's buffer the line lent out last takes up.
    lent: usize,
    found: LinePosition,
    number: u64,
    bytes: u64,
}

/// One line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLine<'a> {
    /// The line.
    Whole(&'a [u8]),
    /// It was too long to be read.
    TooLong {
        /// Its length in bytes.
        length: u64,
    },
}

/// Where the bytes of a line are.
#[derive(Clone, Copy, Debug)]
enum LinePosition {
    End,
    InReader(usize),
    InSeam,
    TooLong(u64),
}

impl<R: BufRead> LineReader<R> {
    /// The lines of this stream, none longer than [`LONGEST_LINE`].
    pub fn new(reader: R) -> Self {
        LineReader::with_max_length(reader, LONGEST_LINE)
    }

    /// The same with another limit.
    pub fn with_max_length(reader: R, longest: usize) -> Self {
        LineReader {
            reader,
            seam: LineAssembler::new(longest),
            lent: 0,
            found: LinePosition::End,
            number: 0,
            bytes: 0,
        }
    }

    /// The number of the line lent out last, from 1 on.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How many bytes were read up to the end of that line.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; nothing at the end.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend out its own buffer")]
    pub fn next(&mut self) -> io::Result<Option<LogLine<'_>>> {
        self.reader.consume(std::mem::take(&mut self.lent));
        self.found = self.find()?;
        if !matches!(self.found, LinePosition::End) {
            self.number += 1;
        }
        self.current()
    }

    /// The line lent out last, once more.
    pub fn current(&mut self) -> io::Result<Option<LogLine<'_>>> {
        let line = match self.found {
            LinePosition::End => return Ok(None),
            LinePosition::TooLong(length) => return Ok(Some(LogLine::TooLong { length })),
            LinePosition::InSeam => self.seam.line(),
            // The buffer is not empty, so this reads nothing and shows the same bytes again.
            LinePosition::InReader(length) => {
                let buffer = self.reader.fill_buf()?;
                &buffer[..length.min(buffer.len())]
            }
        };
        Ok(Some(LogLine::Whole(bare(line, self.number == 1))))
    }

    fn find(&mut self) -> io::Result<LinePosition> {
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let (end, cut) = if buffer.is_empty() { (0, self.seam.rest()) } else { self.seam.take(buffer) };
            self.bytes += end as u64;
            if cut == LineBoundary::InPiece {
                self.lent = end;
                return Ok(LinePosition::InReader(end));
            }
            self.reader.consume(end);
            match cut {
                LineBoundary::Open if end > 0 => {}
                LineBoundary::Open | LineBoundary::InPiece => return Ok(LinePosition::End),
                LineBoundary::Joined => return Ok(LinePosition::InSeam),
                LineBoundary::TooLong(length) => return Ok(LinePosition::TooLong(length)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::BufReader;

    /// All lines as text, or their length where they were too long.
    fn lines(text: &[u8], buffer: usize, longest: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut lines = LineReader::with_max_length(BufReader::with_capacity(buffer, text), longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(match line {
                LogLine::Whole(line) => Ok(line.to_vec()),
                LogLine::TooLong { length } => Err(length),
            });
        }
        assert_eq!(lines.bytes(), text.len() as u64);
        assert_eq!(lines.number(), all.len() as u64);
        all
    }

    #[test]
    fn the_last_line_needs_no_end_and_ends_may_be_windows_ones() {
        let expected = vec![Ok(b"a".to_vec()), Ok(Vec::new()), Ok(b"b".to_vec())];
        assert_eq!(lines(b"a\r\n\nb", 64, 64), expected);
        assert_eq!(lines(b"a\n\nb\n", 64, 64), expected);
        assert_eq!(lines(b"", 64, 64), []);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        assert_eq!(lines(b"\xEF\xBB\xBFa\n", 64, 64), [Ok(b"a".to_vec())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_read() {
        let mut text = vec![b'x'; 1000];
        text.extend_from_slice(b"\nshort\n");
        assert_eq!(lines(&text, 16, 100), [Err(1001), Ok(b"short".to_vec())]);
        assert_eq!(lines(&text, 4096, 100), [Err(1001), Ok(b"short".to_vec())]);
    }

    #[test]
    fn a_line_can_be_had_again_wherever_it_lies() {
        for buffer in [2, 64] {
            let mut lines = LineReader::new(BufReader::with_capacity(buffer, &b"one\ntwo\n"[..]));
            assert_eq!(lines.current().unwrap(), None);
            lines.next().unwrap();
            assert_eq!(lines.current().unwrap(), Some(LogLine::Whole(b"one")));
            assert_eq!(lines.current().unwrap(), Some(LogLine::Whole(b"one")));
            assert_eq!(lines.next().unwrap(), Some(LogLine::Whole(b"two")));
            assert_eq!(lines.next().unwrap(), None);
            assert_eq!(lines.current().unwrap(), None);
        }
    }

    proptest! {
        #[test]
        fn the_size_of_the_buffer_does_not_matter(text in "[ab\r\n]{0,60}", buffer in 1_usize..20) {
            prop_assert_eq!(lines(text.as_bytes(), buffer, 64), lines(text.as_bytes(), 4096, 64));
        }

        #[test]
        fn lines_are_those_of_the_standard_library(text in "[ab \n]{0,60}") {
            let expected: Vec<_> = text.lines().map(|line| Ok(line.as_bytes().to_vec())).collect();
            prop_assert_eq!(lines(text.as_bytes(), 7, 64), expected);
        }
    }
}
