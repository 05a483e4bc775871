//! Input without measure: endless names, packed nothing, folders without end, files that never end.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command as SystemCommand;
use std::time::{Duration, Instant};

use super::support::agents::{LONG, run_with, stdout_of};
use super::support::{FinishedProgram, analyze, done, folder, json, loopbreak};

/// Names of a megabyte each must not fill memory and reports.
#[test]
fn endless_names_are_shortened_in_every_report() {
    let folder = folder();
    let mut log = String::new();
    for number in 0..4 {
        let name = "n".repeat(100_000) + &number.to_string();
        let place = format!(r#"{{"id":"{name}","name":"{name}"}}"#);
        for _ in 0..3 {
            writeln!(
                log,
                r#"{{"run":"{name}","action":"x","outcome":"y","agent":"{name}","place":{place}}}"#
            )
            .unwrap();
        }
    }
    fs::write(folder.path().join("log.jsonl"), &log).unwrap();
    let outputs =
        ["--csv", "runs.csv", "--junit", "loops.xml", "--html", "page.html", "--markdown", "sum.md"];
    let report = json(folder.path(), &[&["log.jsonl"], &outputs[..]].concat());
    let runs = report["runs"].as_array().unwrap();
    let mut names: Vec<&str> = runs.iter().map(|run| run["run"].as_str().unwrap()).collect();
    names.dedup();
    assert_eq!(names.len(), 4, "they stay different");
    assert!(names.iter().all(|name| name.len() <= 512 && name.starts_with("nnn")), "{names:?}");
    for file in ["runs.csv", "loops.xml", "page.html", "sum.md"] {
        let size = fs::metadata(folder.path().join(file)).unwrap().len();
        assert!(size < log.len() as u64 / 2, "{file}: {size} bytes");
    }
    let whole = "n".repeat(100_000) + "2";
    let one = json(folder.path(), &["log.jsonl", "--run", &whole]);
    assert_eq!(one["runs"].as_array().unwrap().len(), 1, "the whole name still selects the run");
    // A converted log gives the same analysis.
    let convert = done(loopbreak(folder.path()).args(["convert", "log.jsonl", "-o", "steps.jsonl"]));
    assert_eq!(convert.code, Some(0), "{}", convert.err);
    let again = json(folder.path(), &["steps.jsonl"]);
    assert_eq!(again["runs"][3]["run"], report["runs"][3]["run"]);
}

/// A few kilobytes must not become work without end.
#[test]
fn a_packed_log_is_unpacked_up_to_the_limit() {
    let folder = folder();
    let line = "{\"run\":\"a\",\"action\":\"x\",\"outcome\":\"y\"}\n";
    let mut packer = SystemCommand::new("gzip")
        .stdin(std::process::Stdio::piped())
        .stdout(fs::File::create(folder.path().join("log.gz")).unwrap())
        .spawn()
        .unwrap();
    packer.stdin.take().unwrap().write_all(line.repeat(5000).as_bytes()).unwrap();
    assert!(packer.wait().unwrap().success());
    let limited = analyze(folder.path(), &["log.gz", "--max-unpacked", "100k"]);
    assert_eq!(limited.code, Some(1));
    assert!(
        limited.err.contains("log.gz: cannot be read: it unpacks to more than 100000 bytes"),
        "{}",
        limited.err
    );
    assert!(limited.err.contains("--max-unpacked"), "{}", limited.err);
    let enough = analyze(folder.path(), &["log.gz", "--max-unpacked", "1M"]);
    let usual = analyze(folder.path(), &["log.gz"]);
    assert_eq!((enough.code, usual.code), (Some(0), Some(0)), "{}{}", enough.err, usual.err);
    let converted = done(loopbreak(folder.path()).args(["convert", "log.gz", "--max-unpacked", "1k"]));
    assert_eq!(converted.code, Some(1));
}

#[test]
fn links_out_of_a_folder_are_counted_and_not_followed() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("shared")).unwrap();
    fs::create_dir_all(at("private")).unwrap();
    let line = |run: &str| format!("{{\"run\":\"{run}\",\"score\":1}}\n");
    fs::write(at("shared/log.jsonl"), line("ours")).unwrap();
    fs::write(at("private/log.jsonl"), line("secret")).unwrap();
    symlink("../private", at("shared/link")).unwrap();
    let done = analyze(folder.path(), &["shared", "--json"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("\"ours\"") && !done.out.contains("\"secret\""), "{}", done.out);
    assert!(done.err.contains("1 link leads out of the folder"), "{}", done.err);
    assert!(analyze(folder.path(), &["shared/link", "--json"]).out.contains("\"secret\""));
    let watched = super::support::done(loopbreak(folder.path()).args(["watch", "shared", "--once"]));
    assert!(watched.err.contains("1 link leads out of its folder"), "{}", watched.err);
    assert!(watched.err.contains("watched 1 run"), "{}", watched.err);
}

/// A full disk must not look like a damaged log.
#[test]
fn a_temporary_folder_that_cannot_be_written_is_named() {
    let folder = folder();
    let mut log = String::new();
    for run in 0..3000 {
        writeln!(log, r#"{{"run":"r{run}","score":1}}"#).unwrap();
    }
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    let mut command = loopbreak(folder.path());
    let done =
        done(command.env("TMPDIR", folder.path().join("missing")).args(["analyze", "log.jsonl", "-q"]));
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.err.contains("temporary folder") && done.err.contains("TMPDIR"), "{}", done.err);
    assert!(!done.err.contains("cannot be read"), "{}", done.err);
}

