//! The status of runs.

use std::fmt::Write as _;

use loopbreak_store::{LoopStatus, RunStatus, StatusSummary};

use crate::number::plural;
use crate::printable;

/// Renders the status of runs: a line per run, with its loops and tasks below it.
pub fn render_status(summary: &StatusSummary) -> String {
    let mut text = String::new();
    if summary.runs.is_empty() {
        text.push_str("no runs\n");
    }
    for status in &summary.runs {
        render_run(&mut text, status);
    }
    text
}

fn render_run(text: &mut String, status: &RunStatus) {
    let state = if status.running { "running" } else { "over" };
    let held_out = if status.held_out { ", held out" } else { "" };
    let is_loop = |status: &&LoopStatus| matches!(status, LoopStatus::Loop(_));
    let loops = status.loop_detection.values().filter(is_loop).count();
    let run = &status.run;
    let _ = writeln!(
        text,
        "{}  {state}{held_out}, {}, {} seen, {}, {}",
        printable(&run.name()),
        plural(status.tick_count, "turn"),
        plural(loops as u64, "loop"),
        run.source,
        printable(&run.folder),
    );
    for known in status.loop_detection.values() {
        if let LoopStatus::Loop(known) = known {
            // A loop without a repeated action, such as a score that stays the same, has a reason.
            let what = [&known.action, &known.reason, &known.detector];
            let what = what.into_iter().find(|text| !text.trim().is_empty()).map_or("", String::as_str);
            let (severity, pattern) = (printable(&known.severity), printable(&known.pattern));
            let (count, since) = (known.attempt_count, known.since);
            let _ =
                writeln!(text, "    {severity} {pattern} {count}, since turn {since}: {}", printable(what));
        }
    }
    for (id, task) in &status.loop_detection {
        if let LoopStatus::Task(task) = task {
            let attempts = plural(task.attempt_count, "attempt");
            let _ = writeln!(text, "    task {}, {attempts}: {}", printable(id), printable(&task.status));
        }
    }
}
