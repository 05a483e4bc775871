//! Waits, and prints the result.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use loopbreak_runner::wait::{
    CommandWaiter, WaitCondition, WaitObserver, WaitOptions, render_time, shell_words,
};
use serde_json::json;

use super::args::WaitArgs;
use crate::error::UserError;
use crate::output::{self, printable, printable_lines};

pub(crate) fn run(args: &WaitArgs) -> Result<u8, UserError> {
    let options = options(args);
    let observer = TerminalProgress::new();
    let report = CommandWaiter::new(&options)?.run(&observer);
    observer.bar.finish_and_clear();
    let report = report?;
    if args.json {
        let seconds = report.waited.as_secs_f64();
        output::print_json(&json!({"end": report.end.as_str(), "seconds": seconds, "tries": report.tries,
                                   "exit": report.exit, "output": report.output}))?;
    } else {
        let output = printable_lines(&report.output);
        let end = if output.is_empty() { "" } else { "\n" };
        output::print(&format!("{}\n{output}{end}", report.render_line()))?;
    }
    Ok(report.end.code())
}

fn options(args: &WaitArgs) -> WaitOptions {
    let condition = match &args.until_output {
        Some(text) => WaitCondition::Output(text.clone()),
        None if args.until_change => WaitCondition::Change,
        None => WaitCondition::Success,
    };
    WaitOptions {
        command: args.until.as_deref().map_or_else(|| args.command.clone(), shell_words),
        condition,
        fail_when: args.fail_when.as_deref().map(shell_words),
        every: args.every,
        timeout: args.timeout,
        try_timeout: args.try_timeout,
        guardian: crate::guardian::words(),
    }
}

/// Shows the progress on a terminal.
struct TerminalProgress {
    bar: ProgressBar,
}

impl TerminalProgress {
    fn new() -> Self {
        let bar =
            if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("waiting for {elapsed}{msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        TerminalProgress { bar }
    }
}

impl WaitObserver for TerminalProgress {
    fn waiting(&self, tries: u64, last: &str, pause: Duration) {
        self.bar.set_message(format!(", try {tries}: {last}, next try in {}", render_time(pause)));
    }

    fn message(&self, text: &str) {
        self.bar.suspend(|| eprint_line!("loopbreak: {}", printable(text)));
    }
}
