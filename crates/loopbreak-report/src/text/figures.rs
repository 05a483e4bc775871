//! Figures over all runs: lengths, scores, proposals, objectives, and findings by pattern.

use std::fmt::{self, Write};

use loopbreak_analysis::{PatternCount, RunTotals};

use super::detail::fact;
use super::strips::bars;
use super::style::TextStyle;
use crate::number::{grouped, plural, score};

/// Maximum number of patterns on one line.
const PATTERNS: usize = 6;

/// Writes the figures, with an empty line after them. Runs without scores have them only if all details are requested: a
/// user of coding agents asks for them seldom.
pub(super) fn write(out: &mut String, totals: &RunTotals, look: &TextStyle, full: bool) -> fmt::Result {
    let several = totals.runs > 1;
    let is_shown = full || (several && totals.scores.is_some());
    if !is_shown {
        return Ok(());
    }
    let before = out.len();
    if let Some(mean) = totals.mean_steps.filter(|_| several) {
        fact(out, look, "length", &format!("{} turns per run on average", score(round_to_tenth(mean))))?;
    }
    scores(out, totals, look)?;
    if let Some(text) = objectives(totals) {
        fact(out, look, "objectives", &text)?;
    }
    if let Some(text) = proposals(totals, look) {
        fact(out, look, "proposals", &text)?;
    }
    if full {
        table(out, &totals.patterns, look)?;
    } else if !totals.patterns.is_empty() {
        fact(out, look, "findings", &patterns(&totals.patterns))?;
    }
    if out.len() > before { writeln!(out) } else { Ok(()) }
}

/// Writes the quartiles of the last scores, and a histogram.
fn scores(out: &mut String, totals: &RunTotals, look: &TextStyle) -> fmt::Result {
    let Some(spread) = totals.scores.as_ref().filter(|spread| spread.runs > 1) else { return Ok(()) };
    let dash = look.sign("–", "-");
    let range = |low: f64, high: f64| {
        // A dash between two numbers of which one is negative cannot be read.
        let to = if low < 0.0 || high < 0.0 { " to " } else { dash };
        format!("{}{to}{}", score(low), score(high))
    };
    let text = format!(
        "median {}, middle half {}, all {} ({})",
        score(spread.median),
        range(spread.lower_quartile, spread.upper_quartile),
        range(spread.min, spread.max),
        plural(spread.runs, "run")
    );
    fact(out, look, "last scores", &text)?;
    let bins = &spread.histogram;
    if let [first, .., last] = bins.as_slice() {
        let counts: Vec<u64> = bins.iter().map(|bin| bin.runs).collect();
        let width = score(first.below - first.from);
        let dim = look.dim();
        writeln!(
            out,
            "{:17}{dim}{}{dim:#} {} {dim}{}, {width} per column{dim:#}",
            "",
            score(first.from),
            bars(&counts, look),
            score(last.below)
        )?;
    }
    Ok(())
}

fn objectives(totals: &RunTotals) -> Option<String> {
    let completed = Some(totals.objectives_completed).filter(|completed| *completed > 0)?;
    let mut text = format!("{} completed", grouped(completed));
    if totals.stuck_runs > 0 {
        let runs = plural(totals.stuck_runs, "run");
        let _ =
            write!(text, ", {} of them in {runs} that got stuck", grouped(totals.objectives_in_stuck_runs));
    }
    if totals.ended > 0 {
        let _ = write!(text, ", {} after a stop", grouped(totals.objectives_after_ending));
    }
    Some(text)
}

fn proposals(totals: &RunTotals, look: &TextStyle) -> Option<String> {
    let (rejected, penalized) = (totals.rejected_proposals, totals.penalized_proposals);
    let scored = totals.proposals.as_ref();
    if rejected + penalized == 0 && scored.is_none() {
        return None;
    }
    let mut text = format!("{} rejected, {} only penalized", grouped(rejected), grouped(penalized));
    if let Some(scored) = scored {
        let arrow = look.sign("→", "->");
        let _ = write!(
            text,
            " of {}; mean score {:.2} {arrow} {:.2}",
            grouped(scored.count),
            scored.mean_base,
            scored.mean_adjusted
        );
    }
    Some(text)
}

/// "camping 18 in 3 runs, oscillation 7 in 2 runs, 3 more".
fn patterns(patterns: &[PatternCount]) -> String {
    let told = patterns.iter().take(PATTERNS).map(|count| {
        format!("{} {} in {}", count.pattern, grouped(count.findings()), plural(count.runs, "run"))
    });
    let mut text = told.collect::<Vec<_>>().join(", ");
    if patterns.len() > PATTERNS {
        let _ = write!(text, ", {} more", patterns.len() - PATTERNS);
    }
    text
}

/// Writes all patterns with their counts.
fn table(out: &mut String, patterns: &[PatternCount], look: &TextStyle) -> fmt::Result {
    if patterns.is_empty() {
        return Ok(());
    }
    let dim = look.dim();
    let width = |text: &dyn Fn(&PatternCount) -> usize, least| {
        patterns.iter().map(text).max().unwrap_or(0).max(least)
    };
    let pattern_width = width(&|count| count.pattern.as_str().len(), "finding".len());
    let detector_width = width(&|count| count.detector.as_str().len(), "detector".len());
    let observed = patterns.iter().any(|count| count.observed > 0);
    let last = if observed { "  only observed" } else { "" };
    writeln!(
        out,
        "  {dim}{:<pattern_width$}  {:<detector_width$}  {:>8}  {:>8}  {:>8}  {:>8}{last}{dim:#}",
        "finding", "detector", "runs", "hints", "warnings", "hard"
    )?;
    for count in patterns {
        let last = if observed { format!("  {:>13}", grouped(count.observed)) } else { String::new() };
        writeln!(
            out,
            "  {:<pattern_width$}  {dim}{:<detector_width$}{dim:#}  {:>8}  {:>8}  {:>8}  {:>8}{last}",
            count.pattern.as_str(),
            count.detector.as_str(),
            grouped(count.runs),
            grouped(count.hints),
            grouped(count.warnings),
            grouped(count.stops)
        )?;
    }
    Ok(())
}

fn round_to_tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
