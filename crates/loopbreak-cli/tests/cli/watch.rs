//! `loopbreak watch` on real files, while they are written.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::watching::{append, watch, without_progress};
use crate::support::{done, folder, healthy, loopbreak, stuck};

#[test]
fn existing_steps_are_read_silently_and_new_ones_reported() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    append(&log, &without_progress("a", 1..=39));
    let watching = watch(folder.path(), &["log.jsonl"]);
    watching.assert_silent();
    append(&log, &without_progress("a", 40..=40));
    let line = watching.wait_for_notification("stop");
    assert_eq!(line, "stop     a  turn 40  stagnation: no progress for 40 turns  log.jsonl:40");
    let (code, closing) = watching.interrupt();
    assert_eq!(code, Some(130));
    assert_eq!(closing, "watched 1 run, 40 steps: 1 to stop, 0 warned; 1 notification");
}

#[test]
fn without_a_path_the_logs_of_the_agents_are_followed() {
    let home = folder();
    let mut command = loopbreak(home.path());
    command.args(["watch", "--once", "--from-start"]).env("HOME", home.path());
    let nothing = done(&mut command);
    assert_eq!(nothing.code, Some(2), "{}", nothing.err);
    assert!(nothing.err.contains("no logs of agents found on this machine"), "{}", nothing.err);
    let sessions = home.path().join(".codex/sessions");
    fs::create_dir_all(&sessions).unwrap();
    let fixture = "../loopbreak-trace/tests/fixtures/codex/code-mode.jsonl";
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
    fs::copy(fixture, sessions.join("rollout-1.jsonl")).unwrap();
    let found = done(&mut command);
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(found.err.contains("following the logs of Codex CLI in "), "{}", found.err);
    assert!(found.err.contains("watched 1 run"), "{}", found.err);
}

#[test]
fn half_a_line_waits_for_its_rest() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    let last = without_progress("a", 40..=40);
    let (head, rest) = last.split_at(12);
    append(&log, &(without_progress("a", 1..=39) + head));
    let watching = watch(folder.path(), &["log.jsonl", "--from-start", "-v"]);
    watching.wait_for_notification("turn 35");
    watching.assert_silent();
    append(&log, rest);
    watching.wait_for_notification("stop     a  turn 40");
    let (_, closing) = watching.interrupt();
    assert!(!closing.contains("skipped"), "{closing}");
}

#[test]
fn a_truncated_log_starts_again() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    let unnamed = |turns| without_progress("x", turns).replace("\"run\":\"x\",", "");
    append(&log, &unnamed(1..=39));
    let watching = watch(folder.path(), &["log.jsonl", "-v"]);
    fs::write(&log, unnamed(1..=19)).unwrap();
    watching.wait_for_message("restarted from the beginning");
    watching.assert_silent();
    append(&log, &unnamed(20..=20));
    watching.wait_for_notification("warn     log  turn 20");
}

#[test]
fn a_rotated_log_is_read_to_its_end_and_its_runs_continue_in_the_new_one() {
    let folder = folder();
    fs::create_dir(folder.path().join("logs")).unwrap();
    let log = folder.path().join("logs/log.jsonl");
    append(&log, &without_progress("a", 1..=30));
    let watching = watch(folder.path(), &["logs", "--json"]);
    append(&log, &without_progress("a", 31..=38));
    watching.wait_for_notification("\"turn\":35");
    append(&log, &without_progress("a", 39..=39));
    fs::rename(&log, folder.path().join("logs/log.jsonl.1")).unwrap();
    append(&log, &without_progress("a", 40..=40));
    let line = watching.wait_for_notification("\"intervention\":\"stop\"");
    let told: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&told["turn"], &told["line"], &told["run"]), (&40.into(), &1.into(), &"a".into()));
    assert_eq!((&told["schema"], &told["acted"]), (&"loopbreak.watch/1".into(), &true.into()));
    let (_, closing) = watching.interrupt();
    assert!(closing.starts_with("watched 1 run, 40 steps"), "the moved file is not read again: {closing}");
}

#[test]
fn new_files_are_found_and_missing_ones_are_waited_for() {
    let folder = folder();
    fs::create_dir(folder.path().join("logs")).unwrap();
    append(&folder.path().join("logs/old.jsonl"), &stuck("old", 60));
    let watching = watch(folder.path(), &["logs", "later.jsonl"]);
    fs::create_dir(folder.path().join("logs/deep")).unwrap();
    append(&folder.path().join("logs/deep/new.jsonl"), &stuck("new", 40));
    assert!(watching.wait_for_notification("stop").contains("new  turn 40"));
    append(&folder.path().join("later.jsonl"), &stuck("later", 40));
    watching.wait_for_notification("stop     later");
    append(&folder.path().join("logs/old.jsonl"), "nonsense\n");
    watching.assert_silent();
}

