//! Tables with a column per part.

use std::fmt::Write as _;

/// A row of one part: its name and its cell.
pub(super) type PartRow = (String, String);

/// Renders a table: a column for each part, and one for what was measured first on the part `check`.
///
/// All parts must have the same rows. `first` returns the cell of a row that was measured at first.
pub(super) fn part_table(
    title: &str,
    parts: &[&str],
    columns: &[Vec<PartRow>],
    first: impl Fn(&str) -> Option<String>,
) -> String {
    let names: Vec<&str> = columns.first().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let firsts: Vec<Option<String>> = names.iter().map(|name| first(name)).collect();
    let has_first = parts.contains(&"check") && firsts.iter().any(Option::is_some);
    let mut head = vec![title.to_owned()];
    head.extend(parts.iter().map(|part| (*part).to_owned()));
    if has_first {
        head.push("check, first measurement".to_owned());
    }
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for (at, (name, first)) in names.iter().zip(firsts).enumerate() {
        _ = write!(out, "| {name}");
        for column in columns {
            _ = write!(out, " | {}", column.get(at).map_or("", |(_, cell)| cell.as_str()));
        }
        if has_first {
            _ = write!(out, " | {}", first.unwrap_or_default());
        }
        out += " |\n";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(cells: [&str; 2]) -> Vec<PartRow> {
        ["a", "b"].into_iter().zip(cells).map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
    }

    #[test]
    fn parts_are_columns_beside_the_first_measurement() {
        let first = |name: &str| (name == "b").then(|| "9".to_owned());
        let both = part_table("runs", &["look", "check"], &[column(["1", "2"]), column(["3", "4"])], first);
        let expected = "| runs | look | check | check, first measurement |\n|---|---|---|---|\n\
                        | a | 1 | 3 |  |\n| b | 2 | 4 | 9 |\n";
        assert_eq!(both, expected);
        let one = part_table("runs", &["look"], &[column(["1", "2"])], first);
        assert_eq!(one, "| runs | look |\n|---|---|\n| a | 1 |\n| b | 2 |\n");
    }
}
