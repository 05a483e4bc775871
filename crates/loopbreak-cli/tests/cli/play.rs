//! `loopbreak play`: output, journal and endings.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::server::{ModelServer, ServerReply};
use crate::support::{FinishedProgram, folder, loopbreak};

const KEY: &str = "sk-proj-0123456789abcdefghijKLMNOP";
/// A time limit that no test reaches, even on a busy machine.
const LONG: Duration = Duration::from_mins(2);

fn play_in(folder: &Path, args: &[&str], input: &str) -> FinishedProgram {
    crate::support::done(
        loopbreak(folder)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LOOPBREAK_API_KEY", KEY)
            .timeout(LONG)
            .arg("play")
            .args(args)
            .write_stdin(input),
    )
}

fn play(args: &[&str]) -> FinishedProgram {
    play_in(folder().path(), args, "")
}

/// Returns the test program of the arena, which is a world, an agent or a critic.
fn test_program(arguments: &str) -> String {
    let file = crate::support::root().join("crates/loopbreak-arena/tests/support/fake.py");
    format!("python3 '{}' {arguments}", file.display())
}

/// Arguments for a player that walks back and forth and a critic that approves, so that the output does not
/// depend on built-in players.
fn walk() -> [String; 6] {
    let (agent, critic) = (test_program("agent walk"), format!("command={}", test_program("critic")));
    ["--agent-command", &agent, "--critic", &critic, "--max-turns", "7"].map(str::to_owned)
}

fn end(done: &FinishedProgram) -> &str {
    done.out.lines().rev().find(|line| line.contains(" after ")).unwrap_or_default()
}

#[test]
fn a_player_that_walks_back_and_forth_is_shown_line_by_line() {
    let done = play(&walk().each_ref().map(String::as_str));
    assert_eq!((done.code, done.err.as_str()), (Some(11), ""));
    insta::assert_snapshot!("play_plain", done.out);
}

#[test]
fn endings_have_their_exit_codes() {
    for (args, code, mark) in [
        (&["--player", "camper", "--obedience", "0"][..], 10, "loop_break (stuck_no_progress)"),
        (&["--player", "camper", "--obedience", "0", "--mode", "off"], 11, "turn_limit"),
        (&["--player", "camper", "--obedience", "0", "--mode", "observe"], 11, "turn_limit"),
        (&["--set", "budget.max_iterations=7"], 11, "loop_break (max_iterations)"),
        (&["--max-turns", "3"], 11, "turn_limit after 3 turns"),
    ] {
        let done = play(args);
        assert_eq!(done.code, Some(code), "{args:?}: {}{}", done.out, done.err);
        assert!(end(&done).starts_with(mark), "{args:?}: {}", end(&done));
    }
}

#[test]
fn observed_decisions_are_shown_but_not_enforced() {
    let done = play(&["--player", "oscillator", "--obedience", "0", "--mode", "observe"]);
    assert!(done.out.contains("* loopbreak would stop: "), "{}", done.out);
    assert!(!done.out.contains("loopbreak to the player") && !done.out.contains("refused "));
    let off = play(&["--player", "oscillator", "--obedience", "0", "--mode", "off"]);
    assert!(!off.out.contains("loopbreak"), "{}", off.out);
}

