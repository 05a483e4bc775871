//! The figures of the part `check` before the work that the split was made for: it was never looked at before.
//!
//! They do not change any more, so they are written down here.

use super::saving_counts::SavingCounts;
use super::score_counts::ScoreCounts;
use super::share::counted;

/// Returns the cell that was measured first, for a row of a table.
pub(super) fn first_measurement(table: &str, row: &str) -> Option<String> {
    let same = |(of, name): (&str, &str)| of == table && name == row;
    let scores = SCORES.iter().find(|(of, name, _)| same((of, name)));
    let scores = scores.map(|(.., [found, wrong, missed])| {
        ScoreCounts { found: *found, wrong: *wrong, missed: *missed }.cell()
    });
    let shares = || SHARES.iter().find(|(of, name, _)| same((of, name)));
    let share = || shares().map(|(.., [part, whole])| counted(*part, *whole));
    let number =
        || NUMBERS.iter().find(|(of, name, _)| same((of, name))).map(|(.., number)| number.to_string());
    let saving = || same(("games", "Loopbreak")).then(|| GAMES.cell());
    scores.or_else(share).or_else(number).or_else(saving)
}

/// Found, wrong and missed runs.
const SCORES: &[(&str, &str, [u64; 3])] = &[
    ("web", "one string, as logged: warns", [76, 22, 6]),
    ("web", "one string, as logged: intervenes", [72, 16, 10]),
    ("web", "name and text of arguments: warns", [73, 18, 9]),
    ("web", "name and text of arguments: intervenes", [60, 7, 22]),
    ("web", "name and list of arguments: warns", [73, 18, 9]),
    ("web", "name and list of arguments: intervenes", [60, 7, 22]),
    ("coding 1", "Loopbreak warns", [8, 1, 4]),
    ("coding 1", "Loopbreak intervenes", [6, 0, 6]),
    ("coding 3", "Loopbreak warns", [8, 1, 0]),
    ("coding 3", "Loopbreak intervenes", [6, 0, 2]),
    ("trail", "Loopbreak warns", [3, 0, 3]),
    ("trail", "Loopbreak intervenes", [0, 0, 6]),
];

/// A part of a whole.
const SHARES: &[(&str, &str, [u64; 2])] = &[
    ("web", "judged otherwise as name and text of arguments", [55, 189]),
    ("web", "judged otherwise as name and list of arguments", [55, 189]),
    ("sessions", "`claude-code`: warned", [0, 11]),
    ("sessions", "`claude-code`: intervened", [0, 11]),
    ("sessions", "`claude-code-sessions`: warned", [4, 36]),
    ("sessions", "`claude-code-sessions`: intervened", [0, 36]),
    ("taubench", "Loopbreak warns", [0, 20]),
    ("taubench", "Loopbreak intervenes", [0, 20]),
    ("games", "Loopbreak warns", [23, 23]),
    ("games", "Loopbreak intervenes", [16, 23]),
    ("other", "`codecop_zork`: warned", [5, 6]),
    ("other", "`codecop_zork`: intervened", [2, 6]),
    ("other", "`intercode`: warned", [68, 153]),
    ("other", "`intercode`: intervened", [53, 153]),
    ("other", "`intercode`, successful runs: warned", [0, 63]),
    ("other", "`intercode`, successful runs: intervened", [0, 63]),
    ("other", "`reflexion`: warned", [9, 88]),
    ("other", "`reflexion`: intervened", [0, 88]),
    ("other", "`reflexion`, successful runs: warned", [0, 29]),
    ("other", "`reflexion`, successful runs: intervened", [0, 29]),
    ("other", "`whowhen`: warned", [1, 32]),
    ("other", "`whowhen`: intervened", [0, 32]),
];

/// Plain numbers.
const NUMBERS: &[(&str, &str, u64)] = &[
    ("sessions", "`claude-code`: logs", 14),
    ("sessions", "`claude-code`: logs with steps", 11),
    ("sessions", "`claude-code-sessions`: logs", 37),
    ("sessions", "`claude-code-sessions`: logs with steps", 36),
];

/// The games of models.
const GAMES: SavingCounts = SavingCounts { runs: 23, steps: 2404, ended: 16, saved: 854, lost: 1 };

/// The games that were ended among the won ones: with places, and without. They have no parts.
pub(super) const WALKTHROUGHS_ENDED: [u64; 2] = [1, 2];

/// Number of won games in that measurement.
pub(super) const WALKTHROUGHS: u64 = 56;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_figures_are_shown_like_the_others() {
        assert_eq!(
            first_measurement("coding 3", "Loopbreak warns").unwrap(),
            ScoreCounts { found: 8, wrong: 1, missed: 0 }.cell()
        );
        assert_eq!(first_measurement("taubench", "Loopbreak warns").unwrap(), "0 of 20, 0 % (0–16)");
        assert_eq!(first_measurement("sessions", "`claude-code`: logs").unwrap(), "14");
        assert_eq!(first_measurement("trail", "`gemini-rule`"), None);
    }
}
