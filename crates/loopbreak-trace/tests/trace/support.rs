//! Shared parts of the tests.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use loopbreak_trace::{LogFormat, LogRecord, RecordSink, SkippedLine, UnreadItem, expand_paths};

/// Returns the folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The output of a log.
#[derive(Debug, Default)]
pub(crate) struct CollectedSteps {
    /// Line number and native JSON of each step.
    pub(crate) steps: Vec<(u64, String)>,
    pub(crate) skipped: Vec<String>,
    /// Line number and kind of each item that was not understood.
    pub(crate) unread: Vec<String>,
}

impl RecordSink for CollectedSteps {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.steps.push((record.line, serde_json::to_string(&record.step).unwrap()));
    }
    fn unread_item(&mut self, item: &UnreadItem<'_>) {
        self.unread.push(format!("{}: {}", item.line, item.kind));
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        self.skipped.push(format!("{}: {}", skipped.line, skipped.reason));
    }
}

/// A log that was read.
pub(crate) struct ReadLog {
    pub(crate) name: String,
    pub(crate) format: LogFormat,
    pub(crate) collected: CollectedSteps,
}

/// Reads all logs in a folder or file.
pub(crate) fn read(path: &Path) -> Vec<ReadLog> {
    let expansion = expand_paths([path]);
    assert!(expansion.unreadable.is_empty(), "{:?}", expansion.unreadable);
    let mut logs = Vec::new();
    for input in expansion.inputs {
        let path = input.path().unwrap();
        let name = path.strip_prefix(fixtures()).unwrap_or(path).display().to_string();
        let log = match input.open(None, |_| {}) {
            Ok(log) => log,
            Err(error) => panic!("{name}: {error}"),
        };
        let format = log.format();
        let mut collected = CollectedSteps::default();
        log.read(&mut collected).unwrap();
        logs.push(ReadLog { name, format, collected });
    }
    logs
}

/// Renders logs as a text for snapshots.
pub(crate) fn render(logs: &[ReadLog]) -> String {
    let mut text = String::new();
    for log in logs {
        writeln!(text, "== {} is {}", log.name, log.format).unwrap();
        for (line, step) in &log.collected.steps {
            writeln!(text, "{line}: {step}").unwrap();
        }
        for skipped in &log.collected.skipped {
            writeln!(text, "skipped {skipped}").unwrap();
        }
        for unread in &log.collected.unread {
            writeln!(text, "unread {unread}").unwrap();
        }
    }
    text
}
