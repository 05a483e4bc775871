//! Measures how fast logs are read: `cargo bench -p loopbreak-cli --bench throughput [-- MEGABYTES] [NAME]`.
//! With a name, only logs whose names contain it are measured.
//!
//! It measures three things on the same bytes: the floor (reading and finding line ends), parsing alone
//! (every line to a step, without the engine) and the whole `loopbreak analyze --json`, on one thread and on
//! all. Compare by the ratio of the last two to parsing, because the speed of a machine varies. Each figure
//! is the best of five alternating rounds.
//!
//! `MEASURED_PROGRAM=FILE` measures another build of the program on the same logs.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has failed")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod logs;

use std::ffi::OsString;
use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use loopbreak_trace::{LogRecord, RecordSink, SkippedLine, expand_paths};

/// The allocator of the program, so that parsing alone is measured with the same one.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of rounds.
const ROUNDS: usize = 5;

fn main() {
    // `cargo bench` passes `--bench`. `cargo test` passes nothing and only checks that it works.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let megabytes = arguments.iter().find_map(|argument| argument.parse().ok());
    let megabytes: usize = megabytes.unwrap_or(if is_bench { 128 } else { 1 });
    let folder = tempfile::tempdir().unwrap();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("MB/s (ratio to parsing alone); {megabytes} MB per log, {threads} threads, best of {ROUNDS}");
    println!(
        "{:<22}{:>8}{:>8}{:>18}{:>18}{:>12}",
        "log", "floor", "parse", "analyze, 1 thread", "analyze, all", "peak memory"
    );
    let named =
        arguments.iter().find(|argument| argument.parse::<usize>().is_err() && !argument.starts_with('-'));
    for log in logs::ALL.iter().filter(|log| named.is_none_or(|name| log.name.contains(name.as_str()))) {
        let path = folder.path().join(log.name);
        let bytes = log.write(&path, megabytes * 1_000_000);
        measure(log.name, &path, bytes);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }
}

fn measure(name: &str, path: &Path, bytes: u64) {
    let mut best = [Duration::MAX; 4];
    let mut peak = 0;
    for _ in 0..ROUNDS {
        let mut analyzed = |threads| {
            let (time, memory) = analyze(path, threads);
            peak = peak.max(memory);
            time
        };
        let times = [timed(|| floor(path)), timed(|| parse(path)), analyzed(Some(1)), analyzed(None)];
        for (best, time) in best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    let ratio =
        |time: Duration| format!("{:.0} ({:.0} %)", speed(time), 100.0 * speed(time) / speed(best[1]));
    println!(
        "{name:<22}{:>8.0}{:>8.0}{:>18}{:>18}{:>9} MB",
        speed(best[0]),
        speed(best[1]),
        ratio(best[2]),
        ratio(best[3]),
        peak / 1000
    );
}

fn timed(work: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// Reads the logs and finds line ends.
fn floor(path: &Path) -> u64 {
    let mut lines = 0;
    let mut buffer = vec![0; 256 * 1024];
    for path in logs::files(path) {
        let mut file = File::open(path).unwrap();
        loop {
            let count = file.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            lines += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
        }
    }
    lines
}

struct StepCounter(u64);

impl RecordSink for StepCounter {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.0 += 1;
        black_box(record);
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        black_box(skipped);
    }
}

/// Parses every line to a step, on one thread.
fn parse(path: &Path) -> u64 {
    let mut count = StepCounter(0);
    for input in expand_paths([path]).inputs {
        input.open(None, |_| {}).unwrap().read(&mut count).unwrap();
    }
    assert!(count.0 > 0);
    count.0
}

/// Runs the whole program. Returns the time, and the peak memory in kilobytes if the system reports it.
fn analyze(path: &Path, threads: Option<usize>) -> (Duration, u64) {
    let program =
        std::env::var_os("MEASURED_PROGRAM").unwrap_or(OsString::from(env!("CARGO_BIN_EXE_loopbreak")));
    let mut command = Command::new(program);
    command.args(["analyze", "--json", "--quiet"]).arg(path).stdout(Stdio::null()).stderr(Stdio::null());
    // No folder for a cache: each call reads the log. An older program does not know `--no-cache`.
    command.env("XDG_STATE_HOME", "/dev/null");
    if let Some(threads) = threads {
        command.env("RAYON_NUM_THREADS", threads.to_string());
    }
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let watched = child.id();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Rarely enough not to disturb the measurement.
        let peak = scope.spawn(|| {
            let mut peak = 0;
            while !ended.load(Ordering::Relaxed) {
                peak = peak.max(memory_of(watched));
                std::thread::sleep(Duration::from_millis(10));
            }
            peak
        });
        let status = child.wait().unwrap();
        let time = start.elapsed();
        ended.store(true, Ordering::Relaxed);
        assert!(status.success(), "{status}");
        (time, peak.join().unwrap())
    })
}

/// Returns the peak memory of a process so far, in kilobytes.
fn memory_of(process: u32) -> u64 {
    let told = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
