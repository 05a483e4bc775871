//! A page for the summary of a build job: the totals, then the worst runs, within the size limit of such a
//! summary.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::verdict_reason::VerdictReason;
use crate::mode_note::mode_note;
use crate::number::{dollars, grouped, partly_known, percent, rough, score};
use crate::spending::{amount, price_source};
use crate::unread_items::unread_items;
use crate::worst_runs::WorstRuns;
use loopbreak::text::is_invisible;
use loopbreak_analysis::{Report, RunReport, RunTotals, SeriesReport, VerdictName};

/// Maximum number of runs and of series.
const RUNS: usize = 50;
const SERIES: usize = 20;
/// Maximum length of a name and of a reason, in characters, which keeps the page far below 100 kB.
const NAME: usize = 80;
const REASON: usize = 200;

/// Writes the report as GitHub Markdown.
pub fn markdown(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (mut worst, mut found) = (WorstRuns::new(RUNS), 0);
    report.runs.each(&mut |run| {
        if run.verdict > VerdictName::Clear {
            found += 1;
            // The worst verdict first, then the largest savings, then the order of reading.
            worst.offer((run.verdict, run.ending.is_some(), run.steps_after_ending), || run.clone());
        }
        Ok(())
    })?;
    out.write_all(page(report, &worst.finish(), found).as_bytes())
}

/// Renders the page with the worst of the runs that have findings.
fn page(report: &Report, worst: &[RunReport], found: usize) -> String {
    let mut out = String::from("## Loopbreak\n\n");
    if let Some(note) = mode_note(report.mode) {
        _ = writeln!(out, "**{}.**\n", plain(note));
    }
    sums(&mut out, report);
    if let Some(source) = price_source(&report.totals.spending) {
        _ = writeln!(out, "\n{}", plain(&source));
    }
    repeated_loops(&mut out, &report.totals);
    if !worst.is_empty() {
        out += "\n### Runs\n\n| verdict | run | source | steps | turn | saves | why |\n|---|---|---|--:|--:|--:|---|\n";
        for run in worst {
            row(&mut out, run);
        }
        more(&mut out, found, RUNS, "runs");
    }
    let series: Vec<&SeriesReport> = report
        .series
        .iter()
        .filter(|series| VerdictName::from_findings(&series.findings) > VerdictName::Clear)
        .collect();
    if !series.is_empty() {
        out += "\n### Over several runs\n\n| what | runs | attempts | pattern |\n|---|--:|--:|---|\n";
        for series in series.iter().take(SERIES) {
            let patterns: Vec<&str> =
                series.findings.iter().map(|finding| finding.pattern.as_str()).collect();
            let pattern = patterns.last().copied().unwrap_or_default();
            let (key, runs) = (code(&series.key), series.runs.len());
            _ = writeln!(out, "| {key} | {runs} | {} | `{pattern}` |", series.attempts);
        }
        more(&mut out, series.len(), SERIES, "of them");
    }
    out
}

/// Writes the loops that were in several runs.
fn repeated_loops(out: &mut String, totals: &RunTotals) {
    let groups = &totals.spending.repeated_loops;
    if groups.is_empty() {
        return;
    }
    *out += "\n### The same loop in several runs\n\n| runs | steps | cost | loop |\n|--:|--:|--:|---|\n";
    let is_estimate = totals.spending.estimated_usd.is_some();
    for group in groups.iter().take(SERIES) {
        let cost = group.cost_usd.map(|usd| amount(usd, is_estimate)).unwrap_or_default();
        let (runs, steps) = (grouped(group.runs), grouped(group.steps));
        _ = writeln!(out, "| {runs} | {steps} | {cost} | `{}`: {} |", group.pattern, plain(&group.reason));
    }
    more(out, groups.len(), SERIES, "of them");
}

fn sums(out: &mut String, report: &Report) {
    let totals = &report.totals;
    let steered = totals.stopped - totals.ended.min(totals.stopped);
    let mut row = |what: &str, figure: String| _ = writeln!(out, "| {what} | {figure} |");
    row("runs", grouped(totals.runs));
    row("---", "--:".to_owned());
    row("steps", grouped(totals.steps));
    if let Some(mean) = totals.mean_steps.filter(|_| totals.runs > 1) {
        row("steps per run, mean", format!("{mean:.1}"));
    }
    row("would have been stopped", grouped(totals.ended));
    if steered > 0 {
        row("only steered", grouped(steered));
    }
    row("only warned", grouped(totals.warned - totals.stopped.min(totals.warned)));
    row("clear", grouped(totals.runs - totals.warned.min(totals.runs)));
    let saved = totals.steps_after_ending;
    row("steps saved", format!("{} ({} %)", grouped(saved), percent(saved, totals.steps)));
    if totals.llm_calls_saved != saved {
        row("model calls saved", grouped(totals.llm_calls_saved));
    }
    let runs = totals.wasteful_endings;
    if let Some(tokens) = totals.tokens_after_ending {
        let (value, note) = partly_known(rough(tokens), totals.uncounted_endings, runs);
        row("tokens saved", value + &note);
    }
    if let Some(cost) = totals.spending.after_ending_usd {
        let (value, note) = partly_known(dollars(cost), totals.unpriced_endings, runs);
        row("cost saved", value + &note);
    }
    let spending = &totals.spending;
    let is_estimate = spending.estimated_usd.is_some();
    if let Some(spent) = spending.spent_usd {
        row("spent", amount(spent, is_estimate));
    }
    if let Some(in_loops) = spending.in_loops_usd {
        row("spent in loops", amount(in_loops, is_estimate));
    }
    if spending.unpriced_tokens > 0 {
        row("tokens without a price", rough(spending.unpriced_tokens));
    }
    row("runs with progress lost", grouped(totals.progress_after_ending));
    game_sums(&mut row, totals);
    if totals.skipped_lines > 0 {
        row("lines that could not be read", grouped(totals.skipped_lines));
    }
    if totals.unread_items > 0 {
        row("items that could not be read, and may be part of a loop", grouped(totals.unread_items));
    }
}

