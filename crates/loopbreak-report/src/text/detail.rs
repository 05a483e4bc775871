//! The report on one run.

use std::fmt::{self, Write};

use loopbreak::Intervention;
use unicode_width::UnicodeWidthStr as _;

use super::interventions;
use super::strips::{self, GuardStrip, PlaceStrip};
use super::style::TextStyle;
use crate::number::{dollars, grouped, model_calls, percent, plural, render_duration, rough, score};
use crate::spending::run_cost;
use crate::turn_ranges::turn_ranges;
use crate::unread_items::unread_items;
use loopbreak_analysis::{RunReport, VerdictName};

/// Number of stuck periods listed.
const PERIODS: usize = 3;
/// Margin before and after the strips.
const MARGIN: usize = 9;
/// Savings of a refusal or a change of task, after which the run continues.
pub(super) const NO_STOP: &str = "nothing (no stop)";

/// Writes the report on one run.
pub(super) fn write(out: &mut String, run: &RunReport, look: &TextStyle, full: bool) -> fmt::Result {
    header(out, run, look)?;
    strips(out, run, look)?;
    // With all details, sentences are not cut.
    let look = &TextStyle { width: if full { 10_000 } else { look.width }, ..*look };
    facts(out, run, look)?;
    interventions::write(out, run, look, full)?;
    writeln!(out)
}

fn header(out: &mut String, run: &RunReport, look: &TextStyle) -> fmt::Result {
    let (verdict, bold, dim) = (look.verdict_style(run.verdict), look.bold(), look.dim());
    let word = run.verdict.as_str();
    let name = look.fit(&run.run, look.width.saturating_sub(word.len() + 2));
    write!(out, "{verdict}{word}{verdict:#}  {bold}{name}{bold:#}")?;
    let room = look.width.saturating_sub(word.len() + 4 + name.width());
    if room > 8 {
        write!(out, "  {dim}{}{dim:#}", look.fit_name(&run.source, room))?;
    }
    writeln!(out)?;
    let mut about = vec![plural(run.steps, "step")];
    if let Some((started, ended)) = run.started.zip(run.ended).filter(|(started, ended)| ended > started) {
        about.push(render_duration(ended.saturating_sub(started)));
    }
    if let Some(known) = &run.score {
        let arrow = look.sign("→", "->");
        about.push(format!("score {} {arrow} {}", score(known.first), score(known.last)));
    }
    about.extend(run.models.first().map(|model| match run.models.len() {
        1 => look.fit(model, 40),
        several => format!("{} and {} more", look.fit(model, 40), several - 1),
    }));
    about.extend(run.tokens.map(|tokens| format!("{} tokens", rough(tokens))));
    about.extend(run_cost(&run.spending));
    writeln!(out, "{dim}{}{dim:#}", about.join(look.sign(" · ", ", ")))
}

fn strips(out: &mut String, run: &RunReport, look: &TextStyle) -> fmt::Result {
    let width = look.width.saturating_sub(MARGIN + 8).clamp(20, 100);
    let columns = run.timeline.columns(width);
    let dim = look.dim();
    let scores = strips::scores(&run.timeline, &columns, look);
    let letters = PlaceStrip::new(&run.timeline, look, look.width.saturating_sub(MARGIN));
    let places = letters.strip(&columns, look);
    let marks = GuardStrip::from_run(run, &columns);
    if scores.is_none() && places.is_none() && marks.is_none() {
        return Ok(());
    }
    writeln!(out)?;
    if let (Some(scores), Some((_, high))) = (scores, run.timeline.range()) {
        writeln!(out, "  {dim}score{dim:#}  {scores}  {dim}{}{dim:#}", score(high))?;
    }
    if let Some(places) = places {
        writeln!(out, "  {dim}place{dim:#}  {places}")?;
        writeln!(out, "         {}", letters.names(look))?;
    }
    if let Some(marks) = marks {
        writeln!(out, "  {dim}guard{dim:#}  {}", marks.strip(look).trim_end())?;
        writeln!(out, "         {}", marks.names(run, look))?;
    }
    Ok(())
}

/// Writes a labelled line.
pub(super) fn fact(out: &mut String, look: &TextStyle, label: &str, text: &str) -> fmt::Result {
    let bold = look.bold();
    writeln!(out, "  {bold}{label:<14}{bold:#} {}", look.fit_words(text, look.width.saturating_sub(17)))
}

