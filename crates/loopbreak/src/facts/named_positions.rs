//! Decides whether the agent's words show that it moves on: "now on page 3 of 12", "next month: May".
//!
//! Where results are not logged, identical clicks through a list look like a loop. The position that the agent names
//! tells the two apart: it is new each time.

use crate::memory::{HashKey, RingBuffer, key_of_lower, key_of_parts, snapshot_type};
use crate::text::clip::clip;

/// Number of positions that are remembered.
const POSITIONS: usize = 12;
/// Number of bytes of a message that are read.
const MESSAGE_BYTES: usize = 1200;

/// Words before a number that is a position.
const COUNTED: [&str; 20] = [
    "page", "item", "row", "result", "results", "slide", "step", "entry", "record", "chapter", "section",
    "part", "month", "week", "day", "year", "image", "post", "tab", "question",
];
/// Names of months, of which each is a position.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

snapshot_type! {
    /// The positions that the agent named.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct NamedPositions {
        #[serde(rename = "p")]
        known: RingBuffer<HashKey, POSITIONS>,
    }
}

impl NamedPositions {
    /// Reads a message. Returns whether it names a position that was not named before.
    pub(crate) fn read(&mut self, say: Option<&str>) -> bool {
        let Some(say) = say else { return false };
        let mut moves_on = false;
        for position in positions(clip(say, MESSAGE_BYTES)) {
            if !self.known.iter().any(|known| *known == position) {
                moves_on = true;
                self.known.push(position);
            }
        }
        moves_on
    }
}

fn positions(say: &str) -> impl Iterator<Item = HashKey> {
    let mut before = "";
    say.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).filter_map(move |word| {
        let last = std::mem::replace(&mut before, word);
        let is_in = |list: &[&str], word: &str| list.iter().any(|known| word.eq_ignore_ascii_case(known));
        // `may` in a sentence is a verb more often than a month.
        let is_month = is_in(&MONTHS, word) && (word.starts_with(char::is_uppercase));
        let is_count =
            word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit()) && is_in(&COUNTED, last);
        let counted = || key_of_parts(&[key_of_lower(last), key_of_lower(word)]);
        if is_month { Some(key_of_lower(word)) } else { is_count.then(counted) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_position_shows_that_the_agent_moves_on() {
        let mut named = NamedPositions::default();
        assert!(named.read(Some("I am on page 1 of 12. Next.")));
        assert!(named.read(Some("Now page 2 of 12.")));
        assert!(!named.read(Some("Still on page 2 of 12. I may click again.")));
        assert!(named.read(Some("The picker shows May now")));
        assert!(!named.read(Some("I will click the button again")));
        assert!(!named.read(None));
    }
}