/// Writes the figures of runs with scores, objectives or a critic. Other runs do not have these rows.
fn game_sums(row: &mut dyn FnMut(&str, String), totals: &RunTotals) {
    if let Some(spread) = totals.scores.as_ref().filter(|spread| spread.runs > 1) {
        let [low, middle, high] = [spread.lower_quartile, spread.median, spread.upper_quartile].map(score);
        row("last scores: lower quartile, median, upper quartile", format!("{low}, {middle}, {high}"));
    }
    if totals.objectives_completed > 0 {
        row("objectives completed", grouped(totals.objectives_completed));
        row("of these in runs that got stuck", grouped(totals.objectives_in_stuck_runs));
    }
    if totals.rejected_proposals + totals.penalized_proposals > 0 {
        row("proposals rejected", grouped(totals.rejected_proposals));
        row("proposals only penalized", grouped(totals.penalized_proposals));
    }
    if let Some(scored) = &totals.proposals {
        row("mean score of proposals", format!("{:.2} → {:.2}", scored.mean_base, scored.mean_adjusted));
    }
}

fn row(out: &mut String, run: &RunReport) {
    let why = VerdictReason::from_run(run);
    let saves = if run.ending.is_some() {
        let lost = if run.progress_after_ending == Some(true) { ", loses progress" } else { "" };
        format!("{} %{lost}", percent(run.steps_after_ending, run.steps))
    } else {
        String::new()
    };
    _ = writeln!(
        out,
        "| {} | {} | {} | {} | {} | {saves} | {} |",
        run.verdict.as_str(),
        code(&run.run),
        code(&run.source),
        grouped(run.steps),
        why.as_ref().map(|why| grouped(why.turn)).unwrap_or_default(),
        why.map(|why| format!("`{}`: {}", why.detector, plain(&why.reason)))
            .into_iter()
            .chain(unread_items(run.unread_items.unwrap_or(0)))
            .collect::<Vec<_>>()
            .join("; "),
    );
}

fn more(out: &mut String, all: usize, told: usize, what: &str) {
    if all > told {
        _ = writeln!(out, "\n{} more {what} are left out.", grouped((all - told) as u64));
    }
}

/// Formats a name as code, so that it cannot contain Markdown, a link or a mention.
fn code(name: &str) -> String {
    let name = one_line(name, NAME).replace('|', "\\|");
    // The fence must be longer than every row of backquotes in the name.
    let longest = name.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let blank = if longest > 0 || name.is_empty() { " " } else { "" };
    format!("{fence}{blank}{name}{blank}{fence}")
}

/// Escapes a sentence that may contain text of a log.
fn plain(sentence: &str) -> String {
    let mut out = String::new();
    for char in one_line(sentence, REASON).chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A character without width prevents a mention.
            '@' => out.push_str("@\u{2060}"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '!' | '|' | '~'
            | '$' => {
                out.push('\\');
                out.push(char);
            }
            _ => out.push(char),
        }
    }
    out
}

/// Returns a text on one line, without characters that cannot be seen, cut to a length.
fn one_line(text: &str, longest: usize) -> String {
    let visible = |char: char| if is_invisible(char) { ' ' } else { char };
    let mut line: String = text.chars().map(visible).take(longest + 1).collect();
    if line.chars().count() > longest {
        line = line.chars().take(longest - 1).collect();
        line.push('…');
    }
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_cell() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("`rm`"), "`` `rm` ``");
        assert_eq!(code("two\nlines\u{202E}\u{200B}\u{9B}"), "`two lines`");
        assert_eq!(code("").len(), 4, "an empty name is still a cell");
        assert_eq!(code(&"x".repeat(500)).chars().count(), NAME + 2);
    }

    #[test]
    fn a_sentence_is_mere_text() {
        assert_eq!(
            plain("<img src=x> ![a](b) @all *x* `c` | $x$"),
            "&lt;img src=x&gt; \\!\\[a\\]\\(b\\) @\u{2060}all \\*x\\* \\`c\\` \\| \\$x\\$"
        );
    }
}
