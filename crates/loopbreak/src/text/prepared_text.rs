//! Similarity of two texts: `2·LCS / (len1 + len2)` over their characters, like rapidfuzz's `ratio`.
//!
//! The question is always "is the similarity to one of the last five outputs at least 0.90?", and the answer
//! is nearly always no. Therefore a text is prepared once, when it enters the window, and a comparison first
//! tries the cheap proofs that the cutoff cannot be reached (lengths, then character counts). The remaining
//! pairs go to a bit-parallel longest common subsequence (Hyyrö's recurrence over blocks of 64 rows). It
//! computes only the diagonal band that the cutoff allows, and stops once the cutoff is out of reach.

use serde::{Deserialize, Serialize};

/// A text that is prepared for comparisons. Only the text is serialized. The rest is computed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct PreparedText {
    text: String,
    chars: usize,
    histogram: [u32; BUCKETS],
}

const BUCKETS: usize = 64;
const BLOCK: usize = 64;

impl PreparedText {
    /// Counts the characters of `text` and keeps it.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut chars = 0;
        let mut histogram = [0; BUCKETS];
        for char in text.chars() {
            chars += 1;
            histogram[char as usize % BUCKETS] += 1;
        }
        Self { text, chars, histogram }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the length in characters.
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Returns an upper bound of the common subsequence with `other`. Characters that share a bucket only
    /// increase it, so it never excludes a pair wrongly.
    fn most_in_common(&self, other: &Self) -> usize {
        self.histogram.iter().zip(&other.histogram).map(|(left, right)| *left.min(right) as usize).sum()
    }
}

impl From<String> for PreparedText {
    fn from(text: String) -> Self {
        PreparedText::new(text)
    }
}

impl From<PreparedText> for String {
    fn from(prepared: PreparedText) -> Self {
        prepared.text
    }
}

/// Returns the similarity of two texts, from 0 to 1. It is 1 for two empty texts.
pub fn ratio(left: &PreparedText, right: &PreparedText) -> f64 {
    ratio_at_least(left, right, 0.0).unwrap_or(0.0)
}

/// Returns the similarity of two texts if it is at least `cutoff`. A higher cutoff costs less.
pub fn ratio_at_least(left: &PreparedText, right: &PreparedText, cutoff: f64) -> Option<f64> {
    let total = left.chars + right.chars;
    let needed = common_needed(total, cutoff)?;
    let shorter = left.chars.min(right.chars);
    if shorter < needed {
        return None;
    }
    if left.text == right.text {
        return Some(1.0);
    }
    if left.most_in_common(right) < needed {
        return None;
    }
    let common = common_at_least(left, right, needed)?;
    Some(ratio_of(common, total))
}

fn ratio_of(common: usize, total: usize) -> f64 {
    if total == 0 { 1.0 } else { (2 * common) as f64 / total as f64 }
}

/// Returns the shortest common subsequence whose ratio reaches `cutoff`, or `None` if even identical texts do not.
///
/// The loop corrects the rounding of the estimate, so that pruning and the final ratio agree to the last bit
/// on which side of the cutoff a pair lies.
fn common_needed(total: usize, cutoff: f64) -> Option<usize> {
    if cutoff.is_nan() || cutoff > 1.0 {
        return None;
    }
    let estimate = (cutoff * total as f64 / 2.0).ceil() as usize;
    let first = estimate.saturating_sub(1);
    (first..=first + 2).find(|&common| ratio_of(common, total) >= cutoff)
}

fn common_at_least(left: &PreparedText, right: &PreparedText, needed: usize) -> Option<usize> {
    let ends = CommonEnds::new(&left.text, &right.text);
    let affix = ends.chars();
    let needed = needed.saturating_sub(affix);
    let sizes = (left.chars - affix, right.chars - affix);
    // The pattern is divided into blocks, so the shorter text is the pattern.
    let (pattern, walked, sizes) = if sizes.0 <= sizes.1 {
        (ends.left, ends.right, sizes)
    } else {
        (ends.right, ends.left, (sizes.1, sizes.0))
    };
    let ascii = pattern.len() == sizes.0 && walked.len() == sizes.1;
    let middle = if sizes.0 == 0 {
        0
    } else if ascii {
        let table = MatchTable::new(pattern.bytes().map(char::from), sizes.0);
        DiagonalBand::new(sizes.0, sizes.1, needed)?.longest(&table, walked.bytes().map(char::from))?
    } else {
        let table = MatchTable::new(pattern.chars(), sizes.0);
        DiagonalBand::new(sizes.0, sizes.1, needed)?.longest(&table, walked.chars())?
    };
    (middle >= needed).then_some(affix + middle)
}