/// Runs the program with few open files.
fn with_few_files(folder: &Path, arguments: &str) -> FinishedProgram {
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let script = format!("ulimit -n 48; exec {} {arguments}", program.display());
    done(assert_cmd::Command::new("sh").current_dir(folder).env_clear().timeout(LONG).args(["-c", &script]))
}

/// The number of logs must not be limited by the number of files that a process may open.
#[test]
fn more_logs_are_watched_than_files_may_be_open() {
    let folder = folder();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    for number in 0..200 {
        let line = format!("{{\"run\":\"r{number}\",\"score\":1}}\n");
        fs::write(logs.join(format!("{number}.jsonl")), line.repeat(2)).unwrap();
    }
    let done = with_few_files(folder.path(), "watch logs --once --from-start");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("watched 200 runs, 400 steps"), "{}", done.err);
    assert!(!done.err.contains("warning"), "{}", done.err);
}

#[test]
fn devices_and_named_pipes_are_refused_and_streams_are_read() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(SystemCommand::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["/dev/zero", "pipe"] {
        for (option, code) in [("--prompt-file", 2), ("--roadmap", 2)] {
            let done = run_with(folder.path(), &[option, path], "cat");
            assert_eq!(done.code, Some(code), "{option} {path}: {}", done.err);
            assert!(done.err.contains("not a regular file"), "{}", done.err);
        }
        let play = done(loopbreak(folder.path()).timeout(LONG).args(["play", path]));
        assert_eq!(play.code, Some(2), "{path}: {}", play.err);
        assert!(play.err.contains("not a regular file"), "{}", play.err);
        let config = done(loopbreak(folder.path()).timeout(LONG).args(["analyze", "--config", path, "-"]));
        assert_eq!(config.code, Some(2), "{path}: {}", config.err);
    }
    let mut command = loopbreak(folder.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("XDG_STATE_HOME", folder.path().join("state")).timeout(LONG).write_stdin("from a stream");
    let arguments = ["run", "--prompt-file", "/dev/stdin", "--max-iterations", "2", "--", "sh", "-c"];
    let done = done(command.args(arguments).arg("cat >> seen; echo $$"));
    assert_eq!(done.code, Some(11), "{}", done.err);
    let seen = fs::read_to_string(folder.path().join("seen")).unwrap();
    assert_eq!(seen.matches("from a stream").count(), 2, "a stream is read once and used again: {seen}");
}

/// The output of an agent may be secret, and a link in its folder must not choose the file that is written.
#[test]
fn logs_and_scratchpad_of_a_run_are_private_and_follow_no_link() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let args = ["--max-iterations", "1", "--log-dir", "logs", "--scratchpad", "pad"];
    assert_eq!(run_with(folder.path(), &args, "echo work").code, Some(11));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let log = fs::read_dir(at("logs")).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&log), mode(&at("pad"))), (0o600, 0o600));
    fs::write(at("victim"), "mine\n").unwrap();
    symlink("victim", at("link")).unwrap();
    let done = run_with(folder.path(), &["--max-iterations", "1", "--scratchpad", "link"], "echo work");
    assert!(done.err.contains("--scratchpad link: the file is a link"), "{}", done.err);
    assert_eq!(fs::read_to_string(at("victim")).unwrap(), "mine\n");
}

/// The end of a run must not wait for a receiver that never answers, nor for a command that hangs.
#[test]
fn notifications_that_hang_delay_the_end_by_a_few_seconds_only() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let hook = format!("webhook=http://{}/", listener.local_addr().unwrap());
    let folder = folder();
    let began = Instant::now();
    let args = ["--max-iterations", "1", "--notify", &hook, "--exec", "sleep 7654.411"];
    let done = run_with(folder.path(), &args, "echo work");
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    assert!(done.err.contains("stopped after 5 s"), "{}", done.err);
    assert!(done.err.contains("not every notification was sent in time"), "{}", done.err);
    let all = SystemCommand::new("ps").args(["-eo", "args="]).output().unwrap();
    assert!(!String::from_utf8_lossy(&all.stdout).contains("sleep 7654.411"), "the command was left running");
}

#[test]
fn a_world_that_never_answers_is_given_up_in_time() {
    let folder = folder();
    let play = |world: &str, options: &[&str]| {
        let mut command = loopbreak(folder.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).timeout(LONG);
        done(command.args(["play", "--plain", "--world", world]).args(options))
    };
    let silent = play("sleep 7654.421", &["--world-timeout", "1"]);
    assert_eq!(silent.code, Some(1), "{}{}", silent.out, silent.err);
    assert!((silent.out + &silent.err).contains("did not answer within 1s"));
    // A line without end is not waited for at all.
    let began = Instant::now();
    let endless = play("cat /dev/zero", &["--world-timeout", "100s"]);
    assert_eq!(endless.code, Some(1), "{}{}", endless.out, endless.err);
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    assert!(stdout_of(folder.path(), &["play", "--help"]).contains("--world-timeout"));
}