#[test]
fn a_command_gets_the_finding_in_its_environment_and_may_fail() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "").unwrap();
    let command = "sh -c 'env | grep ^LOOPBREAK_ | sort > \"found $LOOPBREAK_RUN\"; exit 3'";
    let watching = watch(folder.path(), &["log.jsonl", "--exec", command, "--bell"]);
    append(&log, &(without_progress("a", 1..=40) + &without_progress("b; rm -rf x", 1..=40)));
    watching.wait_for_message("--exec for a (log.jsonl): exit status: 3");
    watching.wait_for_message("--exec for b; rm -rf x (log.jsonl): exit status: 3");
    let found = fs::read_to_string(folder.path().join("found a")).unwrap();
    let loops = found.lines().find(|line| line.starts_with("LOOPBREAK_LOOP=")).unwrap().to_owned();
    assert_eq!(
        found.replace(&loops, "LOOPBREAK_LOOP=…"),
        "LOOPBREAK_DETECTOR=stagnation\nLOOPBREAK_INTERVENTION=stop\nLOOPBREAK_LOOP=…\n\
         LOOPBREAK_PATTERN=stuck_no_progress\nLOOPBREAK_REASON=no progress for 40 turns\nLOOPBREAK_RUN=a\n\
         LOOPBREAK_SOURCE=log.jsonl\nLOOPBREAK_TURN=40\n"
    );
    assert!(folder.path().join("found b; rm -rf x").exists());
    append(&log, &without_progress("c", 1..=40));
    watching.wait_for_notification("stop     c");
}