/// The common ends of two texts, which are part of a longest common subsequence, and the rest of each text.
struct CommonEnds<'a> {
    prefix: &'a str,
    suffix: &'a str,
    left: &'a str,
    right: &'a str,
}

impl<'a> CommonEnds<'a> {
    fn new(left: &'a str, right: &'a str) -> Self {
        let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
        // Equal bytes before the cut put both texts at the same position inside a character.
        let prefix = left.floor_char_boundary(same);
        let (prefix, left) = left.split_at(prefix);
        let right = &right[prefix.len()..];
        let same = left.bytes().rev().zip(right.bytes().rev()).take_while(|(a, b)| a == b).count();
        let suffix = left.len() - left.ceil_char_boundary(left.len() - same);
        let (left, suffix) = left.split_at(left.len() - suffix);
        let right = &right[..right.len() - suffix.len()];
        Self { prefix, suffix, left, right }
    }

    fn chars(&self) -> usize {
        self.prefix.chars().count() + self.suffix.chars().count()
    }
}

/// For each character of the pattern, its positions, one bit each.
struct MatchTable {
    blocks: usize,
    ascii: [u16; 128],
    /// Sorted characters with their rows.
    others: Vec<(char, usize)>,
    rows: Vec<u64>,
}

impl MatchTable {
    const ABSENT: u16 = u16::MAX;

    fn new(pattern: impl Iterator<Item = char> + Clone, length: usize) -> Self {
        let blocks = length.div_ceil(BLOCK);
        let mut ascii = [Self::ABSENT; 128];
        let mut others = Vec::new();
        let mut count = 0;
        for char in pattern.clone() {
            match ascii.get_mut(char as usize) {
                Some(row) if *row == Self::ABSENT => {
                    *row = count;
                    count += 1;
                }
                Some(_) => {}
                None => others.push((char, 0)),
            }
        }
        others.sort_unstable();
        others.dedup();
        for (offset, (_, row)) in others.iter_mut().enumerate() {
            *row = usize::from(count) + offset;
        }
        let rows = vec![0; (usize::from(count) + others.len()) * blocks];
        let mut table = Self { blocks, ascii, others, rows };
        for (position, char) in pattern.enumerate() {
            if let Some(row) = table.row_of(char) {
                table.rows[row * blocks + position / BLOCK] |= 1 << (position % BLOCK);
            }
        }
        table
    }

    fn row_of(&self, char: char) -> Option<usize> {
        if let Some(&row) = self.ascii.get(char as usize) {
            return (row != Self::ABSENT).then_some(usize::from(row));
        }
        let found = self.others.binary_search_by_key(&char, |&(other, _)| other).ok()?;
        Some(self.others[found].1)
    }

    fn matches(&self, char: char) -> Option<&[u64]> {
        let start = self.row_of(char)? * self.blocks;
        self.rows.get(start..start + self.blocks)
    }
}

/// The diagonals that a sufficiently good alignment can touch.
///
/// An alignment that is `k` characters ahead in the pattern has skipped `k` characters there, and must still
/// make up for the rest of the difference in length. Together these are at most `slack`.
struct DiagonalBand {
    pattern: usize,
    walked: usize,
    needed: usize,
    /// Distance that the pattern may be behind the other text, and ahead of it.
    behind: usize,
    ahead: usize,
}

impl DiagonalBand {
    fn new(pattern: usize, walked: usize, needed: usize) -> Option<Self> {
        let slack = (pattern + walked).checked_sub(2 * needed)?;
        let difference = walked.checked_sub(pattern)?;
        let spare = slack.checked_sub(difference)? / 2;
        Some(Self { pattern, walked, needed, behind: difference + spare, ahead: spare })
    }

    /// Returns the length of the longest common subsequence, exact if it is at least `needed`.
    ///
    /// A zero bit in `column` marks a row where the length grows by one. Blocks outside the band are not
    /// changed, which equals having no matches there: blocks to the left pass on no carry, and blocks to the
    /// right are all ones, which a carry does not change.
    fn longest(&self, table: &MatchTable, walked: impl Iterator<Item = char>) -> Option<usize> {
        let mut column = vec![u64::MAX; table.blocks];
        for (index, char) in walked.enumerate() {
            if index % BLOCK == 0 && found(&column) + (self.walked - index) < self.needed {
                return None;
            }
            let Some(matches) = table.matches(char) else { continue };
            let first = index.saturating_sub(self.behind) / BLOCK;
            let last = (index + self.ahead).min(self.pattern - 1) / BLOCK;
            if first > last {
                break;
            }
            let mut carry = false;
            for (bits, matching) in column[first..=last].iter_mut().zip(&matches[first..=last]) {
                let hits = *bits & matching;
                let (sum, over) = bits.overflowing_add(hits);
                let (sum, over_again) = sum.overflowing_add(u64::from(carry));
                carry = over || over_again;
                *bits = sum | (*bits & !hits);
            }
        }
        Some(found(&column))
    }
}

