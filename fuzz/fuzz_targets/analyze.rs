//! Feeds arbitrary bytes through the detected reader and then through one guard per run.

#![no_main]

use std::collections::HashMap;
use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use loopbreak::{Config, Guard};
use loopbreak_trace::{OpenedLog, LogRecord, RecordSink, SkippedLine};

/// The guards, and the last turn of each.
#[derive(Default)]
struct RunGuards(HashMap<String, (Option<Guard>, u64)>);

impl RecordSink for RunGuards {
    fn record(&mut self, record: &LogRecord<'_>) {
        let run = record.run().unwrap_or_default().into_owned();
        let (guard, last) = self.0.entry(run).or_default();
        let verdict = guard.get_or_insert_with(|| Guard::new(Config::default())).observe(&record.step);
        assert!(verdict.turn >= *last, "a turn goes back");
        *last = verdict.turn;
    }
    fn skipped(&mut self, _: SkippedLine) {}
}

fuzz_target!(|data: &[u8]| {
    if let Ok(log) = OpenedLog::from_stream(Cursor::new(data.to_vec()), None, |_| {}) {
        // Broken compressed data cannot be read to its end.
        _ = log.read(&mut RunGuards::default());
    }
});
