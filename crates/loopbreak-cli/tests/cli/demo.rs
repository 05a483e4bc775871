//! `loopbreak demo`: a recorded agent, played through the real hooks.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::hooks::HookHome;
use crate::support::{FinishedProgram, done};

fn demo(home: &HookHome, args: &[&str]) -> FinishedProgram {
    let mut command = home.command(&[&["demo"], args].concat());
    // Temporary files are in the home, so that a test can see what is left of them.
    done(command.env("TMPDIR", home.path()).timeout(Duration::from_mins(2)))
}

#[test]
fn a_pipe_gets_all_of_it_at_once_in_plain_text() {
    let home = HookHome::new();
    let done = demo(&home, &[]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(!done.out.contains('\u{1b}'), "{}", done.out);
    assert!(done.out.lines().all(|line| line.chars().count() <= 80), "{}", done.out);
    insta::assert_snapshot!(done.out);
    assert!(!home.store().exists(), "the user's store is not used");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn the_guard_says_what_the_engine_and_the_settings_decide() {
    let home = HookHome::new();
    let usual = demo(&home, &[]).out;
    let calls = |text: &str| text.lines().filter(|line| line.starts_with("turn ")).count();
    let refused = |text: &str| text.contains("Loop guard: refused");
    assert!(refused(&usual), "{usual}");
    // A stricter guard refuses sooner.
    let strict = demo(&home, &["--set", "cycle.hard_at=5"]).out;
    assert!(refused(&strict) && calls(&strict) < calls(&usual), "{strict}");
    // A text of the user replaces that of the engine.
    let own = demo(&home, &["--set", "advice.texts.repeated_calls=Own words about {count} calls."]).out;
    assert!(own.contains("Own words about ") && !usual.contains("Own words"), "{own}");
    // A guard that only observes says nothing.
    let observed = demo(&home, &["--set", "mode=observe"]).out;
    assert!(!observed.contains("Loop guard:"), "{observed}");
    assert!(observed.contains("no call was refused") && calls(&observed) > calls(&usual), "{observed}");
}

#[test]
fn it_says_exactly_what_the_hook_says() {
    let home = HookHome::new();
    let out = demo(&home, &[]).out;
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    // The same calls, sent to the hook itself.
    let recording = crate::support::root().join("crates/loopbreak-hooks/src/demo/recorded_run.jsonl");
    let mut said = Vec::new();
    for (at, line) in fs::read_to_string(recording).unwrap().lines().enumerate() {
        let step: serde_json::Value = serde_json::from_str(line).unwrap();
        let session = home.session("demo");
        if let Some(text) = step["user"].as_str() {
            session.prompt(text);
            continue;
        }
        let (tool, input) = (step["action"]["name"].as_str().unwrap(), &step["action"]["args"]);
        let mut before = session.tool("PreToolUse", tool, input, serde_json::json!({}));
        before["tool_use_id"] = format!("call-{at}").into();
        let answer = home.send(&before);
        if let Some(reason) = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str() {
            said.push(words(reason));
            break;
        }
        let output =
            serde_json::json!({"stdout": step["outcome"]["text"], "stderr": "", "interrupted": false});
        let mut after =
            session.tool("PostToolUse", tool, input, serde_json::json!({ "tool_response": output }));
        after["tool_use_id"] = format!("call-{at}").into();
        said.extend(crate::support::hooks::advice(&home.send(&after)).map(words));
    }
    assert!(said.len() >= 2, "{said:?}");
    let shown = words(&out.replace("\nguard    ", "\n"));
    for text in said {
        assert!(shown.contains(&text), "{text}\n{out}");
    }
}

#[cfg(unix)]
#[test]
fn without_a_folder_for_temporary_files_it_says_which() {
    let home = HookHome::new();
    let done = done(home.command(&["demo"]).env("TMPDIR", home.path().join("missing")));
    assert_eq!((done.code, done.out.as_str()), (Some(1), ""), "{}", done.err);
    assert!(done.err.contains("missing: ") && done.err.contains("TMPDIR"), "{}", done.err);
}

#[test]
fn a_terminal_without_unicode_gets_ascii() {
    let home = HookHome::new();
    let mut command = home.command(&["demo"]);
    let done = done(command.env("LC_ALL", "C").env("TMPDIR", home.path()));
    assert!(done.code == Some(0) && done.out.is_ascii(), "{}", done.out);
}

/// Starts the program on a terminal of its own, types something after a second, and prints the exit code, and whether the
/// terminal has its settings back.
const TERMINAL: &str = r#"
import os, pty, select, sys, termios, time
program, typed = sys.argv[1], sys.argv[2].encode().decode("unicode_escape").encode()
child, terminal = pty.fork()
if child == 0:
    os.execv(program, [program, "demo"])
before, began, output = termios.tcgetattr(terminal), time.time(), b""
sent = False
while True:
    if not sent and b"user" in output:
        changed = termios.tcgetattr(terminal) != before
        os.write(terminal, typed)
        sent = True
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    assert time.time() - began < 60, output
else:
    done = None
if not done:
    _, status = os.waitpid(child, 0)
restored = termios.tcgetattr(terminal) == before
print(os.waitstatus_to_exitcode(status), changed, restored, round(time.time() - began))
"#;

#[cfg(unix)]
#[test]
fn a_key_skips_the_pauses_and_the_terminal_is_restored() {
    let home = HookHome::new();
    for (typed, code) in [("x", 0), ("\\x1b[A", 0), ("\\x03", 130)] {
        let began = Instant::now();
        let program = assert_cmd::cargo::cargo_bin!("loopbreak");
        let mut command = assert_cmd::Command::new("python3");
        command.args(["-c", TERMINAL]).arg(program).arg(typed);
        let done = done(command.env("TMPDIR", home.path()).timeout(Duration::from_secs(90)));
        assert_eq!(done.err, "", "{typed}");
        let words: Vec<&str> = done.out.split_whitespace().collect();
        assert_eq!(words[..3], [code.to_string().as_str(), "True", "True"], "{typed}");
        assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
        let seconds: u64 = words[3].parse().unwrap();
        assert!(seconds < 20, "{typed}: the pauses were not skipped: {seconds} s");
    }
}