/// Counts the zero bits. Rows past the end of the pattern never match and stay ones, so no mask is needed.
fn found(column: &[u64]) -> usize {
    column.iter().map(|bits| bits.count_zeros() as usize).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn both(left: &str, right: &str) -> (PreparedText, PreparedText) {
        (PreparedText::new(left), PreparedText::new(right))
    }

    fn reference(left: &str, right: &str) -> f64 {
        rapidfuzz::fuzz::ratio(left.chars(), right.chars())
    }

    /// Returns pairs that are often similar: a text, and a copy with some characters replaced or removed.
    fn pairs() -> impl Strategy<Value = (String, String)> {
        let text = prop_oneof!["[ab]{0,20}", "[a-e ]{0,300}", "[a-zé€😀 ]{0,200}", any::<String>()];
        let edits =
            prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![Just('x'), Just('é')]), 0..20);
        let edited = (text.clone(), edits).prop_map(|(text, edits)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (index, new) in edits {
                if chars.is_empty() {
                    break;
                }
                let at = index.index(chars.len());
                if new == 'x' {
                    chars[at] = new;
                } else {
                    chars.remove(at);
                }
            }
            (text, chars.into_iter().collect())
        });
        prop_oneof![3 => edited, 1 => (text.clone(), text)]
    }

    #[test]
    fn two_empty_texts_are_identical_and_an_empty_one_differs_from_all_others() {
        let (empty, full) = both("", "abc");
        assert_eq!(ratio_at_least(&empty, &empty.clone(), 1.0), Some(1.0));
        assert_eq!(ratio_at_least(&empty, &full, 0.1), None);
        assert_eq!(ratio_at_least(&empty, &full, 0.0), Some(0.0));
    }

    #[test]
    fn the_example_of_rapidfuzz_has_the_same_ratio() {
        let (left, right) = both("this is a test", "this is a test!");
        assert!((ratio(&left, &right) - 28.0 / 29.0).abs() < 1e-12);
    }

    #[test]
    fn the_cutoff_itself_is_reached() {
        let (left, right) = both("abcdefghij", "abcdefghiX");
        assert_eq!(ratio_at_least(&left, &right, 0.9), Some(0.9));
        let (left, right) = both("abcdefghij", "abcdefghXY");
        assert_eq!(ratio_at_least(&left, &right, 0.9), None);
    }

    #[test]
    fn a_cutoff_above_one_returns_none() {
        let (left, right) = both("abc", "abc");
        assert_eq!(ratio_at_least(&left, &right, 1.1), None);
        assert_eq!(ratio_at_least(&left, &right, f64::NAN), None);
        assert_eq!(ratio_at_least(&left, &right, f64::NEG_INFINITY), Some(1.0));
    }

    #[test]
    fn a_character_counts_once_regardless_of_its_bytes() {
        let (left, right) = both("ä€", "ä😀");
        assert!((ratio(&left, &right) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn texts_of_many_blocks_agree_with_the_reference() {
        let long: String = (0..4096_u32).map(|n| char::from(b'a' + (n * n % 23) as u8)).collect();
        let shifted = format!("xyz{}{}", &long[..2000], &long[2100..]);
        let (left, right) = both(&long, &shifted);
        let expected = reference(&long, &shifted);
        assert!((ratio(&left, &right) - expected).abs() < 1e-12);
        assert!((ratio_at_least(&left, &right, 0.9).unwrap() - expected).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_ratio_is_the_one_of_rapidfuzz((left, right) in pairs()) {
            let (a, b) = both(&left, &right);
            prop_assert!((ratio(&a, &b) - reference(&left, &right)).abs() < 1e-12);
        }

        #[test]
        fn pruning_never_changes_an_answer((left, right) in pairs(), cutoff in 0.0_f64..=1.0) {
            let (a, b) = both(&left, &right);
            let full = ratio(&a, &b);
            prop_assert_eq!(ratio_at_least(&a, &b, cutoff), (full >= cutoff).then_some(full));
            prop_assert_eq!(ratio_at_least(&a, &b, full), Some(full));
            prop_assert_eq!(ratio_at_least(&b, &a, cutoff), ratio_at_least(&a, &b, cutoff));
        }

        #[test]
        fn the_character_counts_bound_the_common_part((left, right) in pairs()) {
            let (a, b) = both(&left, &right);
            let common = common_at_least(&a, &b, 0).unwrap_or(0);
            prop_assert!(common <= a.most_in_common(&b));
        }
    }
}
