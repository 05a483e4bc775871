//! What happens to files between two looks at them, in the order that a busy machine may bring about.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::SystemTime;

use loopbreak_trace::{LogRecord, SkippedLine};

use super::*;

const DAY: Duration = Duration::from_hours(24);

/// Notes the runs that are told of, and does something when a log begins anew.
struct Listener<'l> {
    told: Vec<String>,
    when_anew: &'l dyn Fn(&Path),
}

impl Audience for Listener<'_> {
    fn step(&mut self, _: &Origin, _: &Path, aloud: bool, record: &LogRecord<'_>) {
        self.told.extend(record.run().map(std::borrow::Cow::into_owned).filter(|_| aloud));
    }

    fn anew(&mut self, path: &Path) {
        (self.when_anew)(path);
    }

    fn skipped(&mut self, _: &Path, _: &SkippedLine) {}
    fn again(&mut self, _: usize) {}
    fn all(&mut self, _: usize) {}
    fn say(&mut self, _: &Path, _: &str) {}
    fn aside(&mut self, _: &Path, _: &str) {}
    fn tidy(&mut self) {}
}

/// Adds a step of this run.
fn append(path: &Path, run: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{{\"run\":\"{run}\",\"turn\":1,\"score\":3}}").unwrap();
}

#[test]
fn old_logs_that_are_rotated_while_they_are_looked_at_are_heard_when_they_wake_up() {
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
    let mut files = Files::new(&names.map(at), None, DAY, false);
    let nothing = |_: &Path| {};
    let mut listener = Listener { told: Vec::new(), when_anew: &nothing };
    files.read(false, &mut listener);
    // The log is looked at before the rotation, the one that was put away before it after the rotation.
    let rotate = |path: &Path| {
        if path != at("between.jsonl") {
            return;
        }
        fs::rename(at("log.jsonl.1"), at("log.jsonl.2")).unwrap();
        fs::rename(at("log.jsonl"), at("log.jsonl.1")).unwrap();
        append(&at("log.jsonl"), "new");
    };
    fs::write(at("between.jsonl"), "").unwrap();
    listener.when_anew = &rotate;
    files.read(false, &mut listener);
    listener.when_anew = &nothing;
    files.read(false, &mut listener);
    append(&at("log.jsonl.1"), "late");
    for _ in 0..3 {
        files.scan_now();
        files.read(false, &mut listener);
    }
    assert_eq!(listener.told, ["new", "late"]);
}