#[test]
fn the_same_seed_plays_the_same_game_and_its_journal_gives_the_same_ending() {
    let folder = folder();
    let journal = |name: &str| {
        let args = ["--player", "camper", "--seed", "5", "--obedience", "0", "--journal", name];
        let done = play_in(folder.path(), &args, "");
        assert_eq!(done.code, Some(10), "{}", done.err);
        (done.out, std::fs::read_to_string(folder.path().join(name)).unwrap())
    };
    assert_eq!(journal("a.jsonl"), journal("b.jsonl"));
    let report = crate::support::done(loopbreak(folder.path()).args([
        "analyze",
        "--profile",
        "game",
        "--json",
        "a.jsonl",
    ]));
    let report: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    let run = &report["runs"][0];
    assert_eq!((&run["run"], &run["verdict"]), (&"spillway-camper-obeying-0-5".into(), &"stop".into()));
    let (_, text) = journal("a.jsonl");
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let stop = run["findings"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .find(|finding| finding["intervention"] == "stop")
        .unwrap();
    assert_eq!((&stop["pattern"], &stop["turn"]), (&"stuck_no_progress".into(), &last["turn"]));
    assert_eq!(run["steps"], last["turn"]);
}

#[test]
fn a_person_is_advised_but_neither_refused_nor_stopped() {
    let typed = "north\n\nsouth\n".repeat(40);
    let done = play_in(folder().path(), &["--player", "you", "--max-turns", "90"], &typed);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.out);
    assert!(done.out.contains("loopbreak to the player: You are moving back and forth"), "{}", done.out);
    assert!(
        end(&done).starts_with("left after 80 turns: score 0, 2 places, 0 proposals refused"),
        "{}",
        end(&done)
    );
    // The prompt is shown only on a terminal.
    assert!(!done.out.contains("> "));
}

#[test]
fn a_model_plays_and_its_usage_is_shown() {
    let server = ModelServer::new(|number, _| {
        ServerReply::says(["north", "take lantern", "south", "quit"][number.min(3)])
    });
    let args = ["--endpoint", &server.base, "--model", "m", "--price-input", "1", "--price-output", "10"];
    let done = play_in(folder().path(), &[&args[..], &["--critic", "none"]].concat(), "");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.out);
    assert!(end(&done).starts_with("left after 4 turns: score 5, 2 places"), "{}", done.out);
    assert!(done.out.ends_with("used: 4000 input tokens, 80 output tokens, 0.0048 USD\n"), "{}", done.out);
    assert!(server.requests().iter().all(|request| request.head.contains(&format!("Bearer {KEY}"))));
}

#[test]
fn a_failing_model_ends_with_12_and_the_key_is_never_printed() {
    let folder = folder();
    let server =
        ModelServer::script(vec![ServerReply::Plain(401, "", format!("{{\"error\":\"bad key {KEY}\"}}"))]);
    let args = ["--endpoint", &server.base, "--model", "m", "--journal", "j.jsonl"];
    let done = play_in(folder.path(), &args, "");
    assert_eq!(done.code, Some(12), "{}{}", done.out, done.err);
    assert!(end(&done).starts_with("model_failed (127.0.0.1:"), "{}", done.out);
    assert!(done.out.contains("answered 401 Unauthorized: bad key ***"), "{}", done.out);
    let journal = std::fs::read_to_string(folder.path().join("j.jsonl")).unwrap();
    assert!(!journal.contains(KEY) && !done.out.contains(KEY) && !done.err.contains(KEY));

    let server = ModelServer::script(vec![ServerReply::says("I'm sorry, but I can't help with that.")]);
    let args = ["--endpoint", &server.base, "--model", "m", "--max-failures", "2"];
    let done = play(&args);
    assert_eq!((done.code, server.requests().len()), (Some(12), 2), "{}", done.out);
    assert!(done.out.contains("the player gave no command (refusal, 2 in a row)"), "{}", done.out);
}

#[test]
fn world_agent_and_critic_can_be_programs_or_models() {
    let server = ModelServer::script(vec![ServerReply::says("{\"score\": 0.8, \"reason\": \"new\"}")]);
    let (world, agent) = (test_program("world"), test_program("agent"));
    let args =
        ["--world", &world, "--agent-command", &agent, "--critic", "endpoint", "--endpoint", &server.base];
    let done = play(&[&args[..], &["--model", "m", "--max-turns", "5"]].concat());
    assert_eq!(done.code, Some(11), "{}{}", done.out, done.err);
    assert!(done.out.contains("turn 1: down (worth 0.80, critic 0.80)"), "{}", done.out);
    assert!(done.out.contains("[Cellar, score 0]"), "{}", done.out);
    assert_eq!(server.requests()[0].body["model"], "m");

    let critic = format!("command={}", test_program("critic wild"));
    let done = play(&["--critic", &critic, "--max-turns", "2"]);
    assert!(done.out.contains("turn 1: the critic gave no score (malformed): "), "{}", done.out);
    assert!(done.out.contains("failures: 0 of the player, 2 of the critic\n"), "{}", done.out);

    let done = play(&["--world", &test_program("world dies"), "--max-turns", "2"]);
    assert_eq!(done.code, Some(1), "{}", done.out);
    assert!(
        end(&done).starts_with("fault (the world failed: \"python3\" has ended (exit status: 3)"),
        "{}",
        done.out
    );
}

