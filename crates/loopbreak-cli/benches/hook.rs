//! What a hook costs the agent: one event through the real program, with a store of 10,000 runs, beside the start of a
//! Python that does nothing. Both are started in turn, so that a busy machine is busy for both.
//!
//! `cargo bench -p loopbreak-cli --bench hook`

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot begin has failed")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loopbreak_store::{Change, RunKey, Sqlite, Store as _};
use serde_json::json;

const RUNS: usize = 10_000;
const ROUNDS: u32 = 300;
/// The most of Python's time that a hook may take.
const LIMIT: f64 = 1.0 / 3.0;

fn main() {
    // `cargo nextest` and `cargo test` ask every target for its tests.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    for number in 0..40 {
        hook(state, "PostToolUse", number);
    }
    fill(&state.join("loopbreak/loopbreak.db"));

    let python = python();
    let (mut before, mut after, mut idle) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        before.push(hook(state, "PreToolUse", 100 + round));
        idle.push(time(Command::new(&python).args(["-c", "pass"]), ""));
        after.push(hook(state, "PostToolUse", 100 + round));
    }
    let [before, after, idle] = [before, after, idle].map(median);
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let ratio = |time: Duration| ms(time) / ms(idle);
    println!("median of {ROUNDS} rounds, store of {RUNS} runs");
    println!("  {} -c pass: {:.2} ms", python.display(), ms(idle));
    println!("  hook before a call: {:.2} ms, {:.2} of it", ms(before), ratio(before));
    println!("  hook after a call:  {:.2} ms, {:.2} of it", ms(after), ratio(after));
    assert!(ratio(before) <= LIMIT && ratio(after) <= LIMIT, "more than a third");
}

/// The interpreter itself: a script in front of it, which starts it in the end, would flatter us.
fn python() -> std::path::PathBuf {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(asked.stdout).unwrap().trim().into()
}

/// Copies the run that is there until there are enough of them.
fn fill(path: &Path) {
    let mut store = Sqlite::open(path, 1).unwrap();
    let run = store.runs(0, 1).unwrap().remove(0);
    let key = |session: String| RunKey { source: run.source.clone(), session, agent: String::new() };
    let state = store.snapshot(&key(run.session.clone())).unwrap();
    println!("a snapshot of {} bytes", state.as_ref().unwrap().len());
    let mut copy = |number: usize| {
        let change =
            Change { snapshot: state.clone(), kind: "step".into(), detail: "{}".into(), ended: true };
        store.update(&key(format!("copy {number}")), "/p", run.seen, |_| Some(change))
    };
    (1..RUNS).for_each(|number| copy(number).unwrap());
    assert_eq!(store.runs(0, 2 * RUNS).unwrap().len(), RUNS);
}

fn hook(state: &Path, event: &str, number: u32) -> Duration {
    let input = json!({
        "session_id": "5f2c9a1e-1b7d-4c53-9d55-0d6f1f0c7f11", "hook_event_name": event, "cwd": "/",
        "tool_name": "Bash", "tool_input": {"command": format!("grep -rn word{number} src")},
        "tool_use_id": "t", "tool_response": {"stdout": "src/a.rs:1: word\n".repeat(number as usize % 40)},
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopbreak"));
    time(command.args(["hook", "claude-code"]).env("XDG_STATE_HOME", state), &input.to_string())
}

fn time(command: &mut Command, input: &str) -> Duration {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
