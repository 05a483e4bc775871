//! Any bytes, through the reader that their content asks for and then through a guard for each run.

#![no_main]

use std::collections::HashMap;
use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use loopbreak::{Config, Guard};
use loopbreak_trace::{Log, Record, Sink, Skipped};

/// The guards, and the last turn that each gave.
#[derive(Default)]
struct Guards(HashMap<String, (Option<Guard>, u64)>);

impl Sink for Guards {
    fn record(&mut self, record: &Record<'_>) {
        let run = record.run().unwrap_or_default().into_owned();
        let (guard, last) = self.0.entry(run).or_default();
        let verdict = guard.get_or_insert_with(|| Guard::new(Config::default())).observe(&record.step);
        assert!(verdict.turn >= *last, "a turn goes back");
        *last = verdict.turn;
    }
    fn skipped(&mut self, _: Skipped) {}
}

fuzz_target!(|data: &[u8]| {
    if let Ok(log) = Log::stream(Cursor::new(data.to_vec()), None, |_| {}) {
        // What is packed and broken cannot be read to its end.
        _ = log.read(&mut Guards::default());
    }
});
