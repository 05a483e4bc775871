//! Measures the time of a hook: one event through the real program, with a store of 10,000 runs, compared
//! with the start of a Python that does nothing, and with another build of the program if one is given.
//!
//! A time is that from the start of a process to its end, as an agent waits for it. No shell is started, because agents differ in
//! that, and the time of a shell would have to be subtracted from that of a process that is as short.
//!
//! `cargo xtask hook-bench [--against PROGRAM]` runs this.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot begin has failed")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use loopbreak_store::{RunChange, RunEvent, RunKey, StepEvent, Store, StoreUrl};
use serde_json::json;

const RUNS: usize = 10_000;
/// Number of earlier calls in the measured run.
const CALLS: u32 = 120;
const PROGRAM: &str = env!("CARGO_BIN_EXE_loopbreak");
/// The session of the measured run.
const SESSION: &str = "5f2c9a1e-1b7d-4c53-9d55-0d6f1f0c7f11";
/// Number of measured rounds, in each of which every command runs once, and of rounds before them.
const ROUNDS: usize = 400;
const WARM_UP: usize = 20;
/// Maximum time of a hook, as a share of the time of Python.
const LIMIT: f64 = 1.0 / 3.0;
/// Maximum time of a hook, as a share of the time of the other build.
const AGAINST_LIMIT: f64 = 1.1;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // `cargo nextest` and `cargo test` ask every target for its tests.
        _ if arguments.iter().any(|argument| argument == "--list") => {}
        // `cargo bench` adds an argument of its own.
        ["--against", program, ..] => measure(Some(Path::new(program))),
        _ => measure(None),
    }
}

/// A build of the program, and the folder with its own store.
struct MeasuredBuild {
    program: PathBuf,
    folder: PathBuf,
}

impl MeasuredBuild {
    /// Fills the store with the hooks of this build, and with copies of their run.
    fn prepare(original: &Path, folder: PathBuf) -> Self {
        fs::create_dir_all(folder.join("project")).unwrap();
        let program = folder.join("loopbreak-program");
        fs::copy(original, &program).unwrap();
        fs::write(folder.join("transcript.jsonl"), "{}\n".repeat(10_000)).unwrap();
        let build = MeasuredBuild { program, folder };
        (0..CALLS).for_each(|_| build.record());
        let path = build.folder.join("loopbreak/loopbreak.db");
        fill(&path);
        // An older build may not be able to use what this one has written.
        let events = || measured_run(&*loopbreak_store::open(&StoreUrl::from(&*path)).unwrap()).events;
        let before = events();
        build.record();
        assert_eq!(events(), before + 1, "{} does not record in its store", original.display());
        build.drop_from_cache();
        build
    }

    /// Has the file of the program read from the disk again, as that of Python was. A file that was just written is in the page cache
    /// in larger pieces, which are mapped faster: that would decide the comparison with an older build.
    fn drop_from_cache(&self) {
        let synced = fs::File::open(&self.program).and_then(|file| file.sync_all());
        let dropped = Command::new("dd")
            .arg(format!("if={}", self.program.display()))
            .args(["iflag=nocache", "count=0", "status=none"])
            .status();
        if synced.is_err() || !dropped.is_ok_and(|status| status.success()) {
            println!("the file of the program stays in the cache: {}", self.program.display());
        }
    }

    /// Runs a hook that records the next call.
    fn record(&self) {
        next(&self.folder);
        self.time("after");
    }

    /// Runs a hook with an event: that before a call, or that after it. Returns the time in milliseconds.
    fn time(&self, event: &str) -> f64 {
        let mut command = Command::new(&self.program);
        command.args(["hook", "claude-code"]).env("XDG_STATE_HOME", &self.folder);
        time(command.stdin(fs::File::open(self.folder.join(format!("{event}.json"))).unwrap()))
    }
}

