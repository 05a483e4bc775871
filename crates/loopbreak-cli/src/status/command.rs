//! Reads the status of the runs and prints it.

use std::fmt::Write as _;
use std::time::Duration;

use loopbreak_hooks::error_log;
use loopbreak_store::{LoopStatus, RunStatus, StatusSummary, default_path, now};

use super::args::StatusArgs;
use crate::error::UserError;
use crate::exit;
use crate::output::{self, printable};
use crate::store::{open_user_store, run_name, warn};

/// Errors of hooks are reported for this long.
const RECENT: Duration = Duration::from_hours(24);

pub(crate) fn run(args: &StatusArgs) -> Result<u8, UserError> {
    let summary = match open_user_store()? {
        Some(store) => StatusSummary::load(&*store, args.all, now(), &warn)?,
        None => StatusSummary::default(),
    };
    if args.json {
        let summary = serde_json::to_value(summary).unwrap_or_default();
        output::print(&format!("{summary:#}\n"))?;
    } else {
        output::print(&render(&summary))?;
        report_hook_errors();
    }
    Ok(exit::DONE)
}

fn render(summary: &StatusSummary) -> String {
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
    let is_loop = |status: &&LoopStatus| matches!(status, LoopStatus::Loop(_));
    let loops = status.loop_detection.values().filter(is_loop).count();
    let run = &status.run;
    let _ = writeln!(
        text,
        "{}  {state}, {} turns, {loops} loops seen, {}, {}",
        run_name(run),
        status.tick_count,
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
            let (count, status) = (task.attempt_count, printable(&task.status));
            let _ = writeln!(text, "    task {}, {count} attempts: {status}", printable(id));
        }
    }
}

/// Says where to look if hooks failed recently. The agents continued, so the user may not have noticed.
fn report_hook_errors() {
    let Some(store) = default_path(|name| std::env::var_os(name)) else { return };
    let file = error_log::path(&store);
    let modified = std::fs::metadata(&file).and_then(|metadata| metadata.modified()).ok();
    let age = modified.and_then(|modified| modified.elapsed().ok());
    if age.is_some_and(|age| age < RECENT) {
        warn(&format!(
            "hooks failed in the last 24 hours and the agents continued without the guard: see {}",
            file.display()
        ));
    }
}
