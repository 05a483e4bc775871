//! The runs of a log in the form in which the cache stores them.

use std::io;

use crate::RunRecord;

/// Maximum number of runs of a log whose results are stored.
pub(super) const MOST_RUNS: usize = 4096;
/// Maximum number of bytes of all of them.
const MOST_BYTES: usize = 24 << 20;

/// The encoded records of the runs of a log, in the order of the log.
#[derive(Debug, Default)]
pub(super) struct EncodedRuns {
    pub(super) figures: EncodedPieces,
    /// Recordings for a page, if steps are recorded.
    pub(super) recordings: EncodedPieces,
}

/// Pieces of bytes in a row, and the length of each.
#[derive(Debug, Default)]
pub(super) struct EncodedPieces {
    pub(super) lengths: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl EncodedRuns {
    /// Adds a run. An error means that the log is too large to be stored.
    pub(super) fn add(&mut self, record: &mut RunRecord) -> io::Result<()> {
        record.forget_unreported();
        self.figures.add(&record.figures_to_bytes()?)?;
        if let Some(recording) = record.recording_to_bytes()? {
            self.recordings.add(&recording)?;
        }
        Ok(())
    }
}

impl EncodedPieces {
    fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        let too_many = || io::Error::other("too many runs to be stored");
        if self.lengths.len() >= MOST_RUNS || self.bytes.len() + piece.len() > MOST_BYTES {
            return Err(too_many());
        }
        self.lengths.push(u32::try_from(piece.len()).map_err(io::Error::other)?);
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// Splits bytes into pieces of these lengths. Returns `None` if they have another length.
    pub(super) fn split<'b>(lengths: &[u32], mut bytes: &'b [u8]) -> Option<Vec<&'b [u8]>> {
        let piece = |length: &u32| {
            let (piece, rest) = bytes.split_at_checked(*length as usize)?;
            bytes = rest;
            Some(piece)
        };
        let pieces: Option<Vec<&[u8]>> = lengths.iter().map(piece).collect();
        pieces.filter(|_| bytes.is_empty())
    }
}
