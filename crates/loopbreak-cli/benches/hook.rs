//! Measures the time of a hook: one event through the real program, with a store of 10,000 runs, compared
//! with the start of a Python that does nothing. `hyperfine` runs both through the same shell and subtracts
//! its time.
//!
//! `cargo xtask hook-bench` installs `hyperfine` if necessary and runs this.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot begin has failed")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopbreak_store::{RunChange, RunEvent, RunKey, StepEvent, StoreUrl};
use serde_json::{Value, json};

const RUNS: usize = 10_000;
/// Number of earlier calls in the measured run.
const CALLS: u32 = 120;
const PROGRAM: &str = env!("CARGO_BIN_EXE_loopbreak");
/// Number of passes, in which the three alternate, and of runs per pass.
const PASSES: usize = 20;
const ROUNDS: usize = 20;
/// Maximum time of a hook, as a share of the time of Python.
const LIMIT: f64 = 1.0 / 3.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // Called by hyperfine before each run to write the next event, so that no two calls are identical.
        ["--next", folder] => next(Path::new(folder)),
        // `cargo nextest` and `cargo test` ask every target for its tests.
        _ if arguments.iter().any(|argument| argument == "--list") => {}
        _ => measure(),
    }
}

fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("project")).unwrap();
    fs::write(folder.join("transcript.jsonl"), "{}\n".repeat(10_000)).unwrap();
    for _ in 0..CALLS {
        next(folder);
        let input = fs::File::open(folder.join("after.json")).unwrap();
        let mut command = Command::new(PROGRAM);
        command
            .args(["hook", "claude-code"])
            .env("XDG_STATE_HOME", folder)
            .stdin(input)
            .stdout(Stdio::null());
        assert!(command.status().unwrap().success());
    }
    fill(&folder.join("loopbreak/loopbreak.db"));

    // They alternate, so that other load on the machine affects all of them.
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..PASSES {
        for (all, new) in times.iter_mut().zip(pass(folder)) {
            all.extend(new);
        }
    }
    let [idle, before, after] = times.map(median);
    println!("medians of {} runs each, with a store of {RUNS} runs:", PASSES * ROUNDS);
    println!("  python3 -c pass     {idle:.2} ms");
    println!("  hook before a call  {before:.2} ms, {:.2} of it", before / idle);
    println!("  hook after a call   {after:.2} ms, {:.2} of it", after / idle);
    assert!(before.max(after) <= idle * LIMIT, "more than a third");
}

/// Runs one benchmark of all three and returns the times of each, in milliseconds.
fn pass(folder: &Path) -> [Vec<f64>; 3] {
    let here = std::env::current_exe().unwrap();
    let hook = |event: &str| format!("{PROGRAM} hook claude-code < {}/{event}.json", folder.display());
    let results = folder.join("results.json");
    let mut hyperfine = Command::new("hyperfine");
    hyperfine
        .args(["--warmup", "5", "--runs", &ROUNDS.to_string(), "--style", "basic", "--export-json"])
        .arg(&results)
        .args(["--prepare", &format!("{} --next {}", here.display(), folder.display())])
        .args(["--command-name", "python3 -c pass", &format!("{} -c pass", python().display())])
        .args(["--command-name", "hook before a call", &hook("before")])
        .args(["--command-name", "hook after a call", &hook("after")])
        .env("XDG_STATE_HOME", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let measured = hyperfine.status();
    assert!(
        measured.is_ok_and(|status| status.success()),
        "hyperfine, which `cargo xtask hook-bench` installs"
    );
    let results: Value = serde_json::from_slice(&fs::read(&results).unwrap()).unwrap();
    [0, 1, 2].map(|at| {
        let times = results["results"][at]["times"].as_array().unwrap();
        times.iter().map(|time| time.as_f64().unwrap() * 1000.0).collect()
    })
}

fn median(mut times: Vec<f64>) -> f64 {
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

/// Copies the existing run until there are enough.
fn fill(path: &Path) {
    let mut store = loopbreak_store::open(&StoreUrl::from(path)).unwrap();
    let run = store.runs(0, 1).unwrap().remove(0);
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
            "session_id": "5f2c9a1e-1b7d-4c53-9d55-0d6f1f0c7f11", "hook_event_name": name,
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