#[test]
fn the_example_programs_of_the_guide_work() {
    let folder = folder();
    let guide = std::fs::read_to_string(crate::support::root().join("docs/guide/worlds.md")).unwrap();
    let mut programs = guide.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    std::fs::write(folder.path().join("world.py"), programs.next().unwrap()).unwrap();
    std::fs::write(folder.path().join("agent.py"), programs.next().unwrap()).unwrap();
    assert_eq!(programs.next(), None);
    let args = ["--world", "python3 world.py", "--agent-command", "python3 agent.py", "--max-turns", "6"];
    let done = play_in(folder.path(), &args, "");
    assert_eq!((done.code, done.err.as_str()), (Some(11), ""), "{}", done.out);
    assert!(done.out.contains("turn 1: up (") && done.out.contains("[Floor 1]"), "{}", done.out);
    assert!(end(&done).starts_with("turn_limit after 6 turns"), "{}", done.out);
    let done = play_in(folder.path(), &["--agent-command", "python3 agent.py", "--max-turns", "6"], "");
    assert!(end(&done).starts_with("turn_limit after 6 turns: score 0, "), "{}", done.out);
}

#[test]
fn wrong_arguments_are_refused_before_the_game() {
    let folder = folder();
    std::fs::write(folder.path().join("no.z3"), "not a story").unwrap();
    for (args, says) in [
        (&["missing.z3"][..], "missing.z3: No such file"),
        (&["no.z3"], "no.z3: "),
        (&["--player", "dancer"], "[possible values: wanderer, "),
        (&["--world", "no-such-program"], "--world: the world failed: cannot start \"no-such-program\""),
        (&["--world", "'"], "--world \"'\": no command"),
        (&["--agent-command", ""], "--agent-command \"\": no command"),
        (&["--critic", "endpoint"], "--critic endpoint needs --endpoint"),
        (&["--critic", "me"], "use heuristic, none, endpoint or command=CMD"),
        (&["--endpoint", "localhost", "--model", "m"], "--endpoint: the address must start with http://"),
        (&["--endpoint", "http://x"], "--model <NAME>"),
        (&["--obedience", "2"], "use a number from 0 to 1"),
        (&["spillway", "--world", "x"], "cannot be used with"),
        (&["--timeout", "0"], "must be greater than 0"),
        (&["--max-failures", "0"], "0 is not in 1.."),
        (&["--set", "stagnation.max_trns=3"], "max_trns"),
    ] {
        let done = play_in(folder.path(), args, "");
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(says), "{args:?}: {}", done.err);
    }
    let done = play_in(folder.path(), &["--journal", "no/such/folder.jsonl"], "");
    assert_eq!(done.code, Some(1), "{}", done.err);
}

#[test]
fn a_game_ends_when_its_output_is_closed() {
    let folder = folder();
    let args = ["--max-turns", "1000000", "--mode", "observe", "--journal", "j.jsonl"];
    let mut game = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder.path())
        .args(["play", "--agent-command", &test_program("agent walk")])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = [0; 100];
    game.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = game.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > Duration::from_secs(20) {
            game.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(20));
    };
    // A closed pipe is not an error.
    assert_eq!(status.code(), Some(0));
    let journal = std::fs::read_to_string(folder.path().join("j.jsonl")).unwrap();
    assert!(journal.lines().last().unwrap().contains("\"ending\":\"interrupted\""));
}

