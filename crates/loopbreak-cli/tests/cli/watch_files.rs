//! `loopbreak watch` with rotated, truncated and rewritten logs: nothing is lost or read twice.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::watching::{WatchProcess, append, watch, without_progress};
use crate::support::{folder, healthy, json, root, stuck};
use loopbreak_report::plural;

/// A pseudorandom generator with a fixed seed.
struct TestRng(u64);

impl TestRng {
    fn next_below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// The kind of rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogRotation {
    /// The log is renamed, and a new one is created.
    Rename,
    /// The log is copied and truncated.
    CopyTruncate,
}

/// An agent that writes parts of lines and is restarted, and whose log is rotated.
struct LogWriter<'w> {
    log: &'w Path,
    file: File,
    dice: TestRng,
    /// Everything that was written.
    all: String,
    rotations: u32,
}

impl<'w> LogWriter<'w> {
    fn new(log: &'w Path, seed: u64) -> Self {
        LogWriter { log, file: open(log), dice: TestRng(seed), all: String::new(), rotations: 0 }
    }

    /// Writes in pieces that may end within a line.
    fn write(&mut self, text: &str) {
        self.all += text;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let size = (1 + self.dice.next_below(120) as usize).min(rest.len());
            let (piece, after) = rest.split_at(size);
            self.file.write_all(piece).unwrap();
            rest = after;
            match self.dice.next_below(60) {
                0 => std::thread::sleep(Duration::from_millis(self.dice.next_below(40))),
                // The agent is restarted within a line.
                1 => self.file = open(self.log),
                _ => {}
            }
        }
    }

    fn rotate(&mut self, how: LogRotation) {
        let put_away = |number: u32| self.log.with_file_name(format!("log.jsonl.{number}"));
        for number in (1..=self.rotations).rev() {
            fs::rename(put_away(number), put_away(number + 1)).unwrap();
        }
        self.rotations += 1;
        match how {
            LogRotation::Rename => {
                fs::rename(self.log, put_away(1)).unwrap();
                self.file = open(self.log);
            }
            LogRotation::CopyTruncate => {
                fs::copy(self.log, put_away(1)).unwrap();
                OpenOptions::new().write(true).truncate(true).open(self.log).unwrap();
            }
        }
    }
}

fn open(path: &Path) -> File {
    OpenOptions::new().create(true).append(true).open(path).unwrap()
}

/// Returns run, turn and intervention of each notification.
fn notification_keys(notifications: &[serde_json::Value]) -> Vec<(String, u64, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let one = |notification: &serde_json::Value| {
        (
            text(&notification["run"]),
            notification["turn"].as_u64().unwrap(),
            text(&notification["intervention"]),
        )
    };
    let mut all: Vec<_> = notifications.iter().map(one).collect();
    all.sort();
    all
}

/// Returns run, turn and intervention from an analysis of everything that was written.
fn analyzed_keys(text: &str) -> Vec<(String, u64, String)> {
    let folder = folder();
    fs::write(folder.path().join("all.jsonl"), text).unwrap();
    let report = json(folder.path(), &["all.jsonl"]);
    let mut all = Vec::new();
    for run in report["runs"].as_array().unwrap() {
        let interventions: Vec<_> = run["interventions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|intervention| {
                let mut intervention = intervention.clone();
                intervention["run"] = run["run"].clone();
                intervention
            })
            .collect();
        all.extend(notification_keys(&interventions).into_iter().filter(|(_, _, name)| name != "hint"));
    }
    all.sort();
    all
}