fn measure(against: Option<&Path>) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut builds = vec![MeasuredBuild::prepare(Path::new(PROGRAM), folder.join("this"))];
    builds.extend(against.map(|program| MeasuredBuild::prepare(program, folder.join("other"))));

    let python = python();
    let mut rounds: Vec<RoundTimes> =
        (0..WARM_UP + ROUNDS).map(|number| RoundTimes::measure(&python, &builds, number)).collect();
    rounds.drain(..WARM_UP);
    let of_build = |build: usize, event: usize| median(rounds.iter().map(|round| round.hooks[build][event]));
    let idle = median(rounds.iter().map(|round| round.python));
    let (before, after) = (of_build(0, 0), of_build(0, 1));
    println!("medians of {ROUNDS} rounds, with a store of {RUNS} runs:");
    println!("  {} -c pass  {idle:.2} ms", python.display());
    println!("  hook before a call  {before:.2} ms, {:.2} of it", before / idle);
    println!("  hook after a call   {after:.2} ms, {:.2} of it", after / idle);
    if builds.len() > 1 {
        // The median of the ratios of each round: load that lasts for some rounds cancels out.
        let ratio =
            |event: usize| median(rounds.iter().map(|round| round.hooks[0][event] / round.hooks[1][event]));
        let ratios = [ratio(0), ratio(1)];
        println!("  the other build: {:.2} ms and {:.2} ms", of_build(1, 0), of_build(1, 1));
        println!("  this build takes {:.3} and {:.3} of the time of the other", ratios[0], ratios[1]);
        assert!(ratios[0].max(ratios[1]) <= AGAINST_LIMIT, "more than 10 % slower than the other build");
    }
    assert!(before.max(after) <= idle * LIMIT, "more than a third");
}

/// The times of one round, in milliseconds.
struct RoundTimes {
    python: f64,
    /// Of each build: the hook before a call, and the one after it.
    hooks: Vec<[f64; 2]>,
}

impl RoundTimes {
    /// Runs each command once. The commands alternate, so that other load on the machine affects all of them, and so does the
    /// order of the builds.
    fn measure(python: &Path, builds: &[MeasuredBuild], number: usize) -> Self {
        // No two calls are identical.
        for build in builds {
            next(&build.folder);
        }
        let mut times = RoundTimes {
            python: time(Command::new(python).args(["-c", "pass"]).stdin(Stdio::null())),
            hooks: vec![[0.0; 2]; builds.len()],
        };
        for at in 0..builds.len() {
            let at = (at + number) % builds.len();
            times.hooks[at] = ["before", "after"].map(|event| builds[at].time(event));
        }
        times
    }
}

/// Returns the time of a process from its start to its end, in milliseconds.
fn time(command: &mut Command) -> f64 {
    command.stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().unwrap();
    let time = start.elapsed();
    assert!(status.success(), "{status}");
    time.as_secs_f64() * 1000.0
}

fn median(times: impl IntoIterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.into_iter().collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the real interpreter: a wrapper script would take longer and make the hook look better.
fn python() -> PathBuf {
    let system = PathBuf::from("/usr/bin/python3");
    if system.exists() {
        return system;
    }
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(asked.stdout).unwrap().trim().into()
}

fn measured_run(store: &dyn Store) -> loopbreak_store::Run {
    store.find(SESSION).unwrap().remove(0)
}

/// Copies the existing run until there are enough.
fn fill(path: &Path) {
    let mut store = loopbreak_store::open(&StoreUrl::from(path)).unwrap();
    let run = measured_run(&*store);
    let state = store.state(&run.key()).unwrap();
    println!("a run of {} events, its guard put away in {} bytes", run.events, state.as_ref().unwrap().len());
    let mut copy = |number: usize| {
        let key = RunKey { session: format!("copy {number}"), ..run.key() };
        let step = RunEvent::Step(StepEvent::default());
        let change = RunChange { state: state.clone(), ended: true, ..step.into() };
        store.begin(&key, "/p", run.seen)?.commit(change)
    };
    (1..RUNS).for_each(|number| copy(number).unwrap());
    assert_eq!(store.runs(0, 2 * RUNS).unwrap().len(), RUNS);
}

/// Writes the next two events: a proposed call, and a call that was made.
fn next(folder: &Path) {
    let counter = folder.join("counter");
    let number =
        fs::read_to_string(&counter).ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(0) + 1;
    fs::write(&counter, number.to_string()).unwrap();
    let event = |name: &str| {
        json!({
            "session_id": SESSION, "hook_event_name": name,
            "cwd": folder.join("project"), "transcript_path": folder.join("transcript.jsonl"),
            "permission_mode": "default", "tool_name": "Bash",
            "tool_input": {"command": format!("grep -rn word{number} src")}, "tool_use_id": format!("toolu_{number}"),
        })
    };
    fs::write(folder.join("before.json"), event("PreToolUse").to_string()).unwrap();
    let mut after = event("PostToolUse");
    let out = format!("src/a.rs:{number}: word\n").repeat(number % 40 + 1);
    after["tool_response"] = json!({"stdout": out, "stderr": "", "interrupted": false});
    fs::write(folder.join("after.json"), after.to_string()).unwrap();
}
