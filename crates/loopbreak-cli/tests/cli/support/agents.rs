//! Small agents for `loopbreak run`: shell scripts.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{FinishedProgram, done, loopbreak};

/// A time limit that no test reaches, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_mins(2);

/// Returns an agent that runs this script; `$N` is the number of the iteration.
pub(crate) fn agent(body: &str) -> String {
    format!("N=$(cat count 2>/dev/null || echo 0); N=$((N+1)); echo $N > count; {body}")
}

/// Different words for each number, so that no two outputs are similar.
pub(crate) const VARIED: &str = "case $N in 1) echo 'read the parser and its grammar';; 2) echo 'wrote seventeen unit checks';; \
    3) echo 'moved the cache below the index';; 4) echo 'documented every flag of the tool';; \
    5) echo 'measured throughput on big inputs';; *) echo \"polished chapter $N of the handbook $(date +%N)\";; esac";

pub(crate) fn run_with(folder: &Path, args: &[&str], body: &str) -> FinishedProgram {
    done(
        loopbreak(folder)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_STATE_HOME", folder.join("state"))
            .timeout(LONG)
            .arg("run")
            .args(args)
            .args(["--", "sh", "-c", body]),
    )
}

pub(crate) fn stdout_of(folder: &Path, args: &[&str]) -> String {
    done(loopbreak(folder).env("XDG_STATE_HOME", folder.join("state")).args(args)).out
}

/// Returns the name of the run.
pub(crate) fn session(done: &FinishedProgram) -> &str {
    done.err.split_once("loopbreak: run ").unwrap().1.split_whitespace().next().unwrap()
}

/// Starts the program and waits until its agent has created the file `up`.
pub(crate) fn start_and_wait(folder: &Path, args: &[&str]) -> Child {
    let child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + LONG;
    while !folder.join("up").exists() {
        assert!(Instant::now() < end, "the agent did not start");
        thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Returns the number of processes whose command line contains this text.
pub(crate) fn count_processes(mark: &str) -> usize {
    let all = Command::new("ps").args(["-eo", "stat=,args="]).output().unwrap();
    let text = String::from_utf8_lossy(&all.stdout).into_owned();
    text.lines().filter(|line| line.contains(mark) && !line.starts_with('Z')).count()
}

/// Waits until no process has this text in its command line.
pub(crate) fn wait_until_gone(mark: &str) {
    let end = Instant::now() + LONG;
    while count_processes(mark) > 0 {
        assert!(Instant::now() < end, "still there: {mark}");
        thread::sleep(Duration::from_millis(50));
    }
}
