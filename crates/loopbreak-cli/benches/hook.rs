//! Measures the time of a hook: one event through the real program, with a store of 10,000 runs, compared
//! with the start of a Python that does nothing, and with another build of the program if one is given. `hyperfine` runs
//! all of them through the same shell and subtracts its time.
//!
//! `cargo xtask hook-bench [--against PROGRAM]` installs `hyperfine` if necessary and runs this.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot begin has failed")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopbreak_store::{RunChange, RunEvent, RunKey, StepEvent, Store, StoreUrl};
use serde_json::{Value, json};

const RUNS: usize = 10_000;
/// Number of earlier calls in the measured run.
const CALLS: u32 = 120;
const PROGRAM: &str = env!("CARGO_BIN_EXE_loopbreak");
/// The session of the measured run.
const SESSION: &str = "5f2c9a1e-1b7d-4c53-9d55-0d6f1f0c7f11";
/// Number of passes, in which the commands alternate, and of runs per pass.
const PASSES: usize = 20;
const ROUNDS: usize = 20;
/// Maximum time of a hook, as a share of the time of Python.
const LIMIT: f64 = 1.0 / 3.0;
/// Maximum time of a hook, as a share of the time of the other build.
const AGAINST_LIMIT: f64 = 1.1;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // Called by hyperfine before each run to write the next event, so that no two calls are identical.
        ["--next", folder] => next(Path::new(folder)),
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
    fn prepare(program: &Path, folder: PathBuf) -> Self {
        fs::create_dir_all(folder.join("project")).unwrap();
        fs::write(folder.join("transcript.jsonl"), "{}\n".repeat(10_000)).unwrap();
        let build = MeasuredBuild { program: program.to_owned(), folder };
        (0..CALLS).for_each(|_| build.record());
        let path = build.folder.join("loopbreak/loopbreak.db");
        fill(&path);
        // An older build may not be able to use what this one has written.
        let events = || measured_run(&*loopbreak_store::open(&StoreUrl::from(&*path)).unwrap()).events;
        let before = events();
        build.record();
        assert_eq!(events(), before + 1, "{} does not record in its store", program.display());
        build
    }

    /// Runs a hook that records the next call.
    fn record(&self) {
        next(&self.folder);
        let input = fs::File::open(self.folder.join("after.json")).unwrap();
        let mut command = Command::new(&self.program);
        command
            .args(["hook", "claude-code"])
            .env("XDG_STATE_HOME", &self.folder)
            .stdin(input)
            .stdout(Stdio::null());
        assert!(command.status().unwrap().success());
    }

    /// Returns the commands that hyperfine runs: a hook before a call, and one after it.
    fn commands(&self) -> [String; 2] {
        let (program, folder) = (self.program.display(), self.folder.display());
        ["before", "after"].map(|event| {
            format!("XDG_STATE_HOME={folder} {program} hook claude-code < {folder}/{event}.json")
        })
    }
}

fn measure(against: Option<&Path>) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut builds = vec![MeasuredBuild::prepare(Path::new(PROGRAM), folder.join("this"))];
    builds.extend(against.map(|program| MeasuredBuild::prepare(program, folder.join("other"))));

    // They alternate, so that other load on the machine affects all of them.
    let count = 1 + 2 * builds.len();
    let mut passes = Vec::new();
    for _ in 0..PASSES {
        passes.push(pass(folder, &builds, count));
    }
    let medians: Vec<f64> =
        (0..count).map(|at| median(passes.iter().flat_map(|pass| pass[at].clone()))).collect();
    let (idle, before, after) = (medians[0], medians[1], medians[2]);
    println!("medians of {} runs each, with a store of {RUNS} runs:", PASSES * ROUNDS);
    println!("  python3 -c pass     {idle:.2} ms");
    println!("  hook before a call  {before:.2} ms, {:.2} of it", before / idle);
    println!("  hook after a call   {after:.2} ms, {:.2} of it", after / idle);
    if let [_, _, _, other_before, other_after] = medians[..] {
        // The median of the passes' ratios: load that lasts for some passes cancels out.
        let ratio = |at: usize| {
            median(
                passes
                    .iter()
                    .map(|pass| median(pass[at].iter().copied()) / median(pass[at + 2].iter().copied())),
            )
        };
        let (before, after) = (ratio(1), ratio(2));
        println!("  the other build: {other_before:.2} ms and {other_after:.2} ms");
        println!(
            "  this build takes {before:.3} and {after:.3} of the time of the other, by the medians of {PASSES} passes"
        );
        assert!(before.max(after) <= AGAINST_LIMIT, "more than 10 % slower than the other build");
    }
    assert!(before.max(after) <= idle * LIMIT, "more than a third");
}

/// Runs one benchmark of all commands and returns the times of each, in milliseconds.
fn pass(folder: &Path, builds: &[MeasuredBuild], count: usize) -> Vec<Vec<f64>> {
    let here = std::env::current_exe().unwrap();
    let next = |build: &MeasuredBuild| format!("{} --next {}", here.display(), build.folder.display());
    let results = folder.join("results.json");
    let mut hyperfine = Command::new("hyperfine");
    hyperfine
        .args(["--warmup", "5", "--runs", &ROUNDS.to_string(), "--style", "basic", "--export-json"])
        .arg(&results)
        .args(["--prepare", &builds.iter().map(next).collect::<Vec<_>>().join("; ")])
        .arg(format!("{} -c pass", python().display()))
        .args(builds.iter().flat_map(MeasuredBuild::commands))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let measured = hyperfine.status();
    assert!(
        measured.is_ok_and(|status| status.success()),
        "hyperfine, which `cargo xtask hook-bench` installs"
    );
    let results: Value = serde_json::from_slice(&fs::read(&results).unwrap()).unwrap();
    let times = |at: usize| -> Vec<f64> {
        let times = results["results"][at]["times"].as_array().unwrap();
        times.iter().map(|time| time.as_f64().unwrap() * 1000.0).collect()
    };
    (0..count).map(times).collect()
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
