//! Two settings compared, as text for a terminal.

use std::fmt::{self, Write};

use loopbreak_analysis::compare::{ComparedRun, SettingsComparison, SettingsOutcome};

use super::style::TextStyle;
use crate::number::{dollars, grouped, plural, rough};
use crate::printable;

/// Number of runs that are shown, unless all are wanted.
const MAX_RUNS: usize = 10;
/// Width of the names in the first column.
const NAMES: usize = 16;
/// Width of the column of sums.
const SUMS: usize = 14;

/// Renders a comparison. `all` shows every run that changes.
pub fn render_comparison(comparison: &SettingsComparison, look: &TextStyle, all: bool) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, comparison, look, all);
    text
}

fn write(out: &mut String, comparison: &SettingsComparison, look: &TextStyle, all: bool) -> fmt::Result {
    let (bold, dim) = (look.bold(), look.dim());
    let shown = if all { comparison.runs.len() } else { MAX_RUNS.min(comparison.runs.len()) };
    for run in &comparison.runs[..shown] {
        writeln!(out, "{bold}{}{bold:#}  {}", printable(&run.run), plural(run.steps, "step"))?;
        for (name, [before, after]) in changes(run) {
            writeln!(out, "  {name:NAMES$}{before} -> {after}")?;
        }
        writeln!(out)?;
    }
    let hidden = comparison.runs.len() - shown;
    if hidden > 0 {
        let more = plural(hidden as u64, "run");
        writeln!(out, "{dim}{more} more: --verbose or --json lists all{dim:#}\n")?;
    }
    let changed = comparison.runs.len() as u64;
    writeln!(
        out,
        "{bold}{} of {} with {}{bold:#}",
        match changed {
            1 => "1 result changes".to_owned(),
            changed => format!("{} results change", grouped(changed)),
        },
        grouped(comparison.compared_runs),
        printable(&comparison.settings.join(" "))
    )?;
    writeln!(out, "  {:NAMES$}{:>SUMS$}{:>SUMS$}", "", "as they are", "changed")?;
    for (name, [before, after]) in sums(comparison) {
        writeln!(out, "  {name:NAMES$}{before:>SUMS$}{after:>SUMS$}")?;
    }
    Ok(())
}

/// Renders one figure of the outcome of a run.
type OutcomeText = fn(&SettingsOutcome) -> String;

/// Returns what changes in a run, with both values.
fn changes(run: &ComparedRun) -> Vec<(&'static str, [String; 2])> {
    let all: [(&'static str, OutcomeText); 5] = [
        ("verdict", |outcome| outcome.verdict.as_str().to_owned()),
        ("first warning", |outcome| match &outcome.first_warning {
            Some(first) => format!("turn {}, {}", grouped(first.turn), first.pattern),
            None => "none".to_owned(),
        }),
        ("first stop", |outcome| match &outcome.first_stop {
            Some(first) => format!("turn {}, {}", grouped(first.turn), first.pattern),
            None => "none".to_owned(),
        }),
        ("saves", |outcome| match outcome.ending {
            Some(_) => saved(outcome),
            None => "nothing".to_owned(),
        }),
        ("progress lost", |outcome| match (&outcome.ending, outcome.progress_after_ending) {
            (Some(_), Some(true)) => "yes".to_owned(),
            (Some(_), None) => "unknown".to_owned(),
            (None, _) | (_, Some(false)) => "none".to_owned(),
        }),
    ];
    let values = all.map(|(name, value)| (name, [value(&run.before), value(&run.after)]));
    values.into_iter().filter(|(_, [before, after])| before != after).collect()
}

fn saved(outcome: &SettingsOutcome) -> String {
    let mut text = plural(outcome.steps_after_ending, "step");
    if let Some(tokens) = outcome.tokens_after_ending {
        let _ = write!(text, ", {} tokens", rough(tokens));
    }
    if let Some(usd) = outcome.cost_after_ending_usd {
        let _ = write!(text, ", {}", dollars(usd));
    }
    text
}

/// Returns the sums of both settings. What no log says is unknown, not 0.
fn sums(comparison: &SettingsComparison) -> Vec<(&'static str, [String; 2])> {
    let totals = [&comparison.before, &comparison.after];
    let unknown = || "unknown".to_owned();
    let mut sums = vec![
        ("warned", totals.map(|sum| grouped(sum.warned))),
        ("stopped", totals.map(|sum| grouped(sum.stopped))),
        ("ended", totals.map(|sum| grouped(sum.ended))),
        ("steps saved", totals.map(|sum| grouped(sum.steps_after_ending))),
    ];
    if totals.iter().any(|sum| sum.tokens_after_ending.is_some()) {
        sums.push(("tokens saved", totals.map(|sum| sum.tokens_after_ending.map_or_else(unknown, rough))));
    }
    if totals.iter().any(|sum| sum.cost_after_ending_usd.is_some()) {
        sums.push(("money saved", totals.map(|sum| sum.cost_after_ending_usd.map_or_else(unknown, dollars))));
    }
    sums.push(("progress lost in", totals.map(|sum| plural(sum.progress_after_ending, "run"))));
    sums
}
