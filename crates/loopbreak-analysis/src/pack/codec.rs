//! How a value becomes bytes, and a value again.

use super::words::WordTable;

/// A value that can be put away.
pub(crate) trait PackedRecord: Sized {
    /// Adds its bytes.
    fn pack(&self, to: &mut RecordPacker<'_>);
    /// Takes its bytes off. Nothing if they are not those of such a value.
    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self>;
}

/// Bytes that grow.
#[derive(Debug)]
pub(crate) struct RecordPacker<'w> {
    pub(crate) bytes: Vec<u8>,
    pub(super) words: &'w mut WordTable,
}

impl<'w> RecordPacker<'w> {
    pub(crate) fn new(words: &'w mut WordTable) -> Self {
        RecordPacker { bytes: Vec::new(), words }
    }

    /// A number in as few bytes as it needs: most are small.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// So many bytes, and then these.
    pub(crate) fn piece(&mut self, piece: &[u8]) {
        self.number(piece.len() as u64);
        self.bytes.extend_from_slice(piece);
    }
}

/// Bytes that are read from the front.
#[derive(Debug)]
pub(crate) struct RecordUnpacker<'b> {
    rest: &'b [u8],
    pub(super) words: &'b WordTable,
}

impl<'b> RecordUnpacker<'b> {
    pub(crate) fn new(bytes: &'b [u8], words: &'b WordTable) -> Self {
        RecordUnpacker { rest: bytes, words }
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (piece, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(piece)
    }

    pub(crate) fn piece(&mut self) -> Option<&'b [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.bytes(count)
    }

    /// How many values follow. Each takes a byte at least, so no number makes room for more than there are.
    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.rest.len())
    }

    /// Whether all was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Structs field by field. One that is left out does not compile.
macro_rules! packed {
    ($($type:ident { $($field:ident),+ $(,)? })+) => { $(
        impl $crate::pack::PackedRecord for $type {
            fn pack(&self, to: &mut $crate::pack::RecordPacker<'_>) {
                let $type { $($field),+ } = self;
                $($crate::pack::PackedRecord::pack($field, to);)+
            }

            fn unpack(from: &mut $crate::pack::RecordUnpacker<'_>) -> Option<Self> {
                Some($type { $($field: $crate::pack::PackedRecord::unpack(from)?),+ })
            }
        }
    )+ };
}

/// Values that are one of a list, by their place in it.
macro_rules! one_of {
    ($($type:ty: $list:expr;)+) => { $(
        impl $crate::pack::PackedRecord for $type {
            fn pack(&self, to: &mut $crate::pack::RecordPacker<'_>) {
                let place = $list.iter().position(|known| known == self);
                to.number(place.unwrap_or(usize::MAX) as u64);
            }

            fn unpack(from: &mut $crate::pack::RecordUnpacker<'_>) -> Option<Self> {
                $list.get(usize::try_from(from.number()?).ok()?).copied()
            }
        }
    )+ };
}

pub(crate) use {one_of, packed};
