//! A file for what is put away: guards of runs that others have overtaken. It has no name, and is gone with the program.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// The smallest place, in bytes. Each further class has twice the room.
const SMALLEST: u64 = 1024;

/// Pieces of text in a file, each in a place that is used again once the piece was taken out.
#[derive(Debug, Default)]
pub(super) struct Spill {
    /// Made when the first piece comes.
    file: Option<File>,
    end: u64,
    /// Places that are free, by class.
    free: Vec<Vec<u64>>,
}

/// Where a piece lies.
#[derive(Debug)]
pub(super) struct Place {
    offset: u64,
    length: u32,
}

fn class_of(length: u32) -> usize {
    u64::from(length).div_ceil(SMALLEST).max(1).next_power_of_two().trailing_zeros() as usize
}

impl Spill {
    /// Puts a piece away.
    pub(super) fn put(&mut self, piece: &[u8]) -> io::Result<Place> {
        let length = u32::try_from(piece.len()).map_err(io::Error::other)?;
        let class = class_of(length);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let free = self.free.get_mut(class).and_then(Vec::pop);
        let offset = free.unwrap_or(self.end);
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(piece)?;
        if free.is_none() {
            self.end += SMALLEST << class;
        }
        Ok(Place { offset, length })
    }

    /// Takes a piece out again.
    pub(super) fn take(&mut self, place: &Place) -> io::Result<Vec<u8>> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("nothing was put away"))?;
        let mut piece = vec![0; place.length as usize];
        file.seek(SeekFrom::Start(place.offset))?;
        file.read_exact(&mut piece)?;
        let class = class_of(place.length);
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(place.offset);
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_away_comes_back_and_its_place_is_used_again() {
        let mut spill = Spill::default();
        let pieces = [vec![1; 10], vec![2; 3000], Vec::new(), vec![3; 1025]];
        let places: Vec<Place> = pieces.iter().map(|piece| spill.put(piece).unwrap()).collect();
        let end = spill.end;
        for (piece, place) in pieces.iter().zip(&places) {
            assert_eq!(spill.take(place).unwrap(), *piece);
        }
        for _ in 0..100 {
            let place = spill.put(&[7; 2000]).unwrap();
            assert_eq!(spill.take(&place).unwrap(), [7; 2000]);
        }
        assert_eq!(spill.end, end);
    }
}
