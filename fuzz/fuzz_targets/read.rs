//! Feeds arbitrary bytes through the detected reader and through one reader by name, which the first byte selects.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use loopbreak_trace::{LogFormat, OpenedLog, LogRecord, RecordSink, SkippedLine};

/// Inspects every record and keeps nothing.
struct RecordInspector(usize);

impl RecordSink for RecordInspector {
    fn record(&mut self, record: &LogRecord<'_>) {
        assert!(record.line > 0);
        self.0 += record.run().map_or(0, |run| run.len());
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        self.0 += skipped.reason.to_string().len();
    }
}

fuzz_target!(|data: &[u8]| {
    let named = data.first().and_then(|first| LogFormat::all().nth(usize::from(*first) % 16));
    for format in [None, named] {
        if let Ok(log) = OpenedLog::from_stream(Cursor::new(data.to_vec()), format, |_| {}) {
            // Broken compressed data cannot be read to its end.
            _ = log.read(&mut RecordInspector(0));
        }
    }
});
