//! Counts of right and wrong signals, as text.

use super::share::percent;

/// Number of labelled runs with and without a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScoreCounts {
    /// Positive runs with a signal.
    pub(super) found: u64,
    /// Negative runs with a signal.
    pub(super) wrong: u64,
    /// Positive runs without a signal.
    pub(super) missed: u64,
}

impl ScoreCounts {
    /// Renders the counts, precision, recall and F1: `2 / 1 / 1; P 67 % (21–94), R 67 % (21–94), F1 0.67`.
    pub(super) fn cell(self) -> String {
        let ScoreCounts { found, wrong, missed } = self;
        let whole = 2 * found + wrong + missed;
        let f1 =
            if whole == 0 { "–".to_owned() } else { format!("{:.2}", 2.0 * found as f64 / whole as f64) };
        format!(
            "{found} / {wrong} / {missed}; P {}, R {}, F1 {f1}",
            percent(found, found + wrong),
            percent(found, found + missed)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_give_precision_recall_and_f1() {
        let cell = |found, wrong, missed| ScoreCounts { found, wrong, missed }.cell();
        assert_eq!(cell(2, 1, 1), "2 / 1 / 1; P 67 % (21–94), R 67 % (21–94), F1 0.67");
        assert_eq!(cell(0, 0, 4), "0 / 0 / 4; P –, R 0 % (0–49), F1 0.00");
        assert_eq!(cell(0, 0, 0), "0 / 0 / 0; P –, R –, F1 –");
    }
}