fn assert_follows_rotations(rotations: &[LogRotation], seed: u64, watched: &str) {
    let folder = folder();
    fs::create_dir(folder.path().join("logs")).unwrap();
    let log = folder.path().join("logs/log.jsonl");
    let mut writer = LogWriter::new(&log, seed);
    // It was rotated earlier.
    writer.rotations = 1;
    fs::write(log.with_file_name("log.jsonl.1"), healthy("before", 10)).unwrap();
    let (runs_before, steps_before) = if watched == "logs" { (1, 10) } else { (0, 0) };
    let watching = watch(folder.path(), &[watched, "--json"]);
    // The watch must know the log before the first rotation.
    writer.write(&stuck("mark", 20));
    let mut notifications =
        vec![serde_json::from_str(&watching.wait_for_notification("\"run\":\"mark\"")).unwrap()];
    for round in 0..8_u64 {
        // The last lines before the rotation are probably not read yet.
        let from = round * 50 + 1;
        writer.write(&(without_progress("long", from..=from + 24) + &healthy(&format!("well-{round}"), 20)));
        writer.write(&without_progress("long", from + 25..=from + 49));
        writer.rotate(rotations[(round as usize) % rotations.len()]);
        writer.write(&stuck(&format!("mark-{round}"), 20));
        // One rotation at a time: the watch has seen it when it reports later lines.
        let mark = format!("\"run\":\"mark-{round}\"");
        loop {
            let line = watching.wait_for_notification("");
            notifications.push(serde_json::from_str(&line).unwrap());
            if line.contains(&mark) {
                break;
            }
        }
    }
    let all = writer.all.clone();
    let (closing, rest) = watching.end();
    notifications.extend(rest);
    let (runs, steps) = (18 + runs_before, all.lines().count() + steps_before);
    assert!(
        closing.starts_with(&format!(
            "watched {}, {}",
            plural(runs as u64, "run"),
            plural(steps as u64, "step")
        )),
        "{closing}"
    );
    assert!(!closing.contains("skipped"), "{closing}");
    assert_eq!(notification_keys(&notifications), analyzed_keys(&all));
}

#[test]
fn a_renamed_log_is_followed() {
    assert_follows_rotations(&[LogRotation::Rename], 7, "logs");
}

#[test]
fn a_copied_and_truncated_log_is_followed() {
    assert_follows_rotations(&[LogRotation::CopyTruncate], 11, "logs");
}

#[test]
fn both_kinds_of_rotation_can_be_mixed() {
    assert_follows_rotations(
        &[LogRotation::CopyTruncate, LogRotation::Rename, LogRotation::Rename],
        13,
        "logs",
    );
}

#[test]
fn a_single_file_is_followed_through_rotations_to_unlisted_files() {
    assert_follows_rotations(&[LogRotation::Rename, LogRotation::CopyTruncate], 17, "logs/log.jsonl");
}

#[test]
fn a_writer_that_missed_the_rotation_is_still_read() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    let mut old = open(&log);
    old.write_all(without_progress("a", 1..=10).as_bytes()).unwrap();
    let watching = watch(folder.path(), &["log.jsonl", "--json"]);
    fs::rename(&log, folder.path().join("log.jsonl.1")).unwrap();
    append(&log, &stuck("new", 20));
    watching.wait_for_notification("\"run\":\"new\"");
    let late = without_progress("a", 11..=20);
    let (half, rest) = late.split_at(late.len() - 9);
    old.write_all(half.as_bytes()).unwrap();
    append(&log, &stuck("newer", 20));
    watching.wait_for_notification("\"run\":\"newer\"");
    old.write_all(rest.as_bytes()).unwrap();
    assert!(watching.wait_for_notification("\"run\":\"a\"").contains("\"turn\":20"));
    let (closing, _) = watching.end();
    assert!(closing.starts_with("watched 3 runs, 60 steps"), "{closing}");
}

#[test]
fn a_rewritten_log_without_run_names_starts_a_new_run() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    let unnamed = |turns: u64| stuck("x", turns).replace("\"run\":\"x\",", "");
    append(&log, &unnamed(30));
    let watching = watch(folder.path(), &["log.jsonl", "--json", "-v"]);
    // Longer than before, so that the size does not reveal it.
    let first = format!("{{\"turn\":1,\"score\":3,\"say\":\"{}\"}}\n", "x".repeat(4000));
    let others = without_progress("x", 2..=19).replace("\"run\":\"x\",", "");
    fs::write(&log, first + &others).unwrap();
    watching.wait_for_message("restarted from the beginning");
    append(&log, "{\"turn\":20,\"score\":3}\n");
    assert!(watching.wait_for_notification("\"warn\"").contains("\"turn\":20"));
    let (closing, _) = watching.end();
    assert!(closing.starts_with("watched 2 runs, 50 steps"), "{closing}");
}

