//! A page about one run.

use std::fmt::{self, Write};

use loopbreak::{DetectorName, Intervention};

use super::draw;
use super::look::Look;
use crate::json::{InterventionReport, RunReport, VerdictName};
use crate::number::{dollars, grouped, percent, rough, score};

/// How many interventions are listed unless all are asked for.
const LISTED: usize = 7;
/// How many stuck periods are listed.
const PERIODS: usize = 3;
/// Where the strips begin and how much stays free behind them.
const MARGIN: usize = 9;

/// Writes the page.
pub(super) fn write(out: &mut String, run: &RunReport, look: &Look, full: bool) -> fmt::Result {
    header(out, run, look)?;
    strips(out, run, look)?;
    facts(out, run, look)?;
    interventions(out, run, look, full)?;
    writeln!(out)
}

fn header(out: &mut String, run: &RunReport, look: &Look) -> fmt::Result {
    let (verdict, bold, dim) = (look.of_verdict(run.verdict), look.bold(), look.dim());
    let word = run.verdict.as_str();
    let name = look.fit(&run.run, look.width.saturating_sub(word.len() + 2));
    write!(out, "{verdict}{word}{verdict:#}  {bold}{name}{bold:#}")?;
    let room = look.width.saturating_sub(word.len() + 4 + name.chars().count());
    if room > 8 {
        write!(out, "  {dim}{}{dim:#}", look.fit(&run.source, room))?;
    }
    writeln!(out)?;
    let mut about = vec![plural(run.steps, "step")];
    if let Some((started, ended)) = run.started.zip(run.ended).filter(|(started, ended)| ended > started) {
        about.push(duration(ended.saturating_sub(started)));
    }
    if let Some(known) = &run.score {
        let arrow = look.sign("→", "->");
        about.push(format!("score {} {arrow} {}", score(known.first), score(known.last)));
    }
    about.extend(run.tokens.map(|tokens| format!("{} tokens", rough(tokens))));
    about.extend(run.cost_usd.map(dollars));
    writeln!(out, "{dim}{}{dim:#}", about.join(look.sign(" · ", ", ")))
}

fn strips(out: &mut String, run: &RunReport, look: &Look) -> fmt::Result {
    let width = look.width.saturating_sub(MARGIN + 8).clamp(20, 100);
    let columns = run.timeline.columns(width);
    let dim = look.dim();
    let scores = draw::scores(&run.timeline, &columns, look);
    let places = draw::places(&run.timeline, &columns, look);
    let marks = draw::marks(run, &columns, look);
    if scores.is_none() && places.is_none() && marks.is_none() {
        return Ok(());
    }
    writeln!(out)?;
    if let (Some(scores), Some((_, high))) = (scores, run.timeline.range()) {
        writeln!(out, "  {dim}score{dim:#}  {scores}  {dim}{}{dim:#}", score(high))?;
    }
    if let Some(places) = places {
        writeln!(out, "  {dim}place{dim:#}  {places}")?;
        writeln!(
            out,
            "         {}",
            draw::place_names(&run.timeline, look, look.width.saturating_sub(MARGIN))
        )?;
    }
    if let Some(marks) = marks {
        writeln!(out, "  {dim}guard{dim:#}  {}", marks.trim_end())?;
        writeln!(out, "         {}", draw::mark_names(run, look))?;
    }
    Ok(())
}

/// Writes a labelled line.
fn fact(out: &mut String, look: &Look, label: &str, text: &str) -> fmt::Result {
    let bold = look.bold();
    writeln!(out, "  {bold}{label:<14}{bold:#} {}", look.fit(text, look.width.saturating_sub(17)))
}

fn facts(out: &mut String, run: &RunReport, look: &Look) -> fmt::Result {
    writeln!(out)?;
    if !run.stuck.is_empty() {
        fact(out, look, "stuck", &stuck(run, look))?;
    }
    if let Some(warning) = &run.first_warning {
        let why = why(run, warning.turn, warning.detector, warning.pattern);
        fact(out, look, "would warn", &format!("turn {}: {why}", warning.turn))?;
    }
    if let Some(stop) = &run.first_stop {
        let why = why(run, stop.turn, stop.detector, stop.pattern);
        fact(out, look, would(stop.intervention), &format!("turn {}: {why}", stop.turn))?;
        fact(out, look, "saves", &saved(run))?;
        let destroyed = match run.progress_after_stop {
            Some(true) => format!("progress: the run got further after turn {}", stop.turn),
            Some(false) => format!("nothing: no progress was made after turn {}", stop.turn),
            None => "unknown: the log has no score, objective or mark of progress".to_owned(),
        };
        fact(out, look, "destroys", &destroyed)?;
    }
    let observed = run.findings.iter().filter(|finding| !finding.acted).count() as u64;
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
    if run.renumbered_turns > 0 {
        let turns = plural(run.renumbered_turns, "turn");
        fact(out, look, "note", &format!("{turns} not after the one before, counted on"))?;
    }
    Ok(())
}