#[test]
fn the_journal_does_not_overwrite_the_story() {
    let folder = folder();
    let story = folder.path().join("game.z3");
    std::fs::copy(crate::support::root().join("crates/loopbreak-arena/story/spillway.z3"), &story).unwrap();
    let before = std::fs::read(&story).unwrap();
    let done = play_in(folder.path(), &["game.z3", "--journal", "./game.z3", "--max-turns", "3"], "");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("--journal ./game.z3 would overwrite the story"), "{}", done.err);
    assert!(std::fs::read(&story).unwrap() == before);
}

#[test]
fn the_zorkgpt_table_is_read_unchanged() {
    let folder = folder();
    let table = "[tool.zorkgpt.loop_break]\nmax_turns_stuck = 20\nstuck_warning_threshold = 10\n";
    std::fs::write(folder.path().join("pyproject.toml"), table).unwrap();
    let done = play_in(folder.path(), &["--player", "camper", "--obedience", "0"], "");
    assert_eq!(done.code, Some(10), "{}", done.err);
    assert!(end(&done).starts_with("loop_break (stuck_no_progress) after 20 turns"), "{}", end(&done));
}

/// Starts the program on its own terminal and returns everything it wrote there.
fn on_a_terminal(
    args: &[&str],
    act: impl FnOnce(&std::process::Child, &mut std::fs::File),
) -> (String, Option<i32>) {
    let window = nix::pty::Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = nix::pty::openpty(&window, None).unwrap();
    let side = || Stdio::from(terminal.slave.try_clone().unwrap());
    let folder = folder();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .arg("play")
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TERM", "xterm")
        .current_dir(folder.path())
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .unwrap();
    drop(terminal.slave);
    let mut file = std::fs::File::from(terminal.master);
    let mut reader = file.try_clone().unwrap();
    let reading = thread::spawn(move || {
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        // On Linux, reading fails when the other side is closed.
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            all.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    act(&child, &mut file);
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(began.elapsed() < LONG, "it does not end");
        thread::sleep(Duration::from_millis(20));
    };
    (reading.join().unwrap(), status.code())
}

#[test]
fn the_terminal_screen_shows_room_score_map_advice_and_rulings() {
    let (out, code) = on_a_terminal(&walk().each_ref().map(String::as_str), |_, _| {});
    assert_eq!(code, Some(11), "{out}");
    let last = out.rsplit("\u{1b}[J").next().unwrap();
    // Without colours, and with normal line ends.
    let mut plain = String::new();
    let mut rest = last;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    insta::assert_snapshot!("play_picture", plain.replace('\r', ""));
}

#[test]
fn a_person_at_a_terminal_sees_a_prompt() {
    let (out, code) = on_a_terminal(&["--player", "you"], |_, terminal| {
        terminal.write_all(b"north\nquit\n").unwrap();
    });
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.contains("> ") && out.contains("[Gatehouse, score 0]") && out.contains("left after 2 turns"),
        "{out}"
    );
}

#[test]
fn an_interrupt_ends_the_game_and_its_programs_with_130() {
    let folder = folder();
    let file = folder.path().join("pid");
    let world = test_program(&format!("world child '{}'", file.display()));
    let args = ["--world", &world, "--agent-command", &test_program("agent deaf")];
    let (out, code) = on_a_terminal(&args, |child, _| {
        let began = Instant::now();
        while std::fs::read_to_string(&file).map_or(true, |text| text.trim().is_empty()) {
            assert!(began.elapsed() < LONG);
            thread::sleep(Duration::from_millis(20));
        }
        let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    });
    assert_eq!(code, Some(130), "{out}");
    assert!(out.contains("interrupted after 0 turns"), "{out}");
    let child = std::fs::read_to_string(&file).unwrap();
    // It was killed, but the system may need a moment to remove it.
    let began = Instant::now();
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        if status.is_empty() || status.contains(") Z ") {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "it lives on: {status}");
        thread::sleep(Duration::from_millis(10));
    }
}