#[test]
fn new_files_are_found_anywhere_and_compressed_ones_are_skipped() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("logs")).unwrap();
    let watching = watch(folder.path(), &["logs", "--json", "-v"]);
    fs::create_dir_all(at("logs/a/b/c")).unwrap();
    append(&at("logs/a/b/c/deep.jsonl"), &stuck("deep", 20));
    watching.wait_for_notification("\"run\":\"deep\"");
    // Written elsewhere and moved there.
    append(&at("ready.jsonl"), &stuck("moved", 20));
    fs::rename(at("ready.jsonl"), at("logs/moved.jsonl")).unwrap();
    watching.wait_for_notification("\"run\":\"moved\"");
    // Moved within the folder: the same log continues.
    fs::rename(at("logs/moved.jsonl"), at("logs/a/elsewhere.jsonl")).unwrap();
    fs::rename(at("logs/a/b/c/deep.jsonl"), at("logs/a/b/c/done.jsonl")).unwrap();
    let packed = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(stuck("packed", 40).as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    fs::write(at("logs/deep.jsonl.gz"), packed).unwrap();
    watching.wait_for_message("logs/deep.jsonl.gz: not followed: the file is compressed");
    append(&at("logs/a/b/c/done.jsonl"), &without_progress("deep", 21..=40));
    assert!(watching.wait_for_notification("\"stop\"").contains("\"run\":\"deep\""));
    let (closing, _) = watching.end();
    assert!(closing.starts_with("watched 2 runs, 60 steps"), "{closing}");
}

#[test]
fn logs_of_every_format_can_be_followed() {
    let folder = folder();
    let fixtures = root().join("crates/loopbreak-trace/tests/fixtures");
    fs::create_dir(folder.path().join("logs")).unwrap();
    let watching = watch(folder.path(), &["logs", "--json", "-v"]);
    let mut dice = TestRng(23);
    let mut formats = Vec::new();
    for format in fs::read_dir(&fixtures).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        let mut files = Vec::new();
        let mut folders = vec![format.path()];
        while let Some(inside) = folders.pop() {
            for entry in fs::read_dir(inside).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
            }
        }
        for file in files
            .iter()
            .filter(|file| !file.extension().is_some_and(|ending| ending == "json" || ending == "traj"))
        {
            let copy = folder.path().join("logs").join(file.strip_prefix(&fixtures).unwrap());
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            let bytes = fs::read(file).unwrap();
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (piece, after) = rest.split_at((1 + dice.next_below(5000) as usize).min(rest.len()));
                open(&copy).write_all(piece).unwrap();
                rest = after;
                // The watch sees it in between.
                std::thread::sleep(Duration::from_millis(dice.next_below(20)));
            }
            formats.push(format.file_name().into_string().unwrap());
        }
    }
    formats.dedup();
    assert!(formats.len() >= 9, "{formats:?}");
    let (closing, _) = watching.end();
    let totals = &json(folder.path(), &["logs"])["totals"];
    let (runs, steps) = (totals["runs"].as_u64().unwrap(), totals["steps"].as_u64().unwrap());
    assert!(
        closing.starts_with(&format!("watched {}, {}", plural(runs, "run"), plural(steps, "step"))),
        "{closing} {totals}"
    );
}

/// Returns a trajectory with this number of identical steps.
fn trajectory(steps: usize) -> String {
    let step = r#"{"action":"ls missing\n","observation":"ls: cannot access 'missing'","thought":"I look."}"#;
    format!("{{\"environment\":\"e\",\"trajectory\":[{}],\"history\":[]}}", vec![step; steps].join(","))
}

/// Writes a file atomically.
fn replace(path: &Path, text: &str) {
    let next = path.with_extension("next");
    fs::write(&next, text).unwrap();
    fs::rename(next, path).unwrap();
}

fn next(watching: &WatchProcess) -> (u64, String) {
    let line: serde_json::Value = serde_json::from_str(&watching.wait_for_notification("")).unwrap();
    (line["turn"].as_u64().unwrap(), line["intervention"].as_str().unwrap().to_owned())
}

#[test]
fn a_rewritten_document_is_read_again_and_nothing_is_reported_twice() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("old.traj"), trajectory(40)).unwrap();
    let watching = watch(folder.path(), &[".", "--json"]);
    let mut told = Vec::new();
    for steps in 1..=12 {
        // Alternately in place and by replacing the file.
        if steps % 2 == 0 {
            replace(&at("run.traj"), &trajectory(steps));
        } else {
            fs::write(at("run.traj"), trajectory(steps)).unwrap();
        }
        if matches!(steps, 3 | 6 | 8) {
            told.push(next(&watching));
        }
    }
    // Another run replaces it and is reported like the first one.
    fs::write(at("run.traj"), trajectory(1)).unwrap();
    append(&at("mark.jsonl"), &stuck("mark", 20));
    watching.wait_for_notification("\"run\":\"mark\"");
    replace(&at("run.traj"), &trajectory(3));
    told.push(next(&watching));
    assert_eq!(told, [(3, "warn".into()), (6, "warn".into()), (8, "escalate".into()), (3, "warn".into())]);
    let (closing, rest) = watching.end();
    assert_eq!(rest, Vec::<serde_json::Value>::new());
    assert!(closing.starts_with("watched 3 runs, 63 steps"), "{closing}");
}