fn stuck(run: &RunReport, look: &Look) -> String {
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

fn saved(run: &RunReport) -> String {
    let share = percent(run.steps_after_stop, run.steps);
    let mut text = format!("{} of {} steps ({share} %)", grouped(run.steps_after_stop), grouped(run.steps));
    if let Some(tokens) = run.tokens_after_stop.filter(|tokens| *tokens > 0) {
        let _ = write!(text, ", ~{} tokens", rough(tokens));
    }
    if let Some(cost) = run.cost_after_stop_usd.filter(|cost| *cost > 0.0) {
        let _ = write!(text, ", ~{}", dollars(cost));
    }
    text
}

/// What Loopbreak would have done, in two words.
fn would(intervention: Option<Intervention>) -> &'static str {
    match intervention {
        Some(Intervention::Stop) => "would stop",
        Some(Intervention::Escalate) => "would escalate",
        Some(Intervention::UnblockAuthority) => "would unblock",
        Some(Intervention::ForceNext) => "would move on",
        Some(Intervention::Reject) => "would reject",
        Some(Intervention::Penalize | Intervention::Warn | Intervention::Hint) => "would warn",
        None => "loop found",
    }
}

/// The reason that was given with a finding.
fn why(run: &RunReport, turn: u64, detector: DetectorName, pattern: &str) -> String {
    let same =
        |act: &&InterventionReport| act.turn == turn && act.detector == detector && act.pattern == pattern;
    run.interventions.iter().find(same).map_or_else(|| pattern.replace('_', " "), |act| act.reason.clone())
}

/// A line of the list: one intervention, or several alike.
struct Line<'r> {
    first: u64,
    last: u64,
    count: u64,
    intervention: Intervention,
    detector: DetectorName,
    reason: &'r str,
    acted: bool,
}

fn interventions(out: &mut String, run: &RunReport, look: &Look, full: bool) -> fmt::Result {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for act in &run.interventions {
        let alike = |line: &&mut Line<'_>| {
            (line.intervention, line.detector, line.acted) == (act.intervention, act.detector, act.acted)
        };
        if let Some(line) = lines.iter_mut().find(alike).filter(|_| !full) {
            line.count += 1;
            line.last = act.turn;
        } else {
            lines.push(Line {
                first: act.turn,
                last: act.turn,
                count: 1,
                intervention: act.intervention,
                detector: act.detector,
                reason: &act.reason,
                acted: act.acted,
            });
        }
    }
    lines.extend(run.rulings.iter().map(|group| Line {
        first: group.first,
        last: group.last,
        count: group.count,
        intervention: group.intervention,
        detector: group.detector,
        reason: &group.reason,
        acted: true,
    }));
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let hidden = if full { 0 } else { lines.len().saturating_sub(LISTED) };
    lines.sort_by_key(|line| (std::cmp::Reverse(line.intervention), line.first));
    lines.truncate(lines.len() - hidden);
    lines.sort_by_key(|line| (line.first, line.intervention));
    let folded = hidden > 0 || lines.iter().any(|line| line.count > 1) && !full;
    for line in &lines {
        self::line(out, line, look)?;
    }
    if folded {
        let dim = look.dim();
        let more = if hidden > 0 { format!("+{hidden} more kinds; ") } else { String::new() };
        writeln!(out, "  {dim}{more}-v shows each one{dim:#}")?;
    }
    Ok(())
}

fn line(out: &mut String, line: &Line<'_>, look: &Look) -> fmt::Result {
    let (dash, times, dim) = (look.sign("–", "-"), look.sign("×", "x"), look.dim());
    let turns = if line.first == line.last {
        format!("turn {}", line.first)
    } else {
        format!("turn {}{dash}{}", line.first, line.last)
    };
    let mut what = line.intervention.as_str().to_owned();
    if line.count > 1 {
        let _ = write!(what, " {times}{}", line.count);
    }
    let style = match line.intervention {
        Intervention::Hint => look.dim(),
        Intervention::Warn | Intervention::Penalize => look.of_verdict(VerdictName::Warn),
        _ => look.of_verdict(VerdictName::Stop),
    };
    let reason = if line.acted { line.reason.to_owned() } else { format!("{} (observed)", line.reason) };
    let what = look.padded(&what, 17);
    let reason = look.fit(&reason, look.width.saturating_sub(2 + 13 + 18 + 12));
    writeln!(
        out,
        "  {dim}{turns:<13}{dim:#}{style}{what}{style:#} {dim}{:<12}{dim:#}{reason}",
        line.detector.as_str()
    )
}

/// "1 step", "2 steps".
pub(super) fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A length of time for people.
fn duration(millis: i64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
