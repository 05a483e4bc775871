//! Renders a contest as a Markdown table for the terminal.

use std::fmt;

use super::contest_report::{AblationRow, ContestReport, PlayerRow};
use super::intervals::{MeanInterval, ShareInterval};

pub(super) fn percent(share: &ShareInterval) -> String {
    share.share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

/// Formats a difference with its margin of error.
pub(super) fn change(mean: &MeanInterval) -> String {
    format!("{:+.1} ±{:.1}", mean.mean, mean.high - mean.mean)
}

/// Heads of columns that say which row it is, and are repeated if a table is divided.
const ROW_NAMES: [&str; 3] = ["player", "obeys", "removed part"];

/// Heads of columns that mean nothing without the column before them.
const SECOND_HALVES: [&str; 4] = ["with", "gain", "B", "B − A"];

/// Writes a Markdown table with aligned columns. If the formatter has a width that it does not fit into, writes several
/// tables below each other, each with the names of the rows.
pub(super) fn table(f: &mut fmt::Formatter<'_>, heads: &[&str], lines: &[Vec<String>]) -> fmt::Result {
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    for (index, columns) in divide(&heads, &widths, f.width()).iter().enumerate() {
        if index > 0 {
            writeln!(f)?;
        }
        write_columns(f, &heads, lines, columns, &widths)?;
    }
    Ok(())
}

/// Divides the columns so that each part fits into a width.
fn divide(heads: &[String], widths: &[usize], width: Option<usize>) -> Vec<Vec<usize>> {
    // A border at the left, and a blank, a blank and a border for each cell.
    let space = |columns: &[usize]| 1 + columns.iter().map(|column| widths[*column] + 3).sum::<usize>();
    let is =
        |column: usize, names: &[&str]| heads.get(column).is_some_and(|head| names.contains(&head.as_str()));
    let names: Vec<usize> = (0..heads.len()).take_while(|column| is(*column, &ROW_NAMES)).collect();
    let mut parts = vec![names.clone()];
    let mut next = names.len();
    while next < heads.len() {
        let end = (next + 1..heads.len()).find(|column| !is(*column, &SECOND_HALVES)).unwrap_or(heads.len());
        let group: Vec<usize> = (next..end).collect();
        let is_full = parts.last().is_some_and(|part| {
            part.len() > names.len()
                && width.is_some_and(|width| space(&[&part[..], &group].concat()) > width)
        });
        if is_full {
            parts.push(names.clone());
        }
        if let Some(part) = parts.last_mut() {
            part.extend(group);
        }
        next = end;
    }
    parts
}

fn write_columns(
    f: &mut fmt::Formatter<'_>,
    heads: &[String],
    lines: &[Vec<String>],
    columns: &[usize],
    widths: &[usize],
) -> fmt::Result {
    let cells = |f: &mut fmt::Formatter<'_>, line: &[String]| {
        for column in columns {
            let (cell, width) = (&line[*column], widths[*column]);
            // The first column is a name, the others are numbers.
            if *column == 0 { write!(f, "| {cell:<width$} ")? } else { write!(f, "| {cell:>width$} ")? }
        }
        writeln!(f, "|")
    };
    cells(f, heads)?;
    for column in columns {
        let dashes = "-".repeat(widths[*column] + 1);
        if *column == 0 { write!(f, "|-{dashes}")? } else { write!(f, "|{dashes}:")? }
    }
    writeln!(f, "|")?;
    lines.iter().try_for_each(|line| cells(f, line))
}

impl PlayerRow {
    fn cells(&self) -> Vec<String> {
        vec![
            self.player.to_owned(),
            self.obedience.to_string(),
            format!("{:.1}", self.score_without.mean),
            format!("{:.1}", self.score.mean),
            change(&self.gain),
            format!("{:.0}", self.turns_without.mean),
            format!("{:.0}", self.turns.mean),
            format!("{:.0}", self.wasted_without.mean),
            format!("{:.0}", self.wasted.mean),
            percent(&self.broken_without),
            percent(&self.broken),
            percent(&self.stops),
            percent(&self.false_stops),
            format!("{:.1}", self.destroyed.mean),
            percent(&self.penalized),
            format!("{} / {}", self.won_without, self.won),
            format!("{} / {}", self.died_without, self.died),
        ]
    }
}

impl AblationRow {
    fn cells(&self) -> Vec<String> {
        vec![
            self.without.map_or_else(|| "(nothing)".to_owned(), str::to_owned),
            format!("{:.1} ±{:.1}", self.stuck_score.mean, self.stuck_score.high - self.stuck_score.mean),
            format!("{:.0}", self.stuck_turns.mean),
            percent(&self.broken),
            format!(
                "{:.1} ±{:.1}",
                self.healthy_score.mean,
                self.healthy_score.high - self.healthy_score.mean
            ),
            percent(&self.healthy_stops),
        ]
    }
}

/// A width, as in `{report:80}`, is that of the terminal: a table that is wider is divided.
impl fmt::Display for ContestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = [
            "player",
            "obeys",
            "score without",
            "with",
            "gain",
            "turns without",
            "with",
            "wasted without",
            "with",
            "loops left without",
            "with",
            "ended",
            "falsely",
            "points lost",
            "returns penalized",
            "won without / with",
            "died",
        ];
        table(f, &heads, &self.rows.iter().map(PlayerRow::cells).collect::<Vec<_>>())?;
        writeln!(f)?;
        for target in &self.targets {
            let met = match target.met {
                Some(true) => "met",
                Some(false) => "MISSED",
                None => "-",
            };
            writeln!(f, "{met:>6}  {}: {}", target.target, target.seen)?;
        }
        if self.ablations.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        let heads =
            ["removed part", "score of stuck players", "turns", "loops left", "score of others", "ended"];
        table(f, &heads, &self.ablations.iter().map(AblationRow::cells).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ShownTable;

    impl fmt::Display for ShownTable {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let line = |cells: [&str; 6]| cells.map(str::to_owned).to_vec();
            let heads = ["player", "obeys", "score without", "with", "gain", "died"];
            table(f, &heads, &[line(["camper", "0.3", "1.0", "2.0", "+1.0", "3"])])
        }
    }

    #[test]
    fn a_table_that_is_wider_than_the_terminal_is_divided_between_its_pairs() {
        let whole = "| player | obeys | score without | with | gain | died |\n\
                     |--------|------:|--------------:|-----:|-----:|-----:|\n\
                     | camper |   0.3 |           1.0 |  2.0 | +1.0 |    3 |\n";
        assert_eq!(ShownTable.to_string(), whole);
        assert_eq!(format!("{ShownTable:55}"), whole);
        let divided = "| player | obeys | score without | with | gain |\n\
                       |--------|------:|--------------:|-----:|-----:|\n\
                       | camper |   0.3 |           1.0 |  2.0 | +1.0 |\n\
                       \n\
                       | player | obeys | died |\n\
                       |--------|------:|-----:|\n\
                       | camper |   0.3 |    3 |\n";
        assert_eq!(format!("{ShownTable:54}"), divided);
        assert_eq!(format!("{ShownTable:1}"), divided);
    }
}
