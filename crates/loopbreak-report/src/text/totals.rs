//! The last lines: totals over all runs.

use std::fmt::{self, Write};
use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::detail::NO_STOP;
use super::style::TextStyle;
use crate::mode_note::mode_note;
use crate::number::{dollars, grouped, model_calls, percent, plural, rough};
use crate::spending::{amount, price_source, total_cost, unpriced};
use crate::unread_items::unread_items;
use loopbreak_analysis::{Report, RunTotals, SeriesReport, VerdictName};

/// Maximum number of loops of several runs, and of tasks and prompts that span runs.
const GROUPS: usize = 5;

/// Returns the totals in one line.
pub fn summary(totals: &RunTotals) -> String {
    let mut text = found(totals);
    if totals.stopped > 0 {
        let _ = write!(text, "; {}", came_of_it(totals));
    }
    if let Some(left_out) = left_out(totals) {
        let _ = write!(text, "; {left_out}");
    }
    text
}

/// Writes the tasks and prompts that span runs, then the totals.
pub(super) fn write(out: &mut String, report: &Report, look: &TextStyle) -> fmt::Result {
    let series = || report.series.iter().filter(|series| !series.findings.is_empty());
    series().take(GROUPS).try_for_each(|series| task(out, series, look))?;
    let more = series().count().saturating_sub(GROUPS);
    if more > 0 {
        let dim = look.dim();
        writeln!(out, "{dim}+{more} more tasks and prompts; --json lists them{dim:#}\n")?;
    }
    let totals = &report.totals;
    if totals.runs > 1 {
        repeated_loops(out, totals, look)?;
    }
    let bold = look.bold();
    writeln!(out, "{bold}{}{bold:#}", found(totals))?;
    if totals.stopped > 0 {
        writeln!(out, "{}", came_of_it(totals))?;
    }
    money(out, totals, look)?;
    if let Some(left_out) = left_out(totals) {
        let dim = look.dim();
        writeln!(out, "{dim}{left_out}{dim:#}")?;
    }
    Ok(())
}

/// Writes what was spent. Of a single run, the lines above say it.
fn money(out: &mut String, totals: &RunTotals, look: &TextStyle) -> fmt::Result {
    let dim = look.dim();
    if let Some(spent) = total_cost(&totals.spending).filter(|_| totals.runs > 1) {
        writeln!(out, "{spent}")?;
    }
    for note in price_source(&totals.spending).into_iter().chain(unpriced(&totals.spending)) {
        writeln!(out, "{dim}{note}{dim:#}")?;
    }
    Ok(())
}

/// Writes the loops that were in several runs, the most expensive first.
fn repeated_loops(out: &mut String, totals: &RunTotals, look: &TextStyle) -> fmt::Result {
    let groups = &totals.spending.repeated_loops;
    if groups.is_empty() {
        return Ok(());
    }
    let bold = look.bold();
    writeln!(out, "{bold}the same loop in several runs{bold:#}")?;
    for group in groups.iter().take(GROUPS) {
        let is_estimate = totals.spending.estimated_usd.is_some();
        let cost = group.cost_usd.map_or(String::new(), |usd| format!(", {}", amount(usd, is_estimate)));
        let tool = group.tool.as_deref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let text = format!(
            "{}, {}{cost}  {}{tool}: {}",
            plural(group.runs, "run"),
            plural(group.steps, "step"),
            group.pattern,
            group.reason
        );
        writeln!(out, "  {}", look.fit_words(&text, look.width.saturating_sub(2)))?;
    }
    if groups.len() > GROUPS {
        let dim = look.dim();
        writeln!(out, "  {dim}+{} more; --json lists them{dim:#}", groups.len() - GROUPS)?;
    }
    writeln!(out)
}

/// Writes what the totals cannot say: items that could not be read, and guards that were not enforced.
pub(super) fn write_caveats(out: &mut dyn io::Write, report: &Report, look: &TextStyle) -> io::Result<()> {
    let warn = look.verdict_style(VerdictName::Warn);
    let unread = unread_items(report.totals.unread_items);
    let mode = mode_note(report.mode).map(str::to_owned);
    unread.into_iter().chain(mode).try_for_each(|caveat| writeln!(out, "{warn}{caveat}{warn:#}"))
}

fn task(out: &mut String, series: &SeriesReport, look: &TextStyle) -> fmt::Result {
    let style = look.verdict_style(VerdictName::from_findings(&series.findings));
    let patterns: Vec<String> = series
        .findings
        .iter()
        .map(|finding| match finding.intervention {
            Some(intervention) => format!("{} ({})", finding.pattern, intervention.as_str()),
            None => finding.pattern.to_string(),
        })
        .collect();
    let text = format!(
        "{} over {}: {}",
        plural(series.attempts, "attempt"),
        plural(series.runs.len() as u64, "run"),
        patterns.join(", ")
    );
    let (kind, name) = match (&series.task, &series.prompt) {
        (Some(task), _) => ("task", task.as_str()),
        (None, prompt) => {
            ("prompt", prompt.as_deref().unwrap_or_default().lines().next().unwrap_or_default())
        }
    };
    let name = look.fit(name, 24);
    let room = look.width.saturating_sub(3 + kind.len() + name.width());
    writeln!(out, "{style}{kind}{style:#} {name}  {}\n", look.fit_words(&text, room))
}

/// A run whose proposal was refused or that was moved on is not counted as stopped, because it continues.
fn found(totals: &RunTotals) -> String {
    let mut kinds = vec![format!("{} stopped", grouped(totals.ended))];
    if totals.stopped > totals.ended {
        kinds.push(format!("{} only steered", grouped(totals.stopped - totals.ended)));
    }
    kinds.push(format!("{} only warned", grouped(totals.warned - totals.stopped)));
    kinds.push(format!("{} clear", grouped(totals.runs - totals.warned)));
    format!("{}, {}: {}", plural(totals.runs, "run"), plural(totals.steps, "step"), kinds.join(", "))
}

fn came_of_it(totals: &RunTotals) -> String {
    if totals.ended == 0 {
        return format!("saves {NO_STOP}");
    }
    let share = percent(totals.steps_after_ending, totals.steps);
    let mut text = format!("saves {} ({share} %)", plural(totals.steps_after_ending, "step"));
    if let Some(calls) = model_calls(totals.llm_calls_saved, totals.steps_after_ending) {
        let _ = write!(text, ", {calls}");
    }
    if let Some(tokens) = totals.tokens_after_ending.filter(|tokens| *tokens > 0) {
        let _ = write!(text, ", ~{} tokens", rough(tokens));
    }
    if let Some(cost) = totals.spending.after_ending_usd.filter(|cost| *cost > 0.0) {
        let _ = write!(text, ", ~{}", dollars(cost));
    }
    let unknown = totals.unmeasured_endings;
    let destroyed = match totals.progress_after_ending {
        0 if unknown == totals.ended => {
            return text + "; progress lost: unknown (the log has no progress signal)";
        }
        0 => "no progress lost".to_owned(),
        runs => format!("progress lost in {}", plural(runs, "run")),
    };
    let _ = write!(text, "; {destroyed}");
    if unknown > 0 {
        let _ = write!(text, " (unknown in {})", plural(unknown, "run"));
    }
    text
}

fn left_out(totals: &RunTotals) -> Option<String> {
    let counts = [
        (totals.skipped_lines, "line skipped", "lines skipped"),
        (totals.ignored_files, "file ignored", "files ignored"),
    ];
    let told: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{} {}", grouped(count), if count == 1 { one } else { many }))
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}
