//! The log of a run.

use std::fmt::Write as _;

use loopbreak_analysis::VerdictName;
use loopbreak_store::{Run, RunEvent, RunStatus, StoredEvent};

use super::relative_time::date_and_time;
use super::status::{describe_phase, render_measures};
use crate::printable;
use crate::text::TextStyle;

/// Width of the columns before the kind of an event: the time and the turn.
const INDENT: usize = 17;
/// Longest part of an outcome that is shown, in columns.
const OUTCOME_WIDTH: usize = 60;

/// Renders an event as one line of JSON.
pub(super) fn render_event_json(run: &Run, stored: &StoredEvent) -> String {
    format!("{}\n", stored.to_json(run))
}

/// Renders the log of a run: what is known of it as a whole, then its events with the answers that were given. Times are
/// UTC.
pub(super) fn render_run_log(
    status: &RunStatus,
    events: &[StoredEvent],
    now: i64,
    style: &TextStyle,
) -> String {
    let run = &status.run;
    let bold = style.bold();
    let mut text =
        format!("{bold}{}{bold:#}, {}, {}\n", printable(&run.name()), run.source, printable(&run.folder));
    let (date, time) = date_and_time(run.started);
    let times = format!("started {date} {time} UTC, {}", describe_phase(status, now));
    let _ = writeln!(text, "{times}{}", render_measures(status, times.len(), style));
    let mut day = date;
    for stored in events {
        let (date, time) = date_and_time(stored.at);
        if date != day {
            let _ = writeln!(text, "{date}");
            day = date;
        }
        render_event(&mut text, stored, &time, style);
    }
    text
}

/// Renders an event with the answer that was given.
fn render_event(text: &mut String, stored: &StoredEvent, time: &str, style: &TextStyle) {
    let event = &stored.event;
    let verdict = event.verdict();
    let turn = verdict.and_then(|verdict| verdict.turn).map_or_else(String::new, |turn| turn.to_string());
    let headline = printable(event.headline().unwrap_or_default());
    let mark = match event {
        RunEvent::Refused(_) | RunEvent::Asked(_) => style.verdict_style(VerdictName::Stop),
        _ => anstyle::Style::new(),
    };
    let (when, kind) = (format!("{time:<8}  {turn:>5}  "), printable(event.kind()));
    let mut line = format!("{when}{kind:<8} {headline}");
    if let Some(outcome) = describe_outcome(event, style) {
        let _ = write!(line, " -> {outcome}");
    }
    let line = style.wrap_line(line.trim_end(), style.width, INDENT + 9);
    let rest = line.strip_prefix(&when).and_then(|rest| rest.strip_prefix(&kind));
    let _ = match rest {
        Some(rest) => writeln!(text, "{when}{mark}{kind}{mark:#}{rest}"),
        None => writeln!(text, "{line}"),
    };
    let answer = verdict.and_then(|verdict| Some((verdict.answer.as_deref()?, verdict.text.as_deref()?)));
    if let Some((answer, answer_text)) = answer {
        for (number, line) in answer_text.lines().enumerate() {
            let label = if number == 0 { printable(answer) } else { String::new() };
            let line = format!("{:INDENT$}{label:<8} | {}", "", printable(line));
            let _ = writeln!(text, "{}", style.wrap_line(&line, style.width, INDENT + 11));
        }
    }
}

/// Describes the outcome of a call: its first line, and whether it failed.
fn describe_outcome(event: &RunEvent, style: &TextStyle) -> Option<String> {
    let outcome = match event {
        RunEvent::Step(step) => step.outcome.as_deref(),
        RunEvent::Rejected(rejected) => Some(rejected.outcome.as_str()),
        _ => None,
    };
    let first = outcome.unwrap_or_default().lines().map(str::trim).find(|line| !line.is_empty());
    let first = first.map(|line| style.fit(line, OUTCOME_WIDTH));
    match (event.is_failure(), first) {
        (true, Some(first)) => Some(format!("failed: {first}")),
        (true, None) => Some("failed".to_owned()),
        (false, first) => first,
    }
}

#[cfg(test)]
mod tests {
    use loopbreak_store::{RunEndEvent, RunMeasures, RunPhase, StatusTimes, StepEvent, VerdictSummary};

    use super::*;

    const START: i64 = 1_762_248_924_000;
    const DAY: i64 = 24 * 60 * 60 * 1000;

    fn status() -> RunStatus {
        let run = Run {
            id: 1,
            source: "claude-code".to_owned(),
            session: "5f2c".to_owned(),
            agent: String::new(),
            folder: "/project".to_owned(),
            started: START,
            seen: START + DAY,
            ended: Some(START + DAY),
            events: 3,
        };
        RunStatus {
            run,
            times: StatusTimes { started_at: None, last_event_at: None, ended_at: None },
            running: false,
            state: RunPhase::Ended,
            end_reason: Some("stopped by the guard".to_owned()),
            stopped_by_guard: true,
            held_out: false,
            paused: None,
            process: None,
            tick_count: 2,
            loop_count: 0,
            recovery_count: 0,
            loops: std::collections::BTreeMap::new(),
            tasks: std::collections::BTreeMap::new(),
            measures: RunMeasures { refused: 9, warned: 1, ..RunMeasures::default() },
            loop_detection: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn every_event_has_its_time_and_refusals_stand_out() {
        let call = |error, outcome: &str| StepEvent {
            action: Some("Bash {\"command\":\"make\"}".to_owned()),
            error,
            outcome: Some(outcome.to_owned()),
            verdict: VerdictSummary { turn: Some(7), ..VerdictSummary::default() },
            ..StepEvent::default()
        };
        let mut refused = call(None, "");
        refused.verdict = refused.verdict.with_answer("deny", "Refused.\nTry another call.");
        let event = |number, at, event| StoredEvent { number, at, event };
        let events = [
            event(1, START, RunEvent::Step(call(Some(true), "\n2 failed\nmore"))),
            event(2, START + 61_000, RunEvent::Refused(refused)),
            event(3, START + DAY, RunEvent::End(RunEndEvent::default())),
        ];
        let text = render_run_log(&status(), &events, START + DAY + 180_000, &TextStyle::default());
        insta::assert_snapshot!(text, @r#"
        5f2c, claude-code, /project
        started 2025-11-04 09:35:24 UTC, ended 3 min ago (stopped by the guard); warned once, refused 9 times
        09:35:24      7  step     Bash {"command":"make"} -> failed: 2 failed
        09:36:25      7  refused  Bash {"command":"make"}
                         deny     | Refused.
                                  | Try another call.
        2025-11-05
        09:35:24         end
        "#);
    }
}
