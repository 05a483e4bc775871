//! The number of threads and the size of a log affect only the time.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, done, folder, loopbreak};

/// Returns interleaved runs with tasks, repeats, broken lines, blank lines, and duplicate and backward turns
/// and times.
fn interleaved_runs(lines: usize, runs: usize) -> String {
    let mut text = String::new();
    for index in 0..lines {
        let run = (index * 7 + index / 13) % runs;
        match index % 97 {
            11 => text.push_str("nonsense\n"),
            12 => text.push_str("\n  \n"),
            13 => text.push_str("{\"score\":1}\n"),
            14 => writeln!(text, r#"{{"run":"r{run}","turn":1,"at":5,"score":{}}}"#, index % 5).unwrap(),
            15..=20 => writeln!(
                text,
                r#"{{"run":"r{run}","task":{{"id":"T{}","status":"blocked","blockers":["no network"]}}}}"#,
                index % 3
            )
            .unwrap(),
            21..=60 => writeln!(
                text,
                r#"{{"run":"r{run}","action":{{"name":"bash","args":{{"command":"make"}}}},"outcome":{{"text":"make: *** no rule to make target: failed, as it did before","error":true}}}}"#
            )
            .unwrap(),
            _ => writeln!(
                text,
                r#"{{"run":"r{run}","at":{},"action":"go {index}","outcome":"place {index}","user":"Go on with part {run}, please, and tell me when it is done."}}"#,
                1_762_248_924_000_u64 + index as u64
            )
            .unwrap(),
        }
    }
    text
}

fn analyze(folder: &Path, threads: &str, arguments: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).env("RAYON_NUM_THREADS", threads).arg("analyze").args(arguments))
}

/// Asserts that one thread and eight give the same bytes, as text and as a page.
fn assert_same(folder: &Path, path: &str) -> (FinishedProgram, String) {
    let pages = crate::support::folder();
    let told = |threads: &str| {
        let page = pages.path().join(threads);
        let told = analyze(folder, threads, &["--json", "-v", "--html", page.to_str().unwrap(), path]);
        (told, fs::read_to_string(page).unwrap())
    };
    let ((one, page), (eight, other)) = (told("1"), told("8"));
    assert_eq!((one.code, eight.code), (Some(0), Some(0)), "{}", one.err);
    assert!(one.out == eight.out, "what is printed differs");
    assert_eq!(one.err, eight.err);
    // The name of the page is in its command line.
    let is_content = |line: &&str| !line.contains("id=\"origin\"");
    assert!(page.lines().filter(is_content).eq(other.lines().filter(is_content)), "the pages differ");
    (one, page)
}

#[test]
fn one_thread_and_eight_give_the_same_report_of_a_large_log() {
    let folder = folder();
    // Large enough to be split across all threads.
    fs::write(folder.path().join("large.jsonl"), interleaved_runs(36_000, 50)).unwrap();
    assert!(fs::metadata(folder.path().join("large.jsonl")).unwrap().len() > 4 * 1024 * 1024);
    fs::write(folder.path().join("small.jsonl"), interleaved_runs(500, 3)).unwrap();
    let (one, page) = assert_same(folder.path(), ".");
    assert!(page.contains("make: *** no rule"));
    assert!(one.out.contains("\"run\":\"r7\"") && one.out.contains("blocked_task_spin"));
    assert!(one.err.contains("not JSON"), "{}", one.err);
}