fn facts(out: &mut String, run: &RunReport, look: &TextStyle) -> fmt::Result {
    writeln!(out)?;
    if !run.stuck.is_empty() {
        fact(out, look, "stuck", &stuck(run, look))?;
    }
    if let Some(warning) = run.first_warning.as_ref().filter(|_| !run.intervenes_without_warning()) {
        let why = run.reason_of(warning.turn, warning.detector, warning.pattern);
        fact(out, look, "would warn", &format!("turn {}: {why}", warning.turn))?;
    }
    if let Some(first) = &run.first_stop {
        let why = run.reason_of(first.turn, first.detector, first.pattern);
        // The finding comes when the agent insists. The table below starts with the first refusal.
        let (turn, why) = run
            .first_rejection()
            .filter(|(turn, _)| first.intervention == Some(Intervention::Reject) && *turn < first.turn)
            .unwrap_or((first.turn, &why));
        fact(out, look, would(first.intervention), &format!("turn {turn}: {why}"))?;
    }
    if let Some(effect) = after_warning(run) {
        fact(out, look, "after warning", &effect)?;
    }
    if let Some(end) = &run.ending {
        // The first intervention may differ from the ending.
        let told = run.first_stop.as_ref().is_some_and(|first| {
            (first.turn, first.detector, first.pattern) == (end.turn, end.detector, end.pattern)
        });
        if !told {
            let why = run.reason_of(end.turn, end.detector, end.pattern);
            fact(out, look, would(Some(end.intervention)), &format!("turn {}: {why}", end.turn))?;
        }
        if run.checkpoints.len() > 1 {
            fact(out, look, "checks", &checks(run, look))?;
        }
        fact(out, look, "saves", &saved(run, end.turn))?;
        let destroyed = match run.progress_after_ending {
            Some(true) => format!("yes: the run made progress after turn {}", end.turn),
            Some(false) => format!("none: no progress after turn {}", end.turn),
            None => "unknown (the log has no score, objective or progress mark)".to_owned(),
        };
        fact(out, look, "progress lost", &destroyed)?;
    } else if run.first_stop.is_some() {
        fact(out, look, "saves", NO_STOP)?;
    }
    let observed = run.findings.iter().filter(|finding| !finding.enforced).count() as u64;
    if observed > 0 {
        fact(
            out,
            look,
            "only observed",
            &format!("{} not acted on (mode = observe)", plural(observed, "finding")),
        )?;
    }
    if run.verdict == VerdictName::Clear && observed == 0 {
        fact(out, look, "nothing found", "no warning, no stop")?;
    }
    if let Some(lines) = run.skipped_lines.filter(|lines| *lines > 0) {
        fact(out, look, "note", &format!("{} of its file could not be read", plural(lines, "line")))?;
    }
    if let Some(unread) = unread_items(run.unread_items.unwrap_or(0)) {
        fact(out, look, "note", &unread)?;
    }
    if run.renumbered_turns > 0 {
        let turns = plural(run.renumbered_turns, "turn");
        fact(out, look, "note", &format!("{turns} out of order, renumbered"))?;
    }
    Ok(())
}

/// Describes how loops continued after their first warning, which the agent did not see in a replay.
fn after_warning(run: &RunReport) -> Option<String> {
    let effects = &run.effects;
    let (all, _) = effects.totals();
    if all == 1 {
        let left = run.findings.iter().find_map(|finding| finding.left_after);
        return Some(match left {
            _ if effects.went_on == 1 => "the loop continued".to_owned(),
            Some(0) => "the loop stopped on its own, at once".to_owned(),
            Some(steps) => format!("the loop stopped on its own after {} more", plural(steps, "step")),
            None => "unknown: the run ended with the warning".to_owned(),
        });
    }
    let stopped = if effects.changed_course == 1 { "stopped on its own" } else { "stopped on their own" };
    let parts = [
        (effects.went_on, "continued"),
        (effects.changed_course, stopped),
        (effects.ended, "ended with the run"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .enumerate()
        .map(|(index, (count, what))| {
            let of_all = if index == 0 { format!(" of {}", plural(all, "loop")) } else { String::new() };
            format!("{}{of_all} {what}", grouped(count))
        })
        .collect();
    (all > 1).then(|| parts.join(", "))
}

fn stuck(run: &RunReport, look: &TextStyle) -> String {
    let dash = look.sign("–", "-");
    let mut periods: Vec<_> = run.stuck.iter().collect();
    periods.sort_by_key(|period| (std::cmp::Reverse(period.turns), period.from));
    let more = periods.len().saturating_sub(PERIODS);
    periods.truncate(PERIODS);
    periods.sort_by_key(|period| period.from);
    let text = periods.iter().map(|period| {
        let at = period.score.map(|at| format!(" at score {}", score(at))).unwrap_or_default();
        format!("turns {}{dash}{}{at} ({} turns)", period.from, period.to, period.turns)
    });
    let mut all = text.collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(all, ", {more} more");
    }
    all
}

/// Lists all checks at which there had been no progress for too long, not only the first.
fn checks(run: &RunReport, look: &TextStyle) -> String {
    let turns = turn_ranges(&run.checkpoints, look.sign("–", "-"));
    format!("{} past the limit: turns {turns}", grouped(run.checkpoints.len() as u64))
}

fn saved(run: &RunReport, turn: u64) -> String {
    if run.steps_after_ending == 0 {
        return format!("nothing: the run ended at turn {turn}");
    }
    let share = percent(run.steps_after_ending, run.steps);
    let (after, all) = (grouped(run.steps_after_ending), grouped(run.steps));
    let mut text = format!("{after} of {all} steps ({share} %) after turn {turn}");
    if let Some(calls) = model_calls(run.llm_calls_saved, run.steps_after_ending) {
        let _ = write!(text, ", {calls}");
    }
    if let Some(tokens) = run.tokens_after_ending.filter(|tokens| *tokens > 0) {
        let _ = write!(text, ", ~{} tokens", rough(tokens));
    }
    if let Some(cost) = run.spending.after_ending_usd.filter(|cost| *cost > 0.0) {
        let _ = write!(text, ", ~{}", dollars(cost));
    }
    text
}

/// Returns the label for an intervention.
fn would(intervention: Option<Intervention>) -> &'static str {
    match intervention {
        Some(Intervention::Stop) => "would stop",
        Some(Intervention::Escalate) => "would escalate",
        Some(Intervention::UnblockAuthority) => "would unblock",
        Some(Intervention::ForceNext) => "would move on",
        Some(Intervention::Reject) => "would reject",
        Some(_) => "would warn",
        None => "loop found",
    }
}
