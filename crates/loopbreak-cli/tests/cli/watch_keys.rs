//! The keys of `loopbreak watch`, on a real terminal.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::hooked_agent::{HookedAgent, process_state, wait_for};
use crate::support::hooks::HookHome;
use crate::support::{done, folder, loopbreak, root, stuck};

/// Runs a watch on a terminal. Each step is a text to wait for, and the keys to press then.
fn watch(folder: &Path, args: &[&str], steps: &[(&str, &str)]) -> String {
    let driver = root().join("crates/loopbreak-cli/tests/fixtures/terminal.py");
    let output = Command::new("python3")
        .arg(driver)
        .arg(serde_json::to_string(steps).unwrap())
        .arg(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .arg("watch")
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("TMPDIR", folder)
        .env("TERM", "xterm")
        .output()
        .unwrap();
    let seen = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{seen}\n{}", String::from_utf8_lossy(&output.stderr));
    seen
}

#[test]
fn a_run_is_selected_and_its_report_written_for_the_user_alone() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("log.jsonl"), stuck("first", 50) + &stuck("second", 25)).unwrap();
    let steps = [
        ("up/down select", "j"),
        ("  25  second", "o"),
        ("the report is in ", "p"),
        ("cannot pause second: the process of this run is not known", "k"),
        ("> ", "s"),
        ("cannot stop first: the process of this run is not known", "a"),
        ("no hook has recorded first", "q"),
    ];
    let seen = watch(folder, &["log.jsonl"], &steps);
    assert!(seen.contains("> \u{1b}[1m\u{1b}[31mstop\u{1b}[0m        50  first"), "{seen:?}");
    assert!(seen.contains("> \u{1b}[1m\u{1b}[33mwarn\u{1b}[0m        25  second"), "{seen:?}");
    assert!(seen.contains("watched 2 runs, 75 steps"), "{seen}");
    assert!(seen.contains("ended with 0, normal terminal: True"), "{seen}");
    let report = seen.split("the report is in ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(Path::new(report).starts_with(folder), "{report}");
    let page = fs::read_to_string(report).unwrap();
    assert!(page.contains("<html") && page.contains("second") && !page.contains(">first<"), "{report}");
    assert_eq!(fs::metadata(report).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_terminal_is_given_back_at_an_interrupt_and_while_it_is_suspended() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("log.jsonl"), stuck("a", 50)).unwrap();
    let steps = [("up/down select", "\u{1a}"), ("up/down select", "\u{3}")];
    let seen = watch(folder, &["log.jsonl"], &steps);
    assert!(seen.contains("stopped, normal terminal: True\nended with 130, normal terminal: True"), "{seen}");
    let ended = watch(folder, &["log.jsonl"], &[("up/down select", "\u{1c}")]);
    assert!(ended.contains("ended with 0, normal terminal: True"), "{ended}");
}

#[test]
fn keys_can_be_switched_off_and_need_a_terminal() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("log.jsonl"), stuck("a", 50)).unwrap();
    let seen = watch(folder, &["log.jsonl", "--no-keys"], &[("  50  a", "q\u{3}")]);
    assert!(!seen.contains("up/down select") && !seen.contains("> "), "{seen}");
    assert!(seen.contains("ended with 130, normal terminal: True"), "{seen}");
    let piped = done(loopbreak(folder).args(["watch", "log.jsonl", "--until-idle", "0.3"]).write_stdin("q"));
    assert_eq!(piped.code, Some(0));
    assert!(!piped.out.contains("select"), "{}", piped.out);
}

#[test]
fn an_agent_is_paused_resumed_and_ended_with_keys() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("log.jsonl"), stuck("session-1", 50)).unwrap();
    let agent = HookedAgent::start(folder, "session-1");
    let steps = [
        ("up/down select", "p"),
        ("paused sh (process ", "s"),
        ("? y or n", "n"),
        ("not stopped", "q"),
        ("still paused: session-1; `loopbreak resume session-1` continues it", ""),
    ];
    let seen = watch(folder, &["log.jsonl"], &steps);
    assert!(seen.contains("mpaused\u{1b}[0m      50  session-1"), "{seen:?}");
    assert_eq!(process_state(agent.pid), 'T', "it stays paused after the watch");

    let steps = [("up/down select", "r"), ("resumed session-1", "s"), ("? y or n", "y"), ("to end", "q")];
    let seen = watch(folder, &["log.jsonl"], &steps);
    assert!(seen.contains(&format!("stop sh {}", agent.pid)), "{seen}");
    wait_for(|| process_state(agent.pid) == 'Z');
    let log =
        done(loopbreak(folder).env("XDG_STATE_HOME", folder.join("state")).args(["log", "session-1"])).out;
    for event in ["paused   sh (process ", "resumed  sh (process ", "terminated sh (process "] {
        assert!(log.contains(event), "{event}: {log}");
    }
}

#[test]
fn a_refused_call_is_allowed_with_a_key() {
    let home = HookHome::new();
    let session = home.session("session-1");
    session.call_until_denied("make check");
    fs::write(home.path().join("log.jsonl"), stuck("session-1", 50)).unwrap();
    let steps = [("up/down select", "a"), ("allowed in session-1: Bash", "q")];
    watch(home.path(), &["log.jsonl"], &steps);
    assert_ne!(crate::support::hooks::decision(&session.insist("make check")), "deny");
}

#[test]
fn an_agent_that_should_be_stopped_is_paused_without_a_human() {
    use crate::support::watching::append;
    let folder = folder();
    let folder = folder.path();
    let log = folder.join("log.jsonl");
    append(&log, &stuck("session-1", 39));
    let agent = HookedAgent::start(folder, "session-1");
    let mut watch = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(["watch", "log.jsonl", "--on-stop", "pause", "--until-idle", "4"])
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_ne!(process_state(agent.pid), 'T', "what was there before is no reason");
    append(&log, "{\"run\":\"session-1\",\"turn\":40,\"score\":3}\n");
    wait_for(|| process_state(agent.pid) == 'T');
    let output = String::from_utf8({
        use std::io::Read as _;
        let mut bytes = Vec::new();
        watch.stderr.take().unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    });
    let output = output.unwrap();
    assert!(output.contains("paused sh (process ") && output.contains("still paused: session-1"), "{output}");
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    let status = done(loopbreak(folder).env("XDG_STATE_HOME", folder.join("state")).arg("status")).out;
    assert!(status.contains("by watch (no progress for 40 turns)"), "{status}");
}
