//! The values that runs are made of.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Intervention, Pattern, Severity};

use super::codec::{PackedRecord, RecordPacker, RecordUnpacker, one_of, packed};

impl PackedRecord for u64 {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.number(*self);
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        from.number()
    }
}

impl PackedRecord for u32 {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.number(u64::from(*self));
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        from.number()?.try_into().ok()
    }
}

impl PackedRecord for usize {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.number(*self as u64);
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        from.number()?.try_into().ok()
    }
}

/// Times, which are before 1970 in odd logs only.
impl PackedRecord for i64 {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.number(self.cast_unsigned());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        Some(from.number()?.cast_signed())
    }
}

impl PackedRecord for f64 {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.bytes.extend_from_slice(&self.to_bits().to_le_bytes());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        let bytes = from.bytes(size_of::<f64>())?.try_into().ok()?;
        Some(f64::from_bits(u64::from_le_bytes(bytes)))
    }
}

impl PackedRecord for bool {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.number(u64::from(*self));
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        Some(from.number()? != 0)
    }
}

impl PackedRecord for String {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        to.piece(self.as_bytes());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        std::str::from_utf8(from.piece()?).ok().map(str::to_owned)
    }
}

impl PackedRecord for &'static str {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        let number = to.words.number(self);
        to.number(number);
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        let number = from.number()?;
        from.words.word(number)
    }
}

impl<T: PackedRecord> PackedRecord for Option<T> {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        self.is_some().pack(to);
        if let Some(value) = self {
            value.pack(to);
        }
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        Some(if bool::unpack(from)? { Some(T::unpack(from)?) } else { None })
    }
}

/// How many values there are, and each of them.
fn values<'v, T: PackedRecord + 'v>(to: &mut RecordPacker<'_>, values: impl ExactSizeIterator<Item = &'v T>) {
    to.number(values.len() as u64);
    for value in values {
        value.pack(to);
    }
}

/// The same for names with their values.
pub(super) fn pairs<'v, K: PackedRecord + 'v, V: PackedRecord + 'v>(
    to: &mut RecordPacker<'_>,
    pairs: impl ExactSizeIterator<Item = (&'v K, &'v V)>,
) {
    to.number(pairs.len() as u64);
    for (key, value) in pairs {
        key.pack(to);
        value.pack(to);
    }
}

/// All values of a list, or all pairs of a map.
pub(super) fn collected<T: PackedRecord, C: FromIterator<T>>(from: &mut RecordUnpacker<'_>) -> Option<C> {
    (0..from.count()?).map(|_| T::unpack(from)).collect()
}

impl<T: PackedRecord> PackedRecord for Vec<T> {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        values(to, self.iter());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        collected::<T, _>(from)
    }
}

impl<T: PackedRecord> PackedRecord for VecDeque<T> {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        values(to, self.iter());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        collected::<T, _>(from)
    }
}

impl<T: PackedRecord + Eq + Hash, S: BuildHasher + Default> PackedRecord for HashSet<T, S> {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        values(to, self.iter());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        collected::<T, _>(from)
    }
}

impl<K: PackedRecord + Eq + Hash, V: PackedRecord, S: BuildHasher + Default> PackedRecord
    for HashMap<K, V, S>
{
    fn pack(&self, to: &mut RecordPacker<'_>) {
        pairs(to, self.iter());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        collected::<(K, V), _>(from)
    }
}

impl<K: PackedRecord + Ord, V: PackedRecord> PackedRecord for BTreeMap<K, V> {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        pairs(to, self.iter());
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        collected::<(K, V), _>(from)
    }
}

impl<A: PackedRecord, B: PackedRecord> PackedRecord for (A, B) {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        self.0.pack(to);
        self.1.pack(to);
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

impl<A: PackedRecord, B: PackedRecord, C: PackedRecord> PackedRecord for (A, B, C) {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        self.0.pack(to);
        self.1.pack(to);
        self.2.pack(to);
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?, C::unpack(from)?))
    }
}

impl PackedRecord for LoopId {
    fn pack(&self, to: &mut RecordPacker<'_>) {
        self.0.pack(to);
    }

    fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
        u64::unpack(from).map(LoopId)
    }
}

/// Names by their place in the list, and those that are not in it as text.
macro_rules! names {
    ($($type:ident)+) => { $(
        impl PackedRecord for $type {
            fn pack(&self, to: &mut RecordPacker<'_>) {
                match $type::ALL.iter().position(|known| known == self) {
                    Some(place) => to.number(place as u64 + 1),
                    None => {
                        to.number(0);
                        to.piece(self.as_str().as_bytes());
                    }
                }
            }

            fn unpack(from: &mut RecordUnpacker<'_>) -> Option<Self> {
                match from.number()? {
                    0 => std::str::from_utf8(from.piece()?).ok()?.parse().ok(),
                    place => $type::ALL.get(usize::try_from(place - 1).ok()?).copied(),
                }
            }
        }
    )+ };
}

names! { DetectorName Pattern }

one_of! {
    Intervention: Intervention::ALL;
    Severity: Severity::ALL;
}

packed! {
    Finding { turn, since, detector, pattern, severity, intervention, loop_id, agent, enforced, count, evidence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::WordTable;

    fn again<T: PackedRecord>(value: &T) -> Option<T> {
        let mut words = WordTable::default();
        let mut to = RecordPacker::new(&mut words);
        value.pack(&mut to);
        let bytes = to.bytes;
        for cut in 0..bytes.len() {
            // What is cut off is no value, and no reason to fall over.
            assert!(T::unpack(&mut RecordUnpacker::new(&bytes[..cut], &words)).is_none());
        }
        let mut from = RecordUnpacker::new(&bytes, &words);
        T::unpack(&mut from).filter(|_| from.is_empty())
    }

    #[test]
    fn numbers_come_back_bit_for_bit() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            assert_eq!(again(&number), Some(number));
            assert_eq!(again(&number.cast_signed()), Some(number.cast_signed()));
        }
        for number in [0.0, -0.0, 0.1, f64::MIN_POSITIVE, f64::INFINITY, -1e308] {
            assert_eq!(again(&number).map(f64::to_bits), Some(number.to_bits()));
        }
    }

    #[test]
    fn texts_words_and_lists_come_back() {
        let value = (Some("hé".to_owned()), vec![("cycle", true), ("drift", false), ("cycle", true)]);
        assert_eq!(again(&value), Some(value));
        let map: HashMap<String, u32> = [("a".to_owned(), 1), ("b".to_owned(), 2)].into();
        assert_eq!(again(&map), Some(map));
        assert_eq!(again(&None::<u64>), Some(None));
    }

    #[test]
    fn every_detector_and_every_rung_has_its_number() {
        for detector in DetectorName::ALL {
            assert_eq!(again(detector), Some(*detector));
        }
        let brought: Pattern = "refused_proposal".parse().unwrap();
        assert_eq!(again(&brought), Some(brought));
        for rung in Intervention::ALL.iter().copied() {
            assert_eq!(again(&rung), Some(rung));
        }
    }

    #[test]
    fn a_number_that_promises_too_much_makes_no_room_for_it() {
        let words = WordTable::default();
        let bytes = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1];
        assert_eq!(Vec::<u64>::unpack(&mut RecordUnpacker::new(&bytes, &words)), None);
    }
}
