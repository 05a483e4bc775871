//! What the tests of the readers share.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use loopbreak_trace::{LogFormat, LogRecord, RecordSink, SkippedLine, expand_paths};

/// The folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// What came out of a log.
#[derive(Debug, Default)]
pub(crate) struct CollectedSteps {
    /// The steps, as native lines with the number of their line before them.
    pub(crate) steps: Vec<(u64, String)>,
    pub(crate) skipped: Vec<String>,
}

impl RecordSink for CollectedSteps {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.steps.push((record.line, serde_json::to_string(&record.step).unwrap()));
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        self.skipped.push(format!("{}: {}", skipped.line, skipped.reason));
    }
}

/// A log of a folder, read.
pub(crate) struct ReadLog {
    pub(crate) name: String,
    pub(crate) format: LogFormat,
    pub(crate) collected: CollectedSteps,
}

/// All logs in a folder or file, read.
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

/// The same as a text to compare with.
pub(crate) fn shown(logs: &[ReadLog]) -> String {
    let mut text = String::new();
    for log in logs {
        writeln!(text, "== {} is {}", log.name, log.format).unwrap();
        for (line, step) in &log.collected.steps {
            writeln!(text, "{line}: {step}").unwrap();
        }
        for skipped in &log.collected.skipped {
            writeln!(text, "skipped {skipped}").unwrap();
        }
    }
    text
}
