//! Upper bounds of the size of values in a snapshot.

/// A value in a snapshot whose size has an upper bound, derived from its type.
///
/// The bounds count the JSON that serde writes. They grow with the numbers of turns and steps, so they are
/// functions of the digits of the largest one.
pub(crate) trait SnapshotSize {
    /// True if values differ much in size, because they contain collections. Others all count as the largest
    /// value of their type: to measure them at every step would cost more than the step.
    const VARIES: bool = false;

    /// Returns an upper bound in bytes of all values, where turns and counts have at most `digits` digits.
    fn max_bytes(digits: usize) -> usize;

    /// Returns an upper bound in bytes of this value.
    fn snapshot_bytes(&self, digits: usize) -> usize {
        Self::max_bytes(digits)
    }
}

/// Returns an upper bound of an array with `count` elements, each with a comma after it. It looks at the elements only if
/// their sizes vary.
#[inline]
pub(super) fn array_bytes<'v, T: SnapshotSize + 'v>(
    count: usize,
    elements: impl Iterator<Item = &'v T>,
    digits: usize,
) -> usize {
    if T::VARIES {
        "[]".len() + elements.map(|element| element.snapshot_bytes(digits) + ",".len()).sum::<usize>()
    } else {
        max_array_bytes::<T>(count, digits)
    }
}

/// Returns an upper bound of any array with at most `count` elements.
#[inline]
pub(super) fn max_array_bytes<T: SnapshotSize>(count: usize, digits: usize) -> usize {
    "[]".len() + count * (T::max_bytes(digits) + ",".len())
}

/// Returns the size of the longest of these names in quotes.
pub(crate) const fn longest_name(names: &[&str]) -> usize {
    let (mut longest, mut at) = (0, 0);
    while at < names.len() {
        if names[at].len() > longest {
            longest = names[at].len();
        }
        at += 1;
    }
    longest + "\"\"".len()
}

const fn digits_of(number: u64) -> usize {
    number.ilog10() as usize + 1
}

macro_rules! fixed_sizes {
    ($($type:ty: $bytes:expr,)*) => {
        $(impl SnapshotSize for $type {
            fn max_bytes(_: usize) -> usize {
                const { $bytes }
            }
        })*
    };
}

fixed_sizes! {
    bool: "false".len(),
    u8: digits_of(u8::MAX as u64),
    usize: digits_of(usize::MAX as u64),
    i64: "-".len() + digits_of(i64::MIN.unsigned_abs()),
    f64: "-2.2250738585072014e-308".len(),
    super::HashKey: digits_of(super::HashKey::MAX.0),
    super::WideNumber<u32>: digits_of(u32::MAX as u64),
    super::WideNumber<u64>: digits_of(u64::MAX),
}

/// A turn number, or a number of steps, turns or changes. Other numbers of this width are a `WideNumber`.
impl SnapshotSize for u64 {
    fn max_bytes(digits: usize) -> usize {
        digits
    }
}

/// A number of steps, or their weight, which is less than ten per step. Other numbers of this width are a
/// `WideNumber`.
impl SnapshotSize for u32 {
    fn max_bytes(digits: usize) -> usize {
        (digits + 1).min(const { digits_of(u32::MAX as u64) })
    }
}

impl<T: SnapshotSize> SnapshotSize for Option<T> {
    const VARIES: bool = T::VARIES;

    fn max_bytes(digits: usize) -> usize {
        T::max_bytes(digits).max("null".len())
    }

    fn snapshot_bytes(&self, digits: usize) -> usize {
        match self {
            Some(value) if T::VARIES => value.snapshot_bytes(digits),
            None if T::VARIES => "null".len(),
            _ => Self::max_bytes(digits),
        }
    }
}

macro_rules! tuple_sizes {
    ($($($name:ident)*,)*) => {
        $(impl<$($name: SnapshotSize),*> SnapshotSize for ($($name,)*) {
            fn max_bytes(digits: usize) -> usize {
                "[".len() $(+ $name::max_bytes(digits) + ",".len())*
            }
        })*
    };
}

