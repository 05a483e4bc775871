//! Promises beside what was seen, and the table of them.

use std::fmt::Write as _;

/// Number of broken promises of a row that are printed in full.
const SHOWN: usize = 12;

/// A row of the table.
#[derive(Debug)]
pub(super) struct PromiseRow {
    /// The load or the fault.
    pub(super) tried: String,
    /// The promise about it.
    pub(super) promised: String,
    /// The figures that were seen.
    pub(super) seen: String,
    /// The promises that were not kept, each with what showed it.
    pub(super) broken: Vec<String>,
}

impl PromiseRow {
    /// Renders the broken promises, the first of them in full.
    pub(super) fn render_failures(&self) -> String {
        let mut text = String::new();
        for failure in self.broken.iter().take(SHOWN) {
            // Writing to a text cannot fail.
            _ = writeln!(text, "  {}: {failure}", self.tried);
        }
        if self.broken.len() > SHOWN {
            _ = writeln!(text, "  {}: and {} more", self.tried, self.broken.len() - SHOWN);
        }
        text
    }
}

/// Renders rows as a table in Markdown.
pub(super) fn render_table<'r>(rows: impl IntoIterator<Item = (&'r str, &'r PromiseRow)>) -> String {
    let mut table = "| part | tried | promised | seen | kept |\n|---|---|---|---|---|\n".to_owned();
    for (part, PromiseRow { tried, promised, seen, broken }) in rows {
        let kept = if broken.is_empty() { "yes" } else { "**no**" };
        _ = writeln!(table, "| `{part}` | {tried} | {promised} | {seen} | {kept} |");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_its_promise_was_kept() {
        let row = |broken: Vec<String>| PromiseRow {
            tried: "a fault".to_owned(),
            promised: "nothing lost".to_owned(),
            seen: "3 steps".to_owned(),
            broken,
        };
        let (kept, broken) = (row(Vec::new()), row(vec!["step 2 is lost".to_owned(); 14]));
        let table = render_table([("two", &kept), ("two", &broken)]);
        assert!(table.contains("| `two` | a fault | nothing lost | 3 steps | yes |"), "{table}");
        assert!(table.contains("| **no** |"), "{table}");
        assert!(broken.render_failures().ends_with("a fault: and 2 more\n"));
    }
}
