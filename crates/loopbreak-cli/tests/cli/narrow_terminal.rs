//! Screens on a terminal of 80 columns: the edge breaks no word.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use crate::support::hooks::HookHome;
use crate::support::{analyze, stuck};

/// Runs the program on a terminal of 80 columns, and returns the lines that it prints.
fn lines_on_a_terminal(home: &HookHome, args: &[&str], typed: &str) -> Vec<String> {
    let window = nix::pty::Winsize { ws_row: 40, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = nix::pty::openpty(&window, None).unwrap();
    let side = || Stdio::from(terminal.slave.try_clone().unwrap());
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .current_dir(home.path())
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .unwrap();
    drop(terminal.slave);
    let mut master = fs::File::from(terminal.master);
    master.write_all(typed.as_bytes()).unwrap();
    let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
    // On Linux, reading fails when the other side is closed.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
    }
    child.wait().unwrap();
    let seen = String::from_utf8(seen).unwrap();
    assert!(!seen.contains('\u{1b}'), "{args:?}: {seen}");
    seen.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn assert_narrow(args: &[&str], lines: &[String]) {
    let wide = lines.iter().find(|line| line.chars().count() > 80);
    assert!(wide.is_none() && lines.len() > 1, "{args:?}: {}", lines.join("\n"));
}

#[test]
fn help_errors_and_questions_fit() {
    let home = HookHome::new();
    fs::create_dir(home.path().join(".claude")).unwrap();
    for (args, typed) in [
        (&["--help"][..], ""),
        (&["hook", "install", "nobody"], ""),
        (&["hook", "install"], "\n"),
        (&["log", "last"], ""),
        (&["status"], ""),
        (&["hook", "install", "claude-code"], ""),
        (&["hook", "install", "codex", "--user"], ""),
        (&["hook", "doctor"], ""),
        (&["analyze"], ""),
    ] {
        assert_narrow(args, &lines_on_a_terminal(&home, args, typed));
    }
}

#[test]
fn the_screens_about_a_guarded_session_fit() {
    let home = HookHome::new();
    let session = home.session("1f5b0e0a-1111-4222-8333-444455556666");
    session.prompt("fix the login test");
    session.call_until_denied("pytest tests/test_login_with_password.py -q --maxfail=1");
    session.insist("pytest tests/test_login_with_password.py -q --maxfail=1");
    for args in [&["status"][..], &["log", "last"], &["allow", "last"]] {
        let lines = lines_on_a_terminal(&home, args, "");
        assert_narrow(args, &lines);
        let text = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("pytest tests/test_login_with_password.py -q --maxfail=1"), "{args:?}: {text}");
    }
}

/// A new file was shown as a hundred added lines.
#[test]
fn an_installation_fits_on_a_screen() {
    let home = HookHome::new();
    fs::create_dir(home.path().join(".claude")).unwrap();
    let install = lines_on_a_terminal(&home, &["hook", "install"], "1\n");
    assert!(install.len() < 12, "{install:?}");
    assert!(install.iter().any(|line| line.contains("a new file of ")), "{install:?}");
    let again = lines_on_a_terminal(&home, &["hook", "uninstall"], "1\n");
    assert!(again.len() < 12, "{again:?}");
    assert!(!home.path().join(".claude/settings.json").exists(), "{again:?}");
}

/// The result of an analysis stayed out of sight behind the warnings, and a table without rows was printed.
#[test]
fn a_broken_log_is_warned_about_once_and_runs_without_findings_are_counted() {
    let home = HookHome::new();
    for run in 0..8 {
        let log = stuck(&format!("run-{run}"), 10) + &"{broken\n".repeat(20);
        fs::write(home.path().join(format!("{run}.jsonl")), log).unwrap();
    }
    for run in 8..50 {
        fs::write(home.path().join(format!("{run}.jsonl")), stuck(&format!("run-{run}"), 10)).unwrap();
    }
    let done = analyze(home.path(), &["."]);
    let text = done.err + &done.out;
    assert_eq!(text.matches("warning: ").count(), 5, "{text}");
    assert!(text.contains("+155 more lines like this; -v shows all"), "{text}");
    assert!(text.contains("\nnothing found in 50 runs; -v shows each of them\n"), "{text}");
    assert!(!text.contains("more runs") && !text.contains("saves"), "{text}");
}
