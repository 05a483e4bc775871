//! Many runs, a line each.

use std::fmt::{self, Write};

use super::draw;
use super::look::Look;
use crate::json::{RunReport, VerdictName};
use crate::number::{grouped, percent};

/// With more runs than this, only the ones with findings are listed, and at most so many.
const LINES: usize = 40;
/// The columns of a line: verdict, steps, the drawn score.
const VERDICT: usize = 5;
const STEPS: usize = 6;
const DRAWN: usize = 12;

/// Writes the table.
pub(super) fn write(out: &mut String, runs: &[RunReport], look: &Look) -> fmt::Result {
    let all = runs.len() <= LINES;
    let listed: Vec<&RunReport> =
        runs.iter().filter(|run| all || run.verdict != VerdictName::Clear).take(LINES).collect();
    let drawn = if listed.iter().any(|run| run.score.is_some()) { DRAWN + 2 } else { 0 };
    let fixed = VERDICT + 2 + STEPS + 2 + drawn;
    let longest = listed.iter().map(|run| look.fit(&run.run, 200).chars().count()).max().unwrap_or(0);
    let name_width = longest.min(look.width.saturating_sub(fixed) / 2).max(8);
    let dim = look.dim();
    writeln!(
        out,
        "{dim}{:<VERDICT$}  {:<name_width$}  {:>STEPS$}{}{dim:#}",
        "",
        "run",
        "steps",
        if drawn > 0 { "  score" } else { "" }
    )?;
    for run in &listed {
        let style = look.of_verdict(run.verdict);
        let name = look.padded(&run.run, name_width);
        write!(
            out,
            "{style}{:<VERDICT$}{style:#}  {name}  {:>STEPS$}",
            run.verdict.as_str(),
            grouped(run.steps)
        )?;
        let mut text =
            format!("  {}", look.fit(&what(run), look.width.saturating_sub(fixed + name_width + 2)));
        if drawn > 0 {
            let columns = run.timeline.columns(DRAWN);
            let scores = draw::scores(&run.timeline, &columns, look).unwrap_or_default();
            text = format!("  {scores:<DRAWN$}{text}");
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    let left = runs.len() - listed.len();
    if left > 0 {
        let hidden = |verdict| {
            let all = runs.iter().filter(|run| run.verdict == verdict).count();
            all - listed.iter().filter(|run| run.verdict == verdict).count()
        };
        let kinds = [VerdictName::Stop, VerdictName::Warn, VerdictName::Clear];
        let kinds: Vec<String> = kinds
            .into_iter()
            .map(|verdict| (hidden(verdict), verdict.as_str()))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        writeln!(out, "{dim}+{left} more runs: {}{dim:#}", kinds.join(", "))?;
    }
    writeln!(out, "{dim}--run ID shows one in detail, -v all{dim:#}")?;
    writeln!(out)
}

/// The most important thing about a run, in a few words.
fn what(run: &RunReport) -> String {
    if let Some(stop) = &run.first_stop {
        let lost = if run.progress_after_stop == Some(true) { ", destroys progress" } else { "" };
        let share = percent(run.steps_after_stop, run.steps);
        return format!("turn {} {}, saves {share} %{lost}", stop.turn, stop.pattern);
    }
    if let Some(warning) = &run.first_warning {
        return format!("turn {} {}", warning.turn, warning.pattern);
    }
    if run.findings.iter().any(|finding| !finding.acted) { "only observed".to_owned() } else { String::new() }
}
