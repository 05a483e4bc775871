//! Puts lines together from the pieces that they come in. Whoever pulls lines out of a stream and whoever is given bytes as
//! they are written share this.

/// Room that a line may leave behind in the buffer; more is given back before the next line is put together.
const KEPT_ROOM: usize = 1024 * 1024;

/// The line that is being put together.
#[derive(Debug)]
pub(crate) struct LineAssembler {
    /// Holds a line only where it does not lie in one piece as a whole.
    line: Vec<u8>,
    /// How long it is so far, also where it is too long to be held.
    length: u64,
    longest: usize,
}

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineBoundary {
    /// The line goes on in the next piece.
    Open,
    /// The line lies in the piece as a whole.
    InPiece,
    /// The line was put together: [`LineAssembler::line`].
    Joined,
    /// The line was too long to be held.
    TooLong(u64),
}

impl LineAssembler {
    /// No line is longer than this, in bytes; a longer one is passed over without being held.
    pub(crate) fn new(longest: usize) -> Self {
        LineAssembler { line: Vec::new(), length: 0, longest }
    }

    /// Takes as much of a piece, which is not empty, as belongs to the line: how much that is, and what became of it.
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

    /// There is no more: the last line needs no end. `Open` where nothing is left.
    pub(crate) fn rest(&mut self) -> LineBoundary {
        match self.length {
            0 => LineBoundary::Open,
            length => self.finished(length > self.longest as u64 + 1),
        }
    }

    /// The line put together last, with its end.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// How many bytes of a line wait for its end.
    pub(crate) fn waiting(&self) -> u64 {
        self.length
    }

    fn finished(&mut self, too_long: bool) -> LineBoundary {
        let length = std::mem::take(&mut self.length);
        if too_long { LineBoundary::TooLong(length) } else { LineBoundary::Joined }
    }

    fn clear(&mut self) {
        if self.line.capacity() > KEPT_ROOM {
            self.line = Vec::new();
        }
        self.line.clear();
    }
}

/// A line without its end, and the first one without a byte order mark.
pub(crate) fn bare(line: &[u8], is_first: bool) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if is_first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_a_long_line_is_given_back() {
        let mut seam = LineAssembler::new(8 * KEPT_ROOM);
        assert_eq!(seam.take(&vec![b'x'; 3 * KEPT_ROOM]), (3 * KEPT_ROOM, LineBoundary::Open));
        assert_eq!(seam.take(b"\nshort\n"), (1, LineBoundary::Joined));
        assert_eq!(seam.line().len(), 3 * KEPT_ROOM + 1);
        assert_eq!(seam.take(b"short\n"), (6, LineBoundary::InPiece));
        assert!(seam.line.capacity() <= KEPT_ROOM);
    }

    #[test]
    fn a_line_that_never_ends_takes_no_room() {
        let mut seam = LineAssembler::new(100);
        for _ in 0..1000 {
            assert_eq!(seam.take(&[b'x'; 50]), (50, LineBoundary::Open));
            assert!(seam.line.capacity() <= 256);
        }
        assert_eq!(seam.waiting(), 50_000);
        assert_eq!(seam.take(b"y\nz"), (2, LineBoundary::TooLong(50_002)));
        assert_eq!(
            (seam.take(b"z"), seam.rest(), seam.line()),
            ((1, LineBoundary::Open), LineBoundary::Joined, &b"z"[..])
        );
        assert_eq!(seam.rest(), LineBoundary::Open);
    }
}
