//! Splits a stream into lines and holds at most one of them.

use std::io::{self, BufRead};

use super::line_assembler::{LineAssembler, LineBoundary, without_line_break};

/// The longest line that is read, in bytes. A longer line is skipped without being held.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// Reads the lines of a stream. Each line is borrowed until the next one is requested.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    assembler: LineAssembler,
    /// Length of the current line in the buffer of the reader.
    lent: usize,
    found: LinePosition,
    number: u64,
    bytes: u64,
}

/// One line, without its line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLine<'a> {
    /// The line.
    Whole(&'a [u8]),
    /// The line is too long to be read.
    TooLong {
        /// Length in bytes.
        length: u64,
    },
}

/// The location of the bytes of the current line.
#[derive(Clone, Copy, Debug)]
enum LinePosition {
    End,
    InReader(usize),
    InAssembler,
    TooLong(u64),
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader for lines of at most [`LONGEST_LINE`] bytes.
    pub fn new(reader: R) -> Self {
        LineReader::with_max_length(reader, LONGEST_LINE)
    }

    /// Creates a reader for lines of at most `longest` bytes.
    pub fn with_max_length(reader: R, longest: usize) -> Self {
        LineReader {
            reader,
            assembler: LineAssembler::new(longest),
            lent: 0,
            found: LinePosition::End,
            number: 0,
            bytes: 0,
        }
    }

    /// Returns the number of the current line, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of bytes read up to the end of the current line.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the next line, or `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend out its own buffer")]
    pub fn next(&mut self) -> io::Result<Option<LogLine<'_>>> {
        self.reader.consume(std::mem::take(&mut self.lent));
        self.found = self.find()?;
        if !matches!(self.found, LinePosition::End) {
            self.number += 1;
        }
        self.current()
    }

    /// Returns the current line again.
    pub fn current(&mut self) -> io::Result<Option<LogLine<'_>>> {
        let line = match self.found {
            LinePosition::End => return Ok(None),
            LinePosition::TooLong(length) => return Ok(Some(LogLine::TooLong { length })),
            LinePosition::InAssembler => self.assembler.line(),
            // The buffer is not empty, so this reads nothing and returns the same bytes again.
            LinePosition::InReader(length) => {
                let buffer = self.reader.fill_buf()?;
                &buffer[..length.min(buffer.len())]
            }
        };
        Ok(Some(LogLine::Whole(without_line_break(line, self.number == 1))))
    }

    fn find(&mut self) -> io::Result<LinePosition> {
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let (end, cut) =
                if buffer.is_empty() { (0, self.assembler.finish()) } else { self.assembler.take(buffer) };
            self.bytes += end as u64;
            if cut == LineBoundary::InPiece {
                self.lent = end;
                return Ok(LinePosition::InReader(end));
            }
            self.reader.consume(end);
            match cut {
                LineBoundary::Open if end > 0 => {}
                LineBoundary::Open | LineBoundary::InPiece => return Ok(LinePosition::End),
                LineBoundary::Joined => return Ok(LinePosition::InAssembler),
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

    /// Returns all lines as text, or their length if they are too long.
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
    fn the_last_line_needs_no_line_break_and_crlf_is_accepted() {
        let expected = vec![Ok(b"a".to_vec()), Ok(Vec::new()), Ok(b"b".to_vec())];
        assert_eq!(lines(b"a\r\n\nb", 64, 64), expected);
        assert_eq!(lines(b"a\n\nb\n", 64, 64), expected);
        assert_eq!(lines(b"", 64, 64), []);
    }

    #[test]
    fn a_byte_order_mark_is_removed_from_the_first_line() {
        assert_eq!(lines(b"\xEF\xBB\xBFa\n", 64, 64), [Ok(b"a".to_vec())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let mut text = vec![b'x'; 1000];
        text.extend_from_slice(b"\nshort\n");
        assert_eq!(lines(&text, 16, 100), [Err(1001), Ok(b"short".to_vec())]);
        assert_eq!(lines(&text, 4096, 100), [Err(1001), Ok(b"short".to_vec())]);
    }

    #[test]
    fn the_current_line_can_be_read_again() {
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
        fn lines_equal_those_of_the_standard_library(text in "[ab \n]{0,60}") {
            let expected: Vec<_> = text.lines().map(|line| Ok(line.as_bytes().to_vec())).collect();
            prop_assert_eq!(lines(text.as_bytes(), 7, 64), expected);
        }
    }
}
