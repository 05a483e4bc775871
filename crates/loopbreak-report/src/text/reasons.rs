//! Reasons of several similar interventions, merged into one sentence.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr as _;

use super::style::TextStyle;

/// The first reason, with ranges in place of numbers that differ, and the number of other reasons.
#[derive(Debug)]
pub(super) struct MergedReasons {
    words: Vec<ReasonWord>,
    others: BTreeSet<String>,
}

#[derive(Debug)]
enum ReasonWord {
    Plain(String),
    /// A whole number from the lowest to the highest, and the punctuation after it.
    Number(u64, u64, String),
}

impl ReasonWord {
    fn parse(word: &str) -> Self {
        let digits = word.trim_end_matches([',', '.', ';', ':', '%']);
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(number) if is_number => ReasonWord::Number(number, number, word[digits.len()..].to_owned()),
            _ => ReasonWord::Plain(word.to_owned()),
        }
    }

    fn is_like(&self, other: &ReasonWord) -> bool {
        match (self, other) {
            (ReasonWord::Plain(a), ReasonWord::Plain(b))
            | (ReasonWord::Number(.., a), ReasonWord::Number(.., b)) => a == b,
            _ => false,
        }
    }

    /// Returns the word without its number.
    fn shape(&self) -> &str {
        match self {
            ReasonWord::Plain(word) => word,
            ReasonWord::Number(..) => "#",
        }
    }
}

impl MergedReasons {
    pub(super) fn new(reason: &str) -> Self {
        MergedReasons {
            words: reason.split_whitespace().map(ReasonWord::parse).collect(),
            others: BTreeSet::new(),
        }
    }

    pub(super) fn add(&mut self, reason: &str) {
        let words: Vec<ReasonWord> = reason.split_whitespace().map(ReasonWord::parse).collect();
        let alike = words.len() == self.words.len()
            && self.words.iter().zip(&words).all(|(mine, other)| mine.is_like(other));
        if !alike {
            self.others.insert(words.iter().map(ReasonWord::shape).collect::<Vec<_>>().join(" "));
            return;
        }
        for (mine, other) in self.words.iter_mut().zip(&words) {
            if let (ReasonWord::Number(low, high, _), ReasonWord::Number(number, ..)) = (mine, other) {
                (*low, *high) = ((*low).min(*number), (*high).max(*number));
            }
        }
    }

    /// Renders the reasons on one line of at most `width` columns. The number of others is shown even if the sentence
    /// is cut.
    pub(super) fn render(&self, look: &TextStyle, width: usize) -> String {
        let dash = look.sign("–", "-");
        let words = self.words.iter().map(|word| match word {
            ReasonWord::Plain(word) => word.clone(),
            ReasonWord::Number(low, high, after) if low == high => format!("{low}{after}"),
            ReasonWord::Number(low, high, after) => format!("{low}{dash}{high}{after}"),
        });
        let text = words.collect::<Vec<_>>().join(" ");
        let more = match self.others.len() {
            0 => String::new(),
            others => format!(", +{others} more"),
        };
        look.fit_words(&text, width.saturating_sub(more.width())) + &more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(reasons: &[&str], width: usize) -> String {
        let mut all = MergedReasons::new(reasons[0]);
        for reason in &reasons[1..] {
            all.add(reason);
        }
        all.render(&TextStyle::default(), width)
    }

    #[test]
    fn numbers_become_ranges_and_other_reasons_a_count() {
        assert_eq!(text(&["no progress for 45 turns"], 80), "no progress for 45 turns");
        assert_eq!(
            text(&["no progress for 45 turns", "no progress for 20 turns"], 80),
            "no progress for 20–45 turns"
        );
        let camps = [
            "5 of the last 10 turns at Dam",
            "7 of the last 10 turns at Dam",
            "6 of the last 10 turns at Hall",
        ];
        assert_eq!(text(&camps, 80), "5–7 of the last 10 turns at Dam, +1 more");
        assert_eq!(text(&camps, 36), "5–7 of the last 10 turns …, +1 more");
    }

    #[test]
    fn others_that_differ_in_numbers_only_are_one() {
        assert_eq!(
            text(&["at Dam, 1 time", "at Hall, 2 times", "at Hall, 3 times"], 80),
            "at Dam, 1 time, +1 more"
        );
    }

    #[test]
    fn a_number_too_long_to_be_one_is_a_word() {
        let long = "9".repeat(30);
        assert_eq!(text(&[&long, &long], 80), long);
    }
}