/// Returns lines that start with the name of their run, even broken ones. The first lines of many runs are
/// broken.
fn run_name_first(lines: usize) -> String {
    let mut text = String::new();
    for index in 0..lines {
        let run = index / 3000 * 40 + index * 7 % 40;
        match index % 101 {
            11 => text.push_str("nonsense\n\n"),
            12 => writeln!(text, r#"{{"score":{}}}"#, index % 7).unwrap(),
            13..=20 => writeln!(text, r#"{{"run":"r{run}","score":"#).unwrap(),
            21 => writeln!(text, r#"{{"run":"alone{index}","action":"#).unwrap(),
            22 => writeln!(text, r#"{{"run":"r{run}","turn":1,"run":"other","score":1}}"#).unwrap(),
            23..=26 => writeln!(text, r#"{{"run":"r\u0031","turn":{index},"action":"again"}}"#).unwrap(),
            _ => writeln!(
                text,
                r#"{{"run":"r{run}","action":"go {}","outcome":"place {index}: {}"}}"#,
                index % 11,
                "as far as the eye can see ".repeat(4)
            )
            .unwrap(),
        }
        // Runs whose first lines are broken start later than those after them.
        if index % 3000 < 10 {
            writeln!(text, r#"{{"run":"r{}","action":"#, index / 3000 * 40 + 39 - index % 3000).unwrap();
        }
    }
    text
}

#[test]
fn one_thread_and_eight_give_the_same_report_if_lines_are_distributed_by_run() {
    let folder = folder();
    fs::write(folder.path().join("large.jsonl"), run_name_first(36_000)).unwrap();
    assert!(fs::metadata(folder.path().join("large.jsonl")).unwrap().len() > 4 * 1024 * 1024);
    let (same, _) = assert_same(folder.path(), "large.jsonl");
    let told: serde_json::Value = serde_json::from_str(&same.out).unwrap();
    let runs: Vec<&str> =
        told["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert!(runs.contains(&"r1") && runs.contains(&"large"), "{runs:?}");
    assert!(!runs.iter().any(|run| run.starts_with("alone") || *run == "other"), "{runs:?}");
}

#[test]
fn a_run_gets_the_same_verdict_alone_and_among_more_runs_than_fit_in_memory() {
    let folder = folder();
    let log = interleaved_runs(6_500, 600);
    fs::write(folder.path().join("all.jsonl"), &log).unwrap();
    let run = |line: &&str| line.contains("\"run\":\"r5\"");
    fs::write(folder.path().join("one.jsonl"), log.lines().filter(run).collect::<Vec<_>>().join("\n"))
        .unwrap();
    let report = |file: &str| {
        let told = analyze(folder.path(), "2", &["--json", "--run", "r5", file]);
        let told: serde_json::Value = serde_json::from_str(&told.out).unwrap();
        told["runs"][0]["findings"].clone()
    };
    // All runs are read here, so r5 is stored and restored many times.
    let all = analyze(folder.path(), "2", &["--json", "all.jsonl"]);
    let all: serde_json::Value = serde_json::from_str(&all.out).unwrap();
    let among = all["runs"].as_array().unwrap().iter().find(|run| run["run"] == "r5").unwrap();
    assert!(!among["findings"].as_array().unwrap().is_empty());
    assert_eq!(among["findings"], report("one.jsonl"));
    assert_eq!(among["findings"], report("all.jsonl"));
}

/// Returns the peak memory of an analysis, in kilobytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Path, arguments: &[&str], threads: &str) -> u64 {
    use std::process::{Command, Stdio};

    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(["analyze", "--quiet"])
        .args(arguments)
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", threads)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let told = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0).max(peak);
        std::thread::sleep(std::time::Duration::from_millis(2));
    };
    assert!(status.success());
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_length_of_a_log() {
    let folder = folder();
    let long = |copies| {
        let step = |index: usize| {
            format!(
                "{{\"run\":\"r{}\",\"action\":\"look {index}\",\"outcome\":\"{}\"}}\n",
                index % 20,
                format!("line {index} ").repeat(50)
            )
        };
        (0..copies).map(step).collect::<String>()
    };
    fs::write(folder.path().join("short.jsonl"), long(8_000)).unwrap();
    fs::write(folder.path().join("long.jsonl"), long(40_000)).unwrap();
    for threads in ["1", "2"] {
        let peak = |file| peak(folder.path(), &["--json", file], threads);
        let (short, long) = (peak("short.jsonl"), peak("long.jsonl"));
        assert!(long < short + 8_000, "{short} kB for a fifth of it, {long} kB for all");
        assert!(long < 60_000, "{long} kB");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_finished_tiny_run_takes_almost_no_memory() {
    let folder = folder();
    let tiny = |runs: usize| {
        let step = |index: usize| {
            let (run, number) = (index / 2, index * 7919 % 5000);
            format!("{{\"run\":\"r{run}\",\"action\":\"look\",\"outcome\":\"dark {number}\"}}\n")
        };
        (0..2 * runs).map(step).collect::<String>()
    };
    // More runs than are kept in memory and, for a page, more than it lists.
    fs::write(folder.path().join("some.jsonl"), tiny(2_500)).unwrap();
    fs::write(folder.path().join("many.jsonl"), tiny(8_500)).unwrap();
    for output in [&["--json"][..], &["--html", "page.html"]] {
        // The peak depends on how far the two threads are apart, so the median of five counts.
        let peak = |file| {
            let mut peaks = [0; 5].map(|_: u64| peak(folder.path(), &[output, &[file]].concat(), "2"));
            peaks.sort_unstable();
            peaks[2]
        };
        let (some, many) = (peak("some.jsonl"), peak("many.jsonl"));
        // 500 bytes per run; a guard alone would take 20 times as much.
        assert!(many < some + 3_000, "{output:?}: {some} kB for 2,500 runs, {many} kB for 8,500");
        assert!(many < 80_000, "{output:?}: {many} kB");
    }
}