tuple_sizes! {
    A B,
    A B C,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Serialize;

    use super::*;
    use crate::memory::{
        BoundedList, ClippedText, HashKey, LruMap, MeasuredText, RingBuffer, WideNumber, snapshot_row,
        snapshot_type,
    };

    snapshot_row! {
        #[derive(Clone, Copy, Debug)]
        struct SampleRow {
            key: HashKey,
            turn: u64,
            flags: WideNumber<u32>,
        }
    }

    snapshot_type! {
        #[derive(Clone, Copy, Debug)]
        enum SampleState {
            Open,
            HalfOpen,
        }
    }

    snapshot_type! {
        #[derive(Debug, Default)]
        struct SampleMemory {
            #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
            ratio: Option<f64>,
            rows: RingBuffer<SampleRow, 4>,
            /// A renamed field after a comment.
            #[serde(rename = "much_longer_than_the_field")]
            names: BoundedList<MeasuredText<12>, 3>,
            label: ClippedText<8>,
            #[serde(default)]
            states: LruMap<Option<SampleState>, 2>,
            pairs: BoundedList<(u32, bool), 2>,
        }
    }

    fn written(value: &impl Serialize) -> usize {
        serde_json::to_string(value).unwrap().len()
    }

    #[test]
    fn the_largest_value_of_a_type_takes_exactly_its_bound() {
        let row = SampleRow { key: HashKey::MAX, turn: 9_999, flags: WideNumber(u32::MAX) };
        assert_eq!(written(&row), SampleRow::max_bytes(4));
        assert_eq!(written(&SampleState::HalfOpen), SampleState::max_bytes(4));
        assert_eq!(written(&i64::MIN), i64::max_bytes(4));
        assert_eq!(written(&WideNumber(u64::MAX)), WideNumber::<u64>::max_bytes(4));
        assert_eq!(written(&(u32::MAX, false)), <(u32, bool)>::max_bytes(9));
        assert_eq!(written(&[row; 4]), RingBuffer::<SampleRow, 4>::max_bytes(4) - ",".len());
    }

    #[test]
    fn a_struct_of_full_collections_stays_within_the_bound_of_its_type() {
        let row = SampleRow { key: HashKey::MAX, turn: 9_999, flags: WideNumber(u32::MAX) };
        let mut memory = SampleMemory { ratio: Some(-f64::MIN_POSITIVE), ..SampleMemory::default() };
        for number in 0..9 {
            memory.rows.push(row);
            memory.names.push("\u{1}quoted \"name\"".into());
            memory.states.touch_or_insert(HashKey(HashKey::MAX.0 - number), || Some(SampleState::HalfOpen));
            memory.pairs.push((99_999, false));
        }
        memory.label = "\n\n\n\n\n\n".into();
        let (size, bound) = (written(&memory), memory.snapshot_bytes(4));
        assert!(size <= bound && bound <= SampleMemory::max_bytes(4), "{size} bytes, bound {bound}");
        assert!(bound - size < 16, "{size} bytes, bound {bound}");
    }

    proptest! {
        #[test]
        fn a_value_never_takes_more_than_its_bound(
            ratio in any::<Option<f64>>().prop_map(|ratio| ratio.filter(|ratio| ratio.is_finite())),
            turns in prop::collection::vec(0_u64..100_000, 0..8),
            names in prop::collection::vec(".{0,20}", 0..6),
        ) {
            let mut memory = SampleMemory { ratio, ..SampleMemory::default() };
            for turn in turns {
                memory.rows.push(SampleRow { key: HashKey(turn), turn, flags: WideNumber(turn as u32) });
                memory.states.touch_or_insert(HashKey(turn), || (turn % 2 == 0).then_some(SampleState::Open));
                memory.pairs.push((turn as u32, turn % 2 == 0));
            }
            for name in &names {
                memory.names.push(name.as_str().into());
                memory.label = name.as_str().into();
            }
            prop_assert!(written(&memory) <= memory.snapshot_bytes(5));
        }
    }
}
