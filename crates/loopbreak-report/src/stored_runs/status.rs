//! The status of runs.

use std::fmt::Write as _;

use loopbreak_analysis::VerdictName;
use loopbreak_store::{MeasuredLoop, RunMeasures, RunPhase, RunStatus, StatusSummary};

use super::relative_time::{ago, duration, times};
use crate::number::plural;
use crate::printable;
use crate::text::TextStyle;

/// Text for a store without runs.
const NO_RUNS: &str =
    "no runs stored yet; `loopbreak hook install` guards a coding agent, `loopbreak run` a command";
/// Text for a store without runs of the last hour.
const NO_RECENT_RUNS: &str = "no runs in the last hour; `loopbreak status --all` shows earlier ones";

/// Renders the status of runs: two lines per run, with its loops and tasks below them. `all` says that the summary is about
/// all stored runs, not only those of the last hour.
pub fn render_status(summary: &StatusSummary, all: bool, now: i64, style: &TextStyle) -> String {
    let mut text = String::new();
    if summary.runs.is_empty() {
        let line = style.wrap_line(if all { NO_RUNS } else { NO_RECENT_RUNS }, style.width, 2);
        let _ = writeln!(text, "{line}");
    }
    for status in &summary.runs {
        render_run(&mut text, status, now, style);
    }
    text
}

fn render_run(text: &mut String, status: &RunStatus, now: i64, style: &TextStyle) {
    let held_out = if status.held_out { ", held out" } else { "" };
    let run = &status.run;
    let bold = style.bold();
    let name = printable(&run.name());
    let line = format!(
        "{name}  {}{held_out}, {}, {} seen, {}, {}",
        describe_phase(status, now),
        plural(status.tick_count, "turn"),
        plural(status.loop_count, "loop"),
        run.source,
        printable(&run.folder),
    );
    let line = style.wrap_line(&line, style.width, 4);
    let _ = match line.strip_prefix(&name) {
        Some(rest) => writeln!(text, "{bold}{name}{bold:#}{rest}"),
        None => writeln!(text, "{line}"),
    };
    let mut times = format!("started {}", ago(run.started, now));
    if run.ended.is_none() {
        let _ = write!(times, ", last event {}", ago(run.seen, now));
    }
    let _ = writeln!(text, "    {times}{}", render_measures(status, 4 + times.len(), style));
    for known in status.loops.values() {
        render_loop(text, known, style);
    }
    for (id, task) in &status.tasks {
        let attempts = plural(task.attempt_count, "attempt");
        let _ = write!(text, "    task {}, {attempts}: {}", printable(id), printable(&task.status));
        for what in [&task.loop_type, &task.recovery].into_iter().flatten() {
            let _ = write!(text, ", {}", printable(what));
        }
        text.push('\n');
    }
}

/// Renders a loop. If calls of it were refused, that says more than the severity of the finding.
fn render_loop(text: &mut String, status: &MeasuredLoop, style: &TextStyle) {
    let MeasuredLoop { known, measures, .. } = status;
    let taken = [
        times("refused", measures.refused),
        times("asked", measures.asked),
        times("stopped", measures.stopped),
    ];
    let taken = taken.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let label = if taken.is_empty() { printable(&known.severity) } else { taken };
    // A loop without a repeated action, such as a score that stays the same, has a reason.
    let what = [&known.action, &known.reason, &known.detector];
    let what = what.into_iter().find(|text| !text.trim().is_empty()).map_or("", String::as_str);
    let (pattern, since) = (printable(&known.pattern), known.since);
    let count = plural(known.attempt_count.into(), "time");
    let line = format!("    {label}: {pattern}, {count} since turn {since}: {}", printable(what));
    let _ = writeln!(text, "{}", style.wrap_line(&line, style.width, 6));
}

/// Describes the phase of a run: `running`, `idle for 25 min`, `ended 3 min ago (the session ended)`.
pub(super) fn describe_phase(status: &RunStatus, now: i64) -> String {
    match (status.state, status.run.ended) {
        (RunPhase::Ended, Some(ended)) => {
            let reason = status.end_reason.as_deref().map(printable).unwrap_or_default();
            format!("ended {} ({reason})", ago(ended, now))
        }
        _ if status.paused.is_some() => describe_pause(status, now),
        (RunPhase::Idle, _) => format!("idle for {}", duration(now.saturating_sub(status.run.seen))),
        _ => "running".to_owned(),
    }
}

/// Describes the pause of an agent: `paused for 5 min by watch (no progress for 40 turns)`.
fn describe_pause(status: &RunStatus, now: i64) -> String {
    let Some(pause) = &status.paused else { return String::new() };
    let reason =
        if pause.reason.is_empty() { String::new() } else { format!(" ({})", printable(&pause.reason)) };
    format!("paused for {} by {}{reason}", duration(now.saturating_sub(pause.at)), printable(&pause.by))
}

/// Describes the measures in a run: `warned 3 times, refused once`. Returns `None` if there were none.
fn describe_measures(measures: &RunMeasures) -> Option<String> {
    let RunMeasures { warned, refused, asked, stopped, allowed } = *measures;
    let counted = [
        ("warned", warned),
        ("refused", refused),
        ("asked", asked),
        ("stopped", stopped),
        ("allowed", allowed),
    ];
    let words: Vec<String> = counted.into_iter().filter_map(|(what, count)| times(what, count)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Renders the measures in a run, behind a text of `used` columns. On a terminal where they do not fit, they get a line.
pub(super) fn render_measures(status: &RunStatus, used: usize, style: &TextStyle) -> String {
    let Some(measures) = describe_measures(&status.measures) else { return String::new() };
    let strong = measure_style(&status.measures, style);
    let gap = if style.wraps && used + 2 + measures.len() > style.width { "\n    " } else { " " };
    format!(";{gap}{strong}{measures}{strong:#}")
}

/// Returns the style of measures: that of a stop if calls were refused, else that of a warning.
fn measure_style(measures: &RunMeasures, style: &TextStyle) -> anstyle::Style {
    let strong = measures.refused + measures.asked + measures.stopped > 0;
    style.verdict_style(if strong { VerdictName::Stop } else { VerdictName::Warn })
}
