//! A temporary file without a name for idle runs. The system removes it with the program.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use loopbreak_trace::OpenError;

/// Pieces of bytes in a file. The slot of a piece is reused after the piece was taken.
#[derive(Debug)]
pub(super) struct SpillFile {
    /// Created with the first piece.
    file: Option<File>,
    /// Size of the smallest slot in bytes. Each further class is twice as large.
    smallest: u64,
    /// Used length of the file, in smallest slots.
    end: u32,
    /// Free slots by class.
    free: Vec<Vec<u32>>,
}

/// The place of a piece. Small, because a million of them are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpillSlot {
    /// Position in the file, in smallest slots.
    start: u32,
    length: u32,
}

/// A temporary file that cannot be written. The log that is read has nothing to do with it.
#[derive(Debug)]
pub(super) struct SpillError(io::Error);

impl SpillError {
    fn wrap(error: io::Error) -> io::Error {
        io::Error::new(error.kind(), SpillError(error))
    }

    /// Returns the refusal of a log after an error of reading it or of storing its runs.
    pub(super) fn refusal(error: io::Error) -> OpenError {
        match error.downcast::<SpillError>() {
            Ok(SpillError(error)) => OpenError::TemporaryFile(error),
            Err(error) => OpenError::Unreadable(error),
        }
    }
}

impl fmt::Display for SpillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SpillError {}

impl SpillFile {
    pub(super) fn new(smallest: u64) -> Self {
        SpillFile { file: None, smallest, end: 0, free: Vec::new() }
    }

    fn class_of(&self, length: u32) -> usize {
        u64::from(length).div_ceil(self.smallest).max(1).next_power_of_two().trailing_zeros() as usize
    }

    /// Stores a piece.
    pub(super) fn put(&mut self, piece: &[u8]) -> io::Result<SpillSlot> {
        let length = u32::try_from(piece.len()).map_err(io::Error::other)?;
        let class = self.class_of(length);
        let free = self.free.get_mut(class).and_then(Vec::pop);
        let start = free.unwrap_or(self.end);
        if free.is_none() {
            let full = || io::Error::other("the runs need more temporary space than can be used");
            self.end = 1_u32
                .checked_shl(class as u32)
                .and_then(|room| self.end.checked_add(room))
                .ok_or_else(full)?;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(SpillError::wrap)?),
        };
        let place = SeekFrom::Start(u64::from(start) * self.smallest);
        file.seek(place).and_then(|_| file.write_all(piece)).map_err(SpillError::wrap)?;
        Ok(SpillSlot { start, length })
    }

    /// Returns the size of all slots in bytes.
    #[cfg(test)]
    pub(super) fn allocated_bytes(&self) -> u64 {
        u64::from(self.end) * self.smallest
    }

    /// Reads a piece without removing it.
    pub(super) fn read(&self, place: SpillSlot) -> io::Result<Vec<u8>> {
        let mut file = self.file.as_ref().ok_or_else(|| io::Error::other("no run was stored"))?;
        let mut piece = vec![0; place.length as usize];
        file.seek(SeekFrom::Start(u64::from(place.start) * self.smallest))?;
        file.read_exact(&mut piece)?;
        Ok(piece)
    }

    /// Reads a piece and frees its slot.
    pub(super) fn take(&mut self, place: SpillSlot) -> io::Result<Vec<u8>> {
        let piece = self.read(place)?;
        let class = self.class_of(place.length);
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(place.start);
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full disk must not look like a damaged log.
    #[test]
    fn a_full_temporary_folder_is_not_an_unreadable_log() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let refusal = SpillError::refusal(SpillError::wrap(full()));
        assert!(matches!(refusal, OpenError::TemporaryFile(_)) && !refusal.is_not_a_log());
        assert!(refusal.to_string().contains("temporary folder"), "{refusal}");
        assert_eq!(refusal.hint(), Some("set TMPDIR to a folder with more space"));
        assert!(matches!(SpillError::refusal(full()), OpenError::Unreadable(_)));
    }

    #[test]
    fn a_stored_piece_is_read_back_and_its_slot_is_reused() {
        let mut spill = SpillFile::new(1024);
        let pieces = [vec![1; 10], vec![2; 3000], Vec::new(), vec![3; 1025]];
        let places: Vec<SpillSlot> = pieces.iter().map(|piece| spill.put(piece).unwrap()).collect();
        let end = spill.end;
        for (piece, place) in pieces.iter().zip(&places) {
            assert_eq!(spill.read(*place).unwrap(), *piece);
            assert_eq!(spill.take(*place).unwrap(), *piece);
        }
        for _ in 0..100 {
            let place = spill.put(&[7; 2000]).unwrap();
            assert_eq!(spill.take(place).unwrap(), [7; 2000]);
        }
        assert_eq!(spill.end, end);
    }
}
