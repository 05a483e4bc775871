//! Tests of the cache as a whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use loopbreak_trace::LogInput;

use super::log_cache::{CachePart, CacheTicket, LogCache};
use super::merge_segments::{CacheBounds, list_segments};
use super::result_key::ResultKey;
use crate::recording::FinishedRecording;
use crate::{AnalyzeOptions, LogAnalyzer};

const BOUNDS: CacheBounds = CacheBounds { bytes: 1 << 20, age: Duration::from_hours(24), files: 4 };
/// The time of the logs of these tests is before that.
const LATER: Duration = Duration::from_mins(10);

fn later() -> SystemTime {
    SystemTime::now() + LATER
}

/// A folder with logs, and one with a cache.
struct CacheLab {
    folder: tempfile::TempDir,
}

impl CacheLab {
    fn new() -> Self {
        CacheLab { folder: tempfile::tempdir().unwrap() }
    }

    fn log(&self, name: &str, text: &str) -> LogInput {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        LogInput::file(path)
    }

    fn cache_folder(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn open(&self, now: SystemTime) -> LogCache {
        LogCache::open(&self.cache_folder(), now, BOUNDS).unwrap()
    }

    fn open_bounded(&self, now: SystemTime, bounds: CacheBounds) -> LogCache {
        LogCache::open(&self.cache_folder(), now, bounds).unwrap()
    }

    fn segments(&self) -> Vec<PathBuf> {
        list_segments(&self.cache_folder()).unwrap()
    }
}

fn ticket(input: &LogInput) -> CacheTicket {
    LogCache::ticket(input, ResultKey::new(&AnalyzeOptions::default()).unwrap()).unwrap()
}

fn store(cache: &LogCache, input: &LogInput, content: &[u8]) {
    cache.store(&ticket(input), input, &[(CachePart::Runs, content.to_vec())]);
}

fn find(cache: &LogCache, input: &LogInput) -> Option<Vec<u8>> {
    cache.find(&ticket(input), CachePart::Runs)
}

/// Stores one content in a cache of its own.
fn store_alone(lab: &CacheLab, now: SystemTime, input: &LogInput, content: &[u8]) {
    let cache = lab.open(now);
    store(&cache, input, content);
    assert!(cache.finish().error.is_none());
}

#[test]
fn a_result_is_found_until_its_log_changes() {
    let lab = CacheLab::new();
    let (one, other) = (lab.log("a.jsonl", "x"), lab.log("b.jsonl", "x"));
    store_alone(&lab, later(), &one, b"result");
    let cache = lab.open(later());
    assert_eq!(find(&cache, &one).as_deref(), Some(&b"result"[..]));
    assert_eq!(find(&cache, &other), None, "another log with the same content");
    assert_eq!(cache.find(&ticket(&one), CachePart::Recordings), None);
    lab.log("a.jsonl", "y");
    assert_eq!(find(&cache, &one), None);
}

#[test]
fn a_log_that_changed_while_it_was_read_is_not_stored() {
    let lab = CacheLab::new();
    let input = lab.log("a.jsonl", "x");
    let cache = lab.open(later());
    let before = ticket(&input);
    lab.log("a.jsonl", "xy");
    cache.store(&before, &input, &[(CachePart::Runs, b"result".to_vec())]);
    // One that was written a moment ago may change once more without another time.
    let early = lab.open(SystemTime::now() - LATER);
    store(&early, &input, b"result");
    for cache in [cache, early] {
        assert!(cache.finish().error.is_none());
    }
    assert!(lab.segments().is_empty());
}

#[test]
fn a_damaged_file_is_ignored_and_replaced() {
    let lab = CacheLab::new();
    let input = lab.log("a.jsonl", "x");
    store_alone(&lab, later(), &input, b"result");
    let path = lab.segments()[0].clone();
    let whole = fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> =
        (0..whole.len()).step_by(7).map(|length| whole[..length].to_vec()).collect();
    // Bytes 12 to 16 and the last of an entry have no meaning, and the time of use may be any.
    let start = whole.len() - 32 - 8;
    damaged.extend(
        (0..whole.len())
            .step_by(3)
            .filter(|at| !(start..start + 8).contains(at) && !(12..16).contains(at))
            .map(|at| {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x55;
                bytes
            }),
    );
    damaged.push(b"something else".to_vec());
    damaged.push([&whole[..], b"more"].concat());
    for bytes in damaged {
        fs::write(&path, bytes).unwrap();
        let cache = lab.open(later());
        assert_eq!(find(&cache, &input), None);
        store(&cache, &input, b"result");
        assert!(cache.finish().error.is_none());
        assert_eq!(find(&lab.open(later()), &input).as_deref(), Some(&b"result"[..]));
        lab.segments().iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}

#[test]
fn a_file_of_a_newer_version_is_neither_read_nor_removed() {
    let lab = CacheLab::new();
    let input = lab.log("a.jsonl", "x");
    store_alone(&lab, later(), &input, b"result");
    let path = lab.segments()[0].clone();
    let mut newer = fs::read(&path).unwrap();
    newer[8] += 1;
    fs::write(&path, &newer).unwrap();
    assert_eq!(find(&lab.open(later()), &input), None);
    for number in 0..2 * BOUNDS.files {
        store_alone(&lab, later(), &lab.log(&format!("{number}.jsonl"), "x"), b"other");
    }
    assert_eq!(fs::read(&path).unwrap(), newer);
    // Nobody has used it for long.
    store_alone(&lab, later() + 2 * BOUNDS.age, &input, b"result");
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn the_files_are_private_and_a_link_in_place_of_one_is_not_followed() {
    use std::os::unix::fs::PermissionsExt as _;

    let lab = CacheLab::new();
    let input = lab.log("a.jsonl", "x");
    store_alone(&lab, later(), &input, b"result");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = lab.segments()[0].clone();
    assert_eq!(
        (mode(&path), mode(&lab.cache_folder()), mode(&lab.cache_folder().join("lock"))),
        (0o600, 0o700, 0o600)
    );
    let moved = lab.folder.path().join("moved");
    fs::rename(&path, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &path).unwrap();
    assert_eq!(find(&lab.open(later()), &input), None);
}

#[cfg(unix)]
#[test]
fn a_file_of_another_user_is_not_read() {
    let lab = CacheLab::new();
    let input = lab.log("a.jsonl", "x");
    store_alone(&lab, later(), &input, b"result");
    // Only root can give files away, and only root owns those of the system.
    if std::os::unix::fs::chown(&lab.segments()[0], Some(65534), None).is_err() {
        let system = Path::new("/etc/passwd");
        assert!(loopbreak_store::open_own_file(system, fs::OpenOptions::new().read(true)).is_err());
        return;
    }
    assert_eq!(find(&lab.open(later()), &input), None);
}

#[test]
fn many_analyses_leave_few_files_and_lose_nothing() {
    let lab = CacheLab::new();
    let logs: Vec<LogInput> = (0..30).map(|number| lab.log(&format!("{number}.jsonl"), "x")).collect();
    for (number, log) in logs.iter().enumerate() {
        store_alone(&lab, later() + Duration::from_secs(number as u64), log, &[number as u8; 100]);
        assert!(lab.segments().len() <= BOUNDS.files + 1, "{:?}", lab.segments());
    }
    let cache = lab.open(later());
    for (number, log) in logs.iter().enumerate() {
        assert_eq!(find(&cache, log), Some(vec![number as u8; 100]), "{number}");
    }
}

#[test]
fn the_results_that_were_used_longest_ago_make_room_first() {
    let lab = CacheLab::new();
    let hour = Duration::from_hours(1);
    let bounds = CacheBounds { bytes: 40_000, ..BOUNDS };
    let logs: Vec<LogInput> = (0..5).map(|number| lab.log(&format!("{number}.jsonl"), "x")).collect();
    for (number, log) in (1_u32..).zip(&logs[..4]) {
        let cache = lab.open_bounded(later() + hour * number, bounds);
        store(&cache, log, &[7; 9_000]);
        assert!(cache.finish().error.is_none());
    }
    // The first one is used again.
    let cache = lab.open_bounded(later() + hour * 8, bounds);
    assert!(find(&cache, &logs[0]).is_some());
    cache.finish();
    let cache = lab.open_bounded(later() + hour * 9, bounds);
    store(&cache, &logs[4], &[7; 9_000]);
    assert!(cache.finish().error.is_none());
    let cache = lab.open_bounded(later() + hour * 9, bounds);
    let kept: Vec<bool> = logs.iter().map(|log| find(&cache, log).is_some()).collect();
    assert_eq!(kept, [true, false, false, true, true]);
    let bytes: u64 = lab.segments().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(bytes <= bounds.bytes, "{bytes}");
}

#[test]
fn a_result_that_was_not_used_for_long_is_dropped() {
    let lab = CacheLab::new();
    let (old, new) = (lab.log("a.jsonl", "x"), lab.log("b.jsonl", "x"));
    store_alone(&lab, later(), &old, b"old");
    let after = later() + 2 * BOUNDS.age;
    for number in 0..=BOUNDS.files {
        store_alone(&lab, after, &lab.log(&format!("{number}.jsonl"), "x"), b"other");
    }
    store_alone(&lab, after, &new, b"new");
    let cache = lab.open(after);
    assert_eq!((find(&cache, &old), find(&cache, &new)), (None, Some(b"new".to_vec())));
}

#[test]
fn a_folder_that_is_a_file_gives_no_cache() {
    let lab = CacheLab::new();
    fs::write(lab.cache_folder(), "x").unwrap();
    assert!(LogCache::open(&lab.cache_folder(), later(), BOUNDS).is_err());
    assert!(LogCache::beside_store(&lab.cache_folder().join("loopbreak.db"), later()).is_err());
}

#[test]
fn a_folder_that_disappears_is_reported_and_stops_nothing() {
    let lab = CacheLab::new();
    let input = lab.log("a.jsonl", "x");
    let cache = lab.open(later());
    fs::remove_dir_all(lab.cache_folder()).unwrap();
    store(&cache, &input, b"result");
    assert_eq!(find(&cache, &input), None);
    assert!(cache.finish().error.is_some());
}

/// Returns the report of logs as JSON, the notes, and the number of logs that were in the cache.
fn report(lab: &CacheLab, options: &AnalyzeOptions, paths: &[PathBuf], cached: bool) -> (String, u64) {
    let mut analyzer = LogAnalyzer::new(options.clone());
    let cache = cached.then(|| Arc::new(lab.open_bounded(later(), CacheBounds { bytes: 1 << 26, ..BOUNDS })));
    if let Some(cache) = &cache {
        analyzer = analyzer.with_cache(Arc::clone(cache));
    }
    let logs = analyzer.run(paths);
    let readings: Vec<String> =
        logs.logs.iter().map(|log| format!("{:?} {:?}\n", log.reading, log.other_runs)).collect();
    let report = logs.into_report(&crate::InputStatistics::default()).unwrap();
    // Without a page, nothing is asked for.
    let recorded = if options.record_steps { report.runs.len() } else { 0 };
    let recording = |number| {
        let FinishedRecording { steps, bands, flags, marks, tools, agents, turns, records, .. } =
            report.runs.take_recording(number).unwrap().finish(&[]);
        let tools = (tools.buckets(), tools.range(), tools.places());
        format!("{steps:?} {bands:?} {flags:?} {marks:?} {tools:?} {agents:?} {turns:?} {records}\n")
    };
    let recordings: String = (0..recorded).map(recording).collect();
    let mut json = Vec::new();
    report.write_json(&mut json, true).unwrap();
    let reused = cache.map_or(0, |cache| {
        let summary = cache.finish();
        assert!(summary.error.is_none(), "{:?}", summary.error);
        summary.reused
    });
    (format!("{}{recordings}{}", readings.concat(), String::from_utf8(json).unwrap()), reused)
}

/// Returns the logs of all formats, and logs with tasks, turns out of order, broken lines and many runs.
fn all_logs(lab: &CacheLab) -> Vec<PathBuf> {
    let mut mixed = String::new();
    for index in 0..600 {
        let line = match index % 9 {
            0 => "nonsense\n".to_owned(),
            1 => format!("{{\"run\":\"r{}\",\"turn\":1,\"score\":{}}}\n", index % 7, index % 3),
            2 => format!(
                "{{\"run\":\"r{}\",\"task\":{{\"id\":\"T{}\",\"status\":\"blocked\",\"blockers\":[\"no network\"]}}}}\n",
                index % 7,
                index % 2
            ),
            _ => format!(
                "{{\"run\":\"r{}\",\"user\":\"Go on with the plan, please.\",\"action\":\"make\",\"outcome\":{{\"text\":\"no rule\",\"error\":true}}}}\n",
                index % 7
            ),
        };
        mixed.push_str(&line);
    }
    lab.log("mixed.jsonl", &mixed);
    let many: Vec<String> =
        (0..1500).map(|run| format!("{{\"run\":\"m{run}\",\"score\":1,\"place\":\"p{run}\"}}\n")).collect();
    lab.log("many.jsonl", &many.concat());
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopbreak-trace/tests/fixtures");
    vec![lab.folder.path().join("mixed.jsonl"), lab.folder.path().join("many.jsonl"), fixtures]
}

#[test]
fn the_report_of_every_format_is_the_same_with_and_without_the_cache() {
    let lab = CacheLab::new();
    let paths = all_logs(&lab);
    let base = AnalyzeOptions { notes_per_log: 3, ..AnalyzeOptions::default() };
    let page = AnalyzeOptions { record_steps: true, ..base.clone() };
    let mut all = 0;
    for (options, begins) in [(&base, true), (&page, true), (&base, false), (&page, false)] {
        let (plain, _) = report(&lab, options, &paths, false);
        let (first, reused) = report(&lab, options, &paths, true);
        assert!(plain == first, "the first analysis differs");
        assert!(begins || reused > 30, "{reused} logs were in the cache");
        let (second, reused) = report(&lab, options, &paths, true);
        assert!(plain == second, "the second analysis differs");
        assert!(reused > 30 && (all == 0 || all == reused), "{reused} logs were in the cache");
        all = reused;
    }
    // One run of each log, other limits of notes.
    for (only, notes) in [("r3", 0), ("m7", 2), ("r3", 3), ("none of them", usize::MAX)] {
        let options =
            AnalyzeOptions { only_run: Some(only.to_owned()), notes_per_log: notes, ..base.clone() };
        let ((plain, _), (cached, reused)) =
            (report(&lab, &options, &paths, false), report(&lab, &options, &paths, true));
        assert!(plain == cached, "{only} with {notes} notes differs");
        assert!(reused > 20, "{reused}");
    }
    for notes in [0, 1, usize::MAX] {
        let options = AnalyzeOptions { notes_per_log: notes, ..base.clone() };
        assert!(
            report(&lab, &options, &paths, false).0 == report(&lab, &options, &paths, true).0,
            "{notes} notes"
        );
    }
}

#[test]
fn other_settings_and_formats_are_other_results() {
    let lab = CacheLab::new();
    let paths = all_logs(&lab);
    let base = AnalyzeOptions::default();
    report(&lab, &base, &paths[..1], true);
    let mut settings = loopbreak::Settings::default();
    settings.cycle.warn_at = 5;
    let other = AnalyzeOptions::new(loopbreak::Config::new(settings).unwrap());
    let format = AnalyzeOptions { format: Some(loopbreak_trace::LogFormat::STEPS), ..base.clone() };
    for options in [&other, &format] {
        let (plain, _) = report(&lab, options, &paths[..1], false);
        let (cached, reused) = report(&lab, options, &paths[..1], true);
        assert!(plain == cached && reused == 0);
    }
    assert_eq!(report(&lab, &base, &paths[..1], true).1, 1);
}

#[test]
fn no_secret_of_a_log_is_in_the_cache() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let lab = CacheLab::new();
    let outcome = format!(
        "{{\"user\":\"Use the token {secret} to push it.\",\"action\":{{\"name\":\"bash\",\"args\":{{\"command\":\"push {secret}\"}}}},\"outcome\":{{\"text\":\"denied for {secret}\",\"error\":true}}}}\n"
    );
    let task = format!(
        "{{\"task\":{{\"id\":\"T\",\"status\":\"blocked\",\"blockers\":[\"{secret} is not valid\"]}}}}\n"
    );
    lab.log("steps.jsonl", &outcome.repeat(12));
    lab.log("task.jsonl", &task.repeat(4));
    let paths = ["steps.jsonl", "task.jsonl"].map(|name| lab.folder.path().join(name));
    let options = AnalyzeOptions { record_steps: true, notes_per_log: 9, ..AnalyzeOptions::default() };
    let (plain, _) = report(&lab, &options, &paths, false);
    for _ in 0..2 {
        let (cached, reused) = report(&lab, &options, &paths, true);
        assert!(plain == cached && reused <= 1);
    }
    assert!(!lab.segments().is_empty());
    for path in lab.segments() {
        let bytes = fs::read(path).unwrap();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()));
    }
}
