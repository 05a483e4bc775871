//! `loopbreak statusline`: one line for Claude Code, whatever happens.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::hooks::HookHome;
use crate::support::{FinishedProgram, done};

/// Runs the status line with what Claude Code passes to it.
fn statusline(home: &HookHome, session: &str, args: &[&str]) -> FinishedProgram {
    let input = json!({
        "hook_event_name": "Status", "session_id": session, "transcript_path": "/nowhere.jsonl", "cwd": home.path(),
        "model": {"id": "claude-opus-4-1", "display_name": "Opus"},
        "workspace": {"current_dir": home.path(), "project_dir": home.path()},
        "cost": {"total_cost_usd": 0.42, "total_duration_ms": 45000},
    });
    let mut command = home.command(&[&["statusline"], args].concat());
    done(command.env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8").write_stdin(input.to_string()))
}

fn line(home: &HookHome, session: &str, args: &[&str]) -> String {
    let done = statusline(home, session, args);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.out);
    done.out
}

#[test]
fn it_is_empty_until_something_loops_and_short_after_it() {
    let home = HookHome::new();
    assert_eq!(line(&home, "s", &[]), "", "there is no store");
    assert!(!home.store().exists(), "reading creates nothing");
    let session = home.session("s");
    session.finish("ls");
    assert_eq!(line(&home, "s", &[]), "");
    for _ in 0..3 {
        session.finish("make test");
    }
    assert_eq!(line(&home, "s", &[]), "⟳ 3× make test · 1 loop\n");
    assert_eq!(line(&home, "another", &[]), "");
    let call = session.call_until_denied("make test");
    let repeated = call - 1 + 3;
    assert_eq!(line(&home, "s", &[]), format!("⟳ {repeated}× make test · 1 loop · 1 refused\n"));
    session.finish("ls src");
    assert_eq!(line(&home, "s", &[]), "1 loop · 1 refused\n", "the agent does something else");
}

#[test]
fn a_terminal_without_unicode_gets_ascii() {
    let home = HookHome::new();
    for _ in 0..3 {
        home.session("s").finish("make");
    }
    let mut command = home.command(&["statusline"]);
    let done = done(command.env("LC_ALL", "C").write_stdin(r#"{"session_id":"s"}"#));
    assert_eq!(done.out, "loop: 3x make | 1 loop\n");
}

#[test]
fn it_says_that_the_guard_is_off() {
    let home = HookHome::new();
    let mut command = home.command(&["statusline"]);
    let done = done(command.env("LOOPBREAK", "off").write_stdin(r#"{"session_id":"s"}"#));
    assert_eq!((done.code, done.out.as_str()), (Some(0), "loop guard off\n"));
}

#[test]
fn whatever_is_wrong_is_not_an_error() {
    let home = HookHome::new();
    for input in ["", "not JSON", "[]", "{}", r#"{"session_id":7}"#, "\u{0}"] {
        let done = done(home.command(&["statusline"]).write_stdin(input));
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "", ""), "{input:?}");
    }
    // A damaged store is left to the next hook.
    fs::create_dir_all(home.store().parent().unwrap()).unwrap();
    fs::write(home.store(), "damaged").unwrap();
    assert_eq!(line(&home, "s", &[]), "");
    assert_eq!(fs::read(home.store()).unwrap(), b"damaged");
    let files = fs::read_dir(home.store().parent().unwrap()).unwrap().count();
    assert_eq!(files, 1, "nothing was moved away");
}

#[test]
fn it_does_not_wait_for_a_store_that_is_locked() {
    let home = HookHome::new();
    for _ in 0..3 {
        home.session("s").finish("make");
    }
    let store = rusqlite::Connection::open(home.store()).unwrap();
    store.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let began = Instant::now();
    assert_eq!(line(&home, "s", &[]), "⟳ 3× make · 1 loop\n");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // Without a write-ahead log, nobody can read at the moment.
    store.execute_batch("ROLLBACK; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    let began = Instant::now();
    assert_eq!(line(&home, "s", &[]), "");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn another_status_line_gets_the_same_input_and_both_are_shown() {
    let home = HookHome::new();
    for _ in 0..3 {
        home.session("s").finish("make");
    }
    let other = r#"printf '\033[32m%s\033[0m\nsecond\n' "$(grep -o '"display_name":"[A-Za-z]*"')""#;
    let green = "\u{1b}[32m\"display_name\":\"Opus\"\u{1b}[0m";
    assert_eq!(line(&home, "s", &["--wrap", other]), format!("{green} · ⟳ 3× make · 1 loop\nsecond\n"));
    assert_eq!(
        line(&home, "s", &["--wrap", other, "--first"]),
        format!("⟳ 3× make · 1 loop · {green}\nsecond\n")
    );
    assert_eq!(line(&home, "none", &["--wrap", "echo other"]), "other\n");
    for broken in ["exit 3", "no-such-command", "cat; exit 1", "yes | head -c 9000000; exit 1"] {
        assert_eq!(line(&home, "s", &["--wrap", broken]), "⟳ 3× make · 1 loop\n", "{broken}");
    }
}

#[cfg(unix)]
#[test]
fn another_status_line_that_hangs_is_ended() {
    let home = HookHome::new();
    for _ in 0..3 {
        home.session("s").finish("make");
    }
    for hanging in [
        "echo $$ > pid; sleep 600; echo late",
        "sleep 600 & echo $! > pid; wait",
        "(sleep 600 & echo $! > pid); echo x",
    ] {
        let began = Instant::now();
        let shown = line(&home, "s", &["--wrap", hanging]);
        assert!(shown.ends_with("⟳ 3× make · 1 loop\n"), "{shown}");
        assert!(began.elapsed() < Duration::from_secs(10), "{hanging}: {:?}", began.elapsed());
        let id: i32 = fs::read_to_string(home.path().join("pid")).unwrap().trim().parse().unwrap();
        let ended =
            || fs::read_to_string(format!("/proc/{id}/stat")).map_or(true, |stat| stat.contains(") Z"));
        let began = Instant::now();
        while !ended() {
            assert!(began.elapsed() < Duration::from_secs(10), "{hanging}: it is still running");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
