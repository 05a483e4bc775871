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

/// Writes a Markdown table with aligned columns.
pub(super) fn table(f: &mut fmt::Formatter<'_>, heads: &[&str], lines: &[Vec<String>]) -> fmt::Result {
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let cells = |f: &mut fmt::Formatter<'_>, line: &[String]| {
        for (index, (cell, width)) in line.iter().zip(&widths).enumerate() {
            // The first column is a name, the others are numbers.
            if index == 0 { write!(f, "| {cell:<width$} ")? } else { write!(f, "| {cell:>width$} ")? }
        }
        writeln!(f, "|")
    };
    cells(f, &heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>())?;
    for (index, width) in widths.iter().enumerate() {
        let dashes = "-".repeat(width + 1);
        if index == 0 { write!(f, "|-{dashes}")? } else { write!(f, "|{dashes}:")? }
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