/// Answers requests with these codes in order and returns their bodies.
fn receiver(codes: &'static [u16]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("webhook=http://{}/secret-path", listener.local_addr().unwrap());
    let (sender, bodies) = channel();
    thread::spawn(move || {
        for (stream, code) in listener.incoming().zip(codes) {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut length, mut line) = (0, String::new());
            while stream.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            // The test may read the body as soon as the client has the answer.
            let _ = sender.send(String::from_utf8(body).unwrap());
            let answer = format!("HTTP/1.1 {code} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, bodies)
}

#[test]
fn a_busy_webhook_is_called_again() {
    let folder = folder();
    let (address, bodies) = receiver(&[503, 200]);
    fs::write(folder.path().join("log.jsonl"), stuck("a", 40)).unwrap();
    let done = done(loopbreak(folder.path()).args(["watch", "log.jsonl", "--once", "--notify", &address]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let told: Vec<serde_json::Value> =
        bodies.try_iter().map(|body| serde_json::from_str(&body).unwrap()).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0], told[1]);
    assert_eq!((&told[1]["run"], &told[1]["intervention"]), (&"a".into(), &"stop".into()));
}

#[test]
fn a_webhook_failure_is_reported_without_its_secret() {
    let folder = folder();
    let (address, _bodies) = receiver(&[404]);
    fs::write(folder.path().join("log.jsonl"), stuck("a", 40)).unwrap();
    let done = done(loopbreak(folder.path()).args(["watch", "log.jsonl", "--once", "--notify", &address]));
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains("--notify http://127.0.0.1: answered 404"), "{}", done.err);
    assert!(!done.err.contains("secret"));
}

#[test]
fn thousands_of_lines_written_in_pieces_give_the_result_of_analyze() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    append(&log, &healthy("first", 1));
    let watching = watch(folder.path(), &["log.jsonl", "--json", "-v"]);
    let text = healthy("long", 6000) + &without_progress("long", 6001..=12_000);
    // Pieces may end within a line.
    for piece in text.as_bytes().chunks(7919) {
        append(&log, std::str::from_utf8(piece).unwrap());
    }
    append(&log, &stuck("last", 40));
    let mut turns = Vec::new();
    loop {
        let told: serde_json::Value = serde_json::from_str(&watching.wait_for_notification("")).unwrap();
        if told["run"] == "last" && told["intervention"] == "stop" {
            break;
        }
        if told["run"] == "long" {
            turns.push(told["turn"].as_u64().unwrap());
        }
    }
    let report = crate::support::json(folder.path(), &["log.jsonl"]);
    let acts = report["runs"][1]["interventions"].as_array().unwrap();
    let expected: Vec<u64> = acts.iter().map(|act| act["turn"].as_u64().unwrap()).collect();
    assert!(!expected.is_empty());
    assert_eq!(turns, expected);
    let (code, closing) = watching.interrupt();
    assert_eq!(code, Some(130));
    assert!(closing.starts_with("watched 3 runs, 12,041 steps"), "{closing}");
}

/// A program that only looks at the exit code must not take a log that nobody read for a healthy one.
#[cfg(unix)]
#[test]
fn once_fails_if_a_named_log_cannot_be_read() {
    let folder = folder();
    fs::write(folder.path().join("stuck.jsonl"), stuck("a", 40)).unwrap();
    std::os::unix::fs::symlink("b.jsonl", folder.path().join("a.jsonl")).unwrap();
    std::os::unix::fs::symlink("a.jsonl", folder.path().join("b.jsonl")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.jsonl")).status().unwrap();
    assert!(made.success());
    for (log, said) in
        [("a.jsonl", "1 file could not be read"), ("pipe.jsonl", "error: pipe.jsonl: not a log")]
    {
        for args in [&[log][..], &["stuck.jsonl", log]] {
            let done = done(loopbreak(folder.path()).args(["watch", "--once", "--from-start"]).args(args));
            assert_eq!(done.code, Some(1), "{args:?}: {}", done.err);
            assert!(done.err.contains(said), "{args:?}: {}", done.err);
            assert_eq!(done.out.is_empty(), args.len() == 1, "the other log is read: {}", done.out);
        }
    }
    let args = ["watch", "stuck.jsonl", "a.jsonl", "--once", "--from-start", "--fail-on", "stop"];
    assert_eq!(done(loopbreak(folder.path()).args(args)).code, Some(10), "a loop is the worse news");
}

#[test]
fn once_and_until_idle_end_with_an_exit_code() {
    let folder = folder();
    fs::write(folder.path().join("stuck.jsonl"), stuck("a", 40).trim_end()).unwrap();
    fs::write(folder.path().join("notes.md"), "# Notes\n").unwrap();
    let code = |args: &[&str]| done(loopbreak(folder.path()).arg("watch").args(args)).code;
    assert_eq!(code(&["stuck.jsonl", "--once"]), Some(0));
    assert_eq!(code(&["stuck.jsonl", "--once", "--fail-on", "stop"]), Some(10), "the last line needs no end");
    assert_eq!(code(&["stuck.jsonl", "--until-idle", "0.3", "--fail-on", "warn", "--from-start"]), Some(10));
    let rung = done(loopbreak(folder.path()).args(["watch", "stuck.jsonl", "--once", "--bell"]));
    assert_eq!(rung.err.matches('\u{7}').count(), 1);
    assert_eq!(code(&["missing.jsonl", "--once"]), Some(1));
    assert_eq!(code(&["notes.md", "--once"]), Some(1));
    assert_eq!(code(&[".", "--once"]), Some(0), "what is no log in a folder is ignored");
    for wrong in [
        &["-"][..],
        &["x", "--exec", "'"],
        &["x", "--notify", "mail=x"],
        &["x", "--notify", "webhook=ftp://x"],
    ] {
        assert_eq!(code(wrong), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_watch_ends_when_its_output_is_closed() {
    let folder = folder();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "").unwrap();
    let mut watch = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder.path())
        .args(["watch", "log.jsonl", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(watch.stdout.take());
    let began = Instant::now();
    let status = loop {
        if let Some(status) = watch.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > Duration::from_secs(20) {
            watch.kill().unwrap();
        }
        // Something new to report every time.
        append(&log, &stuck(&format!("run {}", began.elapsed().as_millis()), 20));
        thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_the_list_is_removed_at_the_end() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 40)).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let command = format!("{} watch log.jsonl --from-start --until-idle 0.3", program.display());
    let seen = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(folder.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let seen = String::from_utf8(seen.stdout).unwrap();
    let list = seen.find("state    steps  run").unwrap_or_else(|| panic!("{seen:?}"));
    assert!(seen[list..].contains("stop\u{1b}[0m        40  a"), "{seen:?}");
    // The heading, the run and the keys.
    assert!(seen[list..].contains("\u{1b}[3A\r\u{1b}[J"), "{seen:?}");
}