#[test]
fn files_with_one_record_each_form_one_log_per_folder() {
    let folder = folder();
    let events = folder.path().join("sessions/s7/events");
    fs::create_dir_all(&events).unwrap();
    let watching = watch(folder.path(), &["sessions", "--json"]);
    let mut id = 0;
    for _ in 0..4 {
        let call = format!(r#"{{"id":{id},"source":"agent","action":"run","args":{{"command":"ls x"}}}}"#);
        fs::write(events.join(format!("{id}.json")), call).unwrap();
        let result = format!(
            r#"{{"id":{},"source":"agent","cause":{id},"observation":"run","content":"no such file","extras":{{"exit_code":1}}}}"#,
            id + 1
        );
        fs::write(events.join(format!("{}.json", id + 1)), result).unwrap();
        id += 2;
    }
    let line = watching.wait_for_notification("\"turn\":3");
    assert!(line.contains("\"run\":\"s7\""), "{line}");
    let (closing, _) = watching.end();
    assert!(closing.starts_with("watched 1 run, 4 steps"), "{closing}");
}

#[test]
fn a_given_format_is_used_and_unsupported_ones_are_refused() {
    let folder = folder();
    fs::write(folder.path().join("log.txt"), "prose\n").unwrap();
    let done = crate::support::done(
        crate::support::loopbreak(folder.path()).args(["watch", "log.txt", "--format", "nonsense", "--once"]),
    );
    assert_eq!(done.code, Some(2), "{}", done.err);
    let watching = watch(folder.path(), &["log.txt", "--format", "steps", "--json", "-v"]);
    append(&folder.path().join("log.txt"), &stuck("a", 20));
    watching.wait_for_notification("\"run\":\"a\"");
    drop(watching);
    fs::write(folder.path().join("log.zst"), [0x28, 0xB5, 0x2F, 0xFD, 0, 0]).unwrap();
    let watching = watch(folder.path(), &["log.zst"]);
    drop(watching);
    let done =
        crate::support::done(crate::support::loopbreak(folder.path()).args(["watch", "log.zst", "--once"]));
    assert!(done.err.contains("log.zst: not followed: the file is compressed"), "{}", done.err);
    assert_eq!(done.code, Some(1));
}

#[test]
fn an_incomplete_last_line_waits_and_is_not_a_skipped_line() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    let watching = watch(folder.path(), &["log.jsonl", "--json"]);
    append(&log, &stuck("a", 20));
    append(&log, "{\"run\":\"a\",\"turn\":21,");
    watching.wait_for_notification("\"run\":\"a\"");
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(1500) {
        append(&folder.path().join("log.jsonl"), " ");
        std::thread::sleep(Duration::from_millis(100));
    }
    append(&log, "\"score\":3}\n");
    let (closing, _) = watching.end();
    assert_eq!(closing, "watched 1 run, 21 steps: 0 to stop, 1 warned; 1 notification");
}

#[test]
fn a_rotated_old_log_is_not_reported() {
    let folder = folder();
    let at = |name: &str| folder.path().join("logs").join(name);
    fs::create_dir(folder.path().join("logs")).unwrap();
    for (name, run) in [("log.jsonl", "old"), ("log.jsonl.1", "older")] {
        append(&at(name), &stuck(run, 40));
        let days = std::time::SystemTime::now() - Duration::from_hours(48);
        File::options().append(true).open(at(name)).unwrap().set_modified(days).unwrap();
    }
    let watching = watch(folder.path(), &["logs", "--json"]);
    fs::rename(at("log.jsonl.1"), at("log.jsonl.2")).unwrap();
    fs::rename(at("log.jsonl"), at("log.jsonl.1")).unwrap();
    append(&at("log.jsonl"), &stuck("new", 20));
    assert!(watching.wait_for_notification("").contains("\"run\":\"new\""));
    // It continues in its current place.
    append(&at("log.jsonl.1"), &stuck("late", 20));
    assert!(watching.wait_for_notification("").contains("\"run\":\"late\""));
    let (closing, rest) = watching.end();
    assert_eq!(rest, Vec::<serde_json::Value>::new());
    assert!(closing.starts_with("watched 3 runs, 80 steps"), "{closing}");
}
