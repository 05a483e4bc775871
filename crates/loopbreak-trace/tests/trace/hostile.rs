//! Hostile logs, through every reader: no panic, and linear time.

use std::fs;
use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::support::fixtures;
use loopbreak_trace::{LogFormat, LogRecord, OpenedLog, RecordSink, SkippedLine};

#[derive(Default)]
struct RecordCount {
    records: usize,
    skipped: usize,
}

impl RecordSink for RecordCount {
    fn record(&mut self, _: &LogRecord<'_>) {
        self.records += 1;
    }
    fn skipped(&mut self, _: SkippedLine) {
        self.skipped += 1;
    }
}

fn read(text: &str, format: LogFormat) -> RecordCount {
    let mut count = RecordCount::default();
    if let Ok(log) = OpenedLog::from_stream(Cursor::new(text.to_owned()), Some(format), |_| {}) {
        log.read(&mut count).unwrap();
    }
    count
}

/// Returns lines in a format, from its fixtures.
fn lines_of(format: LogFormat) -> Vec<String> {
    let mut lines = Vec::new();
    let mut paths = vec![fixtures()];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "jsonl")
            && let Ok(text) = fs::read_to_string(&path)
            && OpenedLog::from_stream(Cursor::new(text.clone()), None, |_| {})
                .is_ok_and(|log| log.format() == format)
        {
            lines.extend(text.lines().filter(|line| line.len() < 4096).map(str::to_owned));
        }
    }
    lines.sort();
    lines.truncate(40);
    if format == LogFormat::STEPS {
        lines.push(
            r#"{"run":"a","turn":1,"at":"2025-11-04T09:35:24Z","action":"look","outcome":"dark"}"#.to_owned(),
        );
    }
    lines
}

/// Reads a text of 500 lines and one four times as long. Quadratic time would take sixteen times as long.
fn assert_linear_time(what: &str, format: LogFormat, text: impl Fn(usize) -> String) {
    let time = |count| {
        let text = text(count);
        let once = || {
            let start = Instant::now();
            read(&text, format);
            start.elapsed()
        };
        (0..3).map(|_| once()).min().unwrap()
    };
    let (short, long) = (time(500), time(2_000));
    // A busy machine is slow now and then; quadratic time exceeds this limit in every attempt.
    assert!(
        long < short * 10 + Duration::from_millis(200),
        "{format}, {what}: {short:?} for 500 lines, {long:?} for 2,000"
    );
}

#[test]
fn repeated_lines_take_linear_time() {
    for format in LogFormat::all() {
        for line in lines_of(format).iter().take(2) {
            assert_linear_time("duplicate ids", format, |count| format!("{line}\n").repeat(count));
        }
    }
}

#[test]
fn unique_runs_and_ids_take_linear_time() {
    for format in LogFormat::all() {
        for line in lines_of(format).iter().take(2) {
            // If an id contains a 1, every line gets its own id.
            let fresh = |index: usize| line.replace('1', &format!("{index:05}")) + "\n";
            assert_linear_time("fresh ids", format, |count| (0..count).map(fresh).collect());
        }
    }
}

#[test]
fn a_reversed_log_mixed_with_itself_is_read_without_a_panic() {
    for format in LogFormat::all() {
        let lines = lines_of(format);
        let backwards: Vec<&str> = lines.iter().rev().map(String::as_str).collect();
        read(&backwards.join("\n"), format);
        let both = |(one, other): (&String, &&str)| format!("{one}\n{other}\n");
        let mixed: String = lines.iter().zip(&backwards).map(both).collect();
        read(&mixed.repeat(5), format);
    }
}

#[test]
fn huge_strings_are_read_without_a_panic() {
    let huge = "x\\n".repeat(200_000);
    for format in LogFormat::all() {
        for line in lines_of(format).iter().take(3) {
            for (at, _) in line.match_indices(":\"").take(6) {
                let (before, after) = line.split_at(at + 2);
                read(&format!("{line}\n{before}{huge}{after}\n{line}\n"), format);
            }
        }
    }
}

#[test]
fn reads_all_of_many_tiny_runs() {
    let line = |run: u32| format!("{{\"run\":{run},\"score\":1}}\n");
    let text: String = (0..100_000).map(line).collect();
    let count = read(&text, LogFormat::STEPS);
    assert_eq!((count.records, count.skipped), (100_000, 0));
}
