//! Changes of files between two checks, in an order that occurs on a busy machine.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use loopbreak_trace::{LogRecord, SkippedLine};

use super::followed_files::FollowedFiles;
use super::followed_log::StepOrigin;
use super::watch_observer::WatchObserver;

const DAY: Duration = Duration::from_hours(24);

/// Records the runs that are reported, and calls a function when a log restarts.
struct RecordingObserver<'l> {
    reported: Vec<String>,
    on_restart: &'l dyn Fn(&Path),
}

impl WatchObserver for RecordingObserver<'_> {
    fn step(&mut self, _: &StepOrigin, _: &Path, is_live: bool, record: &LogRecord<'_>) {
        self.reported.extend(record.run().map(std::borrow::Cow::into_owned).filter(|_| is_live));
    }

    fn log_restarted(&mut self, path: &Path) {
        (self.on_restart)(path);
    }

    fn line_skipped(&mut self, _: &Path, _: &SkippedLine) {}
    fn reread_started(&mut self, _: usize) {}
    fn reread_finished(&mut self, _: usize) {}
    fn warning(&mut self, _: &Path, _: &str) {}
    fn note(&mut self, _: &Path, _: &str) {}
    fn trim_memory(&mut self) {}
}

/// Appends a step of this run.
fn append(path: &Path, run: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{{\"run\":\"{run}\",\"turn\":1,\"score\":3}}").unwrap();
}

#[test]
fn reads_old_logs_that_were_rotated_during_a_check_when_they_grow() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let names = ["log.jsonl", "between.jsonl", "log.jsonl.1"];
    for name in names {
        append(&at(name), "old");
    }
    for name in ["log.jsonl", "log.jsonl.1"] {
        let file = OpenOptions::new().append(true).open(at(name)).unwrap();
        file.set_modified(SystemTime::now() - 2 * DAY).unwrap();
    }
    let mut files = FollowedFiles::new(&names.map(at), None, DAY, false);
    let nothing = |_: &Path| {};
    let mut observer = RecordingObserver { reported: Vec::new(), on_restart: &nothing };
    files.read(false, &mut observer);
    // The log is checked before the rotation, the older rotated log after it.
    let rotate = |path: &Path| {
        if path != at("between.jsonl") {
            return;
        }
        fs::rename(at("log.jsonl.1"), at("log.jsonl.2")).unwrap();
        fs::rename(at("log.jsonl"), at("log.jsonl.1")).unwrap();
        append(&at("log.jsonl"), "new");
    };
    fs::write(at("between.jsonl"), "").unwrap();
    observer.on_restart = &rotate;
    files.read(false, &mut observer);
    observer.on_restart = &nothing;
    files.read(false, &mut observer);
    append(&at("log.jsonl.1"), "late");
    for _ in 0..3 {
        files.scan_now();
        files.read(false, &mut observer);
    }
    assert_eq!(observer.reported, ["new", "late"]);
}
