//! The rows of the table: an attack, and what was seen.

use std::fmt::{Display, Write as _};

/// The result of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttackVerdict {
    /// The attack was made and did no harm.
    Held,
    /// The attack did harm, or could not be judged.
    Broken,
    /// The attack was not made.
    NotTried,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct AttackRow {
    pub(super) finding: &'static str,
    pub(super) attack: &'static str,
    pub(super) seen: String,
    pub(super) verdict: AttackVerdict,
}

/// The rows of a finding, then of all.
#[derive(Debug, Default)]
pub(super) struct AttackRows {
    finding: &'static str,
    pub(super) rows: Vec<AttackRow>,
}

impl AttackRows {
    pub(super) fn new(finding: &'static str) -> Self {
        AttackRows { finding, rows: Vec::new() }
    }

    /// Adds an attack that was made.
    pub(super) fn judge(&mut self, attack: &'static str, held: bool, seen: impl Display) {
        self.add(attack, if held { AttackVerdict::Held } else { AttackVerdict::Broken }, &seen);
    }

    /// Adds an attack that was not made, with the reason. It never counts as held.
    pub(super) fn not_tried(&mut self, attack: &'static str, reason: impl Display) {
        self.add(attack, AttackVerdict::NotTried, &reason);
    }

    fn add(&mut self, attack: &'static str, verdict: AttackVerdict, seen: &impl Display) {
        let seen = seen.to_string();
        self.rows.push(AttackRow { finding: self.finding, attack, seen, verdict });
    }

    pub(super) fn count(&self, verdict: AttackVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }
}

/// Renders rows as a table in Markdown.
pub(super) fn render_table(rows: &[AttackRow]) -> String {
    let mut table = "| finding | attack | seen | held |\n|---|---|---|---|\n".to_owned();
    for AttackRow { finding, attack, seen, verdict } in rows {
        let held = match verdict {
            AttackVerdict::Held => "yes",
            AttackVerdict::Broken => "**no**",
            AttackVerdict::NotTried => "not tried",
        };
        let seen = in_one_cell(seen);
        // Writing to a text cannot fail.
        _ = writeln!(table, "| {finding} | {attack} | {seen} | {held} |");
    }
    table
}

/// Keeps a text on one line, without characters that end a cell or change a terminal, and not too long.
fn in_one_cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|letter| !letter.is_control()).take(240).collect();
    line.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_that_was_not_made_is_not_held_and_texts_stay_in_their_cells() {
        let mut rows = AttackRows::new("F1");
        rows.judge("a link", true, "nothing\nwritten");
        rows.judge("a pipe", false, "a | b \u{1b}[31m");
        rows.not_tried("another system", "needs Windows");
        let counts = [AttackVerdict::Held, AttackVerdict::Broken, AttackVerdict::NotTried]
            .map(|verdict| rows.count(verdict));
        assert_eq!(counts, [1, 1, 1]);
        let table = render_table(&rows.rows);
        assert!(table.contains("| F1 | a link | nothing written | yes |\n"), "{table}");
        assert!(table.contains("| F1 | a pipe | a \\| b [31m | **no** |\n"), "{table}");
        assert!(table.contains("| needs Windows | not tried |\n"), "{table}");
    }
}
