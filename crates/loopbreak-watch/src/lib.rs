//! Follows growing agent logs and reports loops as they happen.
//!
//! [`LogWatcher`] reads every format of [`loopbreak_trace`], shows each step once to the guard of its run, and survives
//! rotation, truncation and rewriting. A [`WatchReporter`] receives what it finds; [`TerminalReporter`] writes it as text. [`notification`] starts commands and
//! sends messages when a run should be stopped or needs a human. [`keys`] lets the user of a terminal act on a run, through [`RunActions`].
//!
//! ```
//! use std::sync::mpsc::channel;
//!
//! use loopbreak::Config;
//! use loopbreak_watch::notification::{LoopNotification, NotifierSet};
//! use loopbreak_watch::{LogWatcher, WatchEnd, WatchOptions, WatchReporter};
//!
//! /// Keeps what is reported.
//! #[derive(Default)]
//! struct Reported(Vec<String>);
//!
//! impl WatchReporter for Reported {
//!     fn notification(&mut self, notification: &LoopNotification) {
//!         self.0.push(format!("{} at turn {}", notification.intervention.as_str(), notification.turn));
//!     }
//!     fn message(&mut self, _text: &str) {}
//! }
//!
//! # fn main() -> std::io::Result<()> {
//! let folder = tempfile::tempdir()?;
//! let log = folder.path().join("run.jsonl");
//! let lines: Vec<String> = (1..=40).map(|turn| format!(r#"{{"turn":{turn},"score":3}}"#)).collect();
//! std::fs::write(&log, lines.join("\n") + "\n")?;
//!
//! let options = WatchOptions { once: true, ..WatchOptions::new(vec![log]) };
//! let mut watcher = LogWatcher::new(options, Config::default(), NotifierSet::default());
//! let (_sender, interrupts) = channel();
//! let mut reported = Reported::default();
//! assert_eq!(watcher.run(&mut reported, &interrupts), WatchEnd::Finished);
//! assert_eq!(reported.0.last().map(String::as_str), Some("stop at turn 40"));
//! # Ok(())
//! # }
//! ```

mod follow;
mod guarded_runs;
pub mod keys;
mod log_watcher;
pub mod notification;
mod notification_history;
mod page_opener;
mod page_origin;
mod report_opener;
mod run_actions;
mod session_spending;
mod terminal_reporter;
mod watch_reporter;
mod watch_summary;

pub use log_watcher::{LogWatcher, WatchEnd, WatchOptions};
pub use page_opener::{OpenPageError, open_page, write_private_page};
pub use page_origin::page_origin;
pub use report_opener::ReportOpener;
pub use run_actions::RunActions;
pub use terminal_reporter::{ReportMode, TerminalReporter};
pub use watch_reporter::{OutputState, RunRow, WatchReporter};
pub use watch_summary::WatchSummary;
