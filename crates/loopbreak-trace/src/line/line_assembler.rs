//! Assembles lines from the pieces in which they arrive. Used for streams that are read and for bytes that are
//! pushed.

/// Buffer capacity kept for the next line; a larger buffer is released.
const KEPT_CAPACITY: usize = 1024 * 1024;

/// Assembles one line at a time.
#[derive(Debug)]
pub(crate) struct LineAssembler {
    /// Holds a line only if it spans several pieces.
    line: Vec<u8>,
    /// Length so far, even if the line is too long to be held.
    length: u64,
    longest: usize,
}

/// The result of adding a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineBoundary {
    /// The line continues in the next piece.
    Open,
    /// The whole line lies in the piece.
    InPiece,
    /// The line is complete: see [`LineAssembler::line`].
    Joined,
    /// The line was too long to be held; this is its length in bytes.
    TooLong(u64),
}

impl LineAssembler {
    /// Creates an assembler for lines of at most `longest` bytes. A longer line is skipped without being held.
    pub(crate) fn new(longest: usize) -> Self {
        LineAssembler { line: Vec::new(), length: 0, longest }
    }

    /// Adds the part of a non-empty piece that belongs to the line. Returns the length of that part and the state of
    /// the line.
    pub(crate) fn take(&mut self, piece: &[u8]) -> (usize, LineBoundary) {
        let begins = self.length == 0;
        if begins {
            self.clear();
        }
        let (end, whole) = memchr::memchr(b'\n', piece).map_or((piece.len(), false), |at| (at + 1, true));
        self.length += end as u64;
        let too_long = self.length > self.longest as u64 + 1;
        if whole && begins && !too_long {
            self.length = 0;
            return (end, LineBoundary::InPiece);
        }
        if too_long {
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(&piece[..end]);
        }
        (end, if whole { self.finished(too_long) } else { LineBoundary::Open })
    }

    /// Ends the input: the last line needs no line break. Returns `Open` if nothing is left.
    pub(crate) fn finish(&mut self) -> LineBoundary {
        match self.length {
            0 => LineBoundary::Open,
            length => self.finished(length > self.longest as u64 + 1),
        }
    }

    /// Returns the line assembled last, with its line break.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Returns the number of bytes of the unfinished line.
    pub(crate) fn unfinished_bytes(&self) -> u64 {
        self.length
    }

    fn finished(&mut self, too_long: bool) -> LineBoundary {
        let length = std::mem::take(&mut self.length);
        if too_long { LineBoundary::TooLong(length) } else { LineBoundary::Joined }
    }

    fn clear(&mut self) {
        if self.line.capacity() > KEPT_CAPACITY {
            self.line = Vec::new();
        }
        self.line.clear();
    }
}

/// Returns a line without its line break; the first line also without a byte order mark.
pub(crate) fn without_line_break(line: &[u8], is_first: bool) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if is_first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_of_a_long_line_is_released() {
        let mut assembler = LineAssembler::new(8 * KEPT_CAPACITY);
        assert_eq!(assembler.take(&vec![b'x'; 3 * KEPT_CAPACITY]), (3 * KEPT_CAPACITY, LineBoundary::Open));
        assert_eq!(assembler.take(b"\nshort\n"), (1, LineBoundary::Joined));
        assert_eq!(assembler.line().len(), 3 * KEPT_CAPACITY + 1);
        assert_eq!(assembler.take(b"short\n"), (6, LineBoundary::InPiece));
        assert!(assembler.line.capacity() <= KEPT_CAPACITY);
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let mut assembler = LineAssembler::new(100);
        for _ in 0..1000 {
            assert_eq!(assembler.take(&[b'x'; 50]), (50, LineBoundary::Open));
            assert!(assembler.line.capacity() <= 256);
        }
        assert_eq!(assembler.unfinished_bytes(), 50_000);
        assert_eq!(assembler.take(b"y\nz"), (2, LineBoundary::TooLong(50_002)));
        assert_eq!(
            (assembler.take(b"z"), assembler.finish(), assembler.line()),
            ((1, LineBoundary::Open), LineBoundary::Joined, &b"z"[..])
        );
        assert_eq!(assembler.finish(), LineBoundary::Open);
    }
}
