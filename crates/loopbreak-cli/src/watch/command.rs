//! Runs a watch with the options of the user.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use loopbreak_analysis::VerdictName;
use loopbreak_report::plural;
use loopbreak_watch::notification::NotifierSet;
use loopbreak_watch::{LogWatcher, WatchEnd, WatchOptions, WatchReporter as _, WatchSummary};

use super::args::WatchArgs;
use super::display::{DisplayMode, WatchDisplay};
use crate::args::FailOn;
use crate::error::UserError;
use crate::{exit, output};

/// Time limits for notifications that are not delivered yet when the watch ends, and after an interrupt.
const FINISH_TIMEOUT: Duration = Duration::from_mins(1);
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Watches until the options or an interrupt end it.
pub(crate) fn run(args: &WatchArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&args.config)?;
    if args.paths.iter().any(|path| path == Path::new("-")) {
        return Err(UserError::usage("standard input cannot be watched")
            .hint("let the agent write to a file, or use: my-agent | loopbreak analyze -"));
    }
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let mode = match (args.json, args.plain || args.once || dumb || !output::is_terminal()) {
        (true, _) => DisplayMode::Json,
        (_, true) => DisplayMode::Lines,
        _ => DisplayMode::List,
    };
    let notifiers = NotifierSet::new(args.exec.as_deref(), &args.notify, mode == DisplayMode::List)?;
    let interrupts = interrupts()?;
    let options = WatchOptions {
        format: args.format,
        from_start: args.from_start,
        once: args.once,
        until_idle: args.until_idle,
        forget: args.forget,
        verbose: args.verbose,
        ..WatchOptions::new(args.paths.clone())
    };
    let missing: Vec<_> = args.paths.iter().filter(|path| !path.exists()).collect();
    let mut watcher = LogWatcher::new(options, config, notifiers);
    let mut display = WatchDisplay::new(mode, args.bell);
    for path in &missing {
        let what = if args.once { "file or folder not found" } else { "does not exist yet; waiting for it" };
        display.message(&format!("{}: {what}", path.display()));
    }
    let mut has_unread_paths = !missing.is_empty();
    watcher.read_existing(&mut display);
    if !args.once {
        display.message(&greeting(&watcher.summary(), args.from_start));
    }
    let end = watcher.run(&mut display, &interrupts);
    if let Some(error) = display.take_error() {
        return Err(error);
    }
    if args.once {
        for path in watcher.paths_without_log() {
            display.message(&format!("{}: not a log", path.display()));
            has_unread_paths = true;
        }
    }
    display.clear();
    let interrupted = end == WatchEnd::Interrupted;
    watcher.finish(&mut display, if interrupted { INTERRUPT_TIMEOUT } else { FINISH_TIMEOUT });
    display.message(&closing(&watcher.summary()));
    let fails = args.fail_on.is_some_and(|fail_on| {
        watcher.worst_verdict()
            >= match fail_on {
                FailOn::Warn => VerdictName::Warn,
                FailOn::Stop => VerdictName::Stop,
            }
    });
    Ok(match interrupted {
        true => exit::INTERRUPTED,
        false if fails => exit::LOOP,
        false if args.once && has_unread_paths => exit::FAILED,
        false => exit::DONE,
    })
}

fn greeting(summary: &WatchSummary, from_start: bool) -> String {
    let already = if from_start { "" } else { "already " };
    format!(
        "watching {} with {}: {already}{} to stop, {} warned",
        plural(summary.logs, "log"),
        plural(summary.runs, "run"),
        summary.stopped,
        summary.warned
    )
}

fn closing(summary: &WatchSummary) -> String {
    let skipped = match summary.skipped_lines {
        0 => String::new(),
        lines => format!(", {} skipped", plural(lines, "line")),
    };
    format!(
        "watched {}, {}: {} to stop, {} warned; {}{skipped}",
        plural(summary.runs, "run"),
        plural(summary.steps, "step"),
        summary.stopped,
        summary.warned,
        plural(summary.notifications, "notification")
    )
}

/// Returns a channel that receives interrupts. The second interrupt ends the program at once.
fn interrupts() -> Result<Receiver<()>, UserError> {
    let (sender, receiver) = channel();
    let mut before = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut before, true) {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
        let _ = sender.send(());
    })
    .map_err(|error| UserError::failed(format!("cannot listen for interrupts: {error}")))?;
    Ok(receiver)
}
