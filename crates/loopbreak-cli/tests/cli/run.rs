//! `loopbreak run` with small agents: shell scripts that loop, finish, fail, hang and misbehave.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::agents::{
    LONG, VARIED, agent, count_processes, run_with, session, start_and_wait, stdout_of, wait_until_gone,
};
use crate::support::{folder, loopbreak};

#[test]
fn a_loop_ends_with_10_and_is_recorded_in_store_and_scratchpad() {
    let folder = folder();
    let body = agent("cat > prompt-$N; echo 'Fixed auth.ts - added null check'");
    let done = run_with(folder.path(), &["--prompt", "fix it", "--scratchpad", "pad.md"], &body);
    assert_eq!(done.code, Some(10), "{}", done.err);
    assert_eq!(done.out, "Fixed auth.ts - added null check\n".repeat(3));
    assert!(done.err.contains("loopbreak: loop: "), "{}", done.err);
    let pad = fs::read_to_string(folder.path().join("pad.md")).unwrap();
    let lines: Vec<&str> = pad.lines().collect();
    assert_eq!(
        lines[0],
        "- Iteration 1: status: ok; accomplished: \"Fixed auth.ts - added null check\"; errors: none; \
         next: continue"
    );
    assert!(lines[1].ends_with("next: try another approach"), "{pad}");
    assert!(lines[2].contains("next: loop: ") && lines.len() == 3, "{pad}");

    assert_eq!(fs::read_to_string(folder.path().join("prompt-1")).unwrap(), "fix it");
    let third = fs::read_to_string(folder.path().join("prompt-3")).unwrap();
    assert!(third.starts_with("fix it\n\nLoop guard, after iteration 2:"), "{third}");
    assert!(third.contains("Try a different one") && third.contains("added null check"), "{third}");

    let log = stdout_of(folder.path(), &["log", session(&done)]);
    for part in ["start ", "Iteration 3, ok: \"Fixed auth.ts - added null check\"", "end      loop: "] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let status = stdout_of(folder.path(), &["status", "--all"]);
    assert!(
        status.contains("  ended 0 s ago (loop: ") || status.contains("  ended 1 s ago (loop: "),
        "{status}"
    );
    assert!(status.contains("), 3 turns, "), "{status}");
}

#[test]
fn silent_work_is_not_a_loop_but_silent_failure_is() {
    let folder = folder();
    let done = run_with(folder.path(), &["--max-iterations", "6"], &agent("echo more >> work.txt"));
    assert_eq!((done.code, done.out.as_str()), (Some(11), ""), "{}", done.err);
    assert_eq!(fs::read_to_string(folder.path().join("work.txt")).unwrap().lines().count(), 6);
    assert_eq!(done.err.matches("warning: the command prints nothing").count(), 1, "{}", done.err);

    let done = run_with(folder.path(), &["--max-iterations", "6", "--set", "errors.hard_at=6"], "exit 3");
    assert_eq!(done.code, Some(10), "{}", done.err);
    assert!(!done.err.contains("prints nothing"), "{}", done.err);
}

#[test]
fn the_completion_promise_ends_the_run_with_success() {
    let folder = folder();
    let body = agent(&format!("{VARIED}; if [ $N = 3 ]; then echo DONE; else echo not DONE yet; fi"));
    let done = run_with(folder.path(), &["--completion-promise", "DONE"], &body);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("complete: promise printed in iteration 3"), "{}", done.err);
}

/// An agent that prints the promise within a sentence would otherwise run until its limit, and nobody would know why.
#[test]
fn a_promise_within_a_line_does_not_count_but_the_user_and_the_agent_are_told() {
    let folder = folder();
    let body = agent(&format!("cat > prompt-$N; {VARIED}; if [ $N = 1 ]; then echo 'The work is DONE.'; fi"));
    let args = ["--prompt", "go", "--completion-promise", "DONE", "--max-iterations", "3"];
    let done = run_with(folder.path(), &args, &body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    let note = "\"DONE\" was seen within a line, which does not count";
    assert_eq!(done.err.matches(note).count(), 1, "{}", done.err);
    let prompt = |number: u32| fs::read_to_string(folder.path().join(format!("prompt-{number}"))).unwrap();
    assert!(
        prompt(2).starts_with("go\n\n\"DONE\" was seen") && prompt(2).contains("on a line of its own"),
        "{}",
        prompt(2)
    );
    assert!(!prompt(1).contains(note) && !prompt(3).contains(note), "{}", prompt(3));
}

#[test]
fn each_iteration_is_reported_with_its_limit_and_cost_and_advice_is_mentioned() {
    let folder = folder();
    let body =
        agent("cat > /dev/null; echo '{\"result\":\"the same answer again\",\"total_cost_usd\":0.25}'");
    let done = run_with(folder.path(), &["--prompt", "go", "--max-iterations", "5"], &body);
    assert_eq!(done.code, Some(10), "{}", done.err);
    let lines: Vec<&str> = done.err.lines().filter(|line| line.contains("iteration ")).collect();
    assert!(
        lines[0].starts_with("loopbreak: iteration 1 of 5: ok, ") && lines[0].ends_with(", $0.25"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("loopbreak: iteration 2 of 5: ok, ") && lines[1].ends_with(", $0.50 so far)"),
        "{lines:?}"
    );
    assert!(
        done.err.contains("advice goes into the next prompt: the same output signature 2 times"),
        "{}",
        done.err
    );
}

#[test]
fn a_quiet_run_shows_only_the_output_of_the_command_and_warnings() {
    let folder = folder();
    let done = run_with(folder.path(), &["--quiet", "--max-iterations", "4"], &agent("echo the same"));
    assert_eq!((done.code, done.err.as_str()), (Some(10), ""));
    assert!(done.out.starts_with("the same\nthe same\n"), "{}", done.out);
    let warned = run_with(folder.path(), &["-q", "--max-cost", "1", "--max-iterations", "2"], &agent(VARIED));
    assert_eq!(warned.err.lines().count(), 1, "{}", warned.err);
    assert!(
        warned.err.starts_with("loopbreak: warning: the command does not report its cost"),
        "{}",
        warned.err
    );
}

#[test]
fn the_iteration_limit_ends_with_11() {
    let folder = folder();
    let done = run_with(folder.path(), &["--max-iterations", "4"], &agent(VARIED));
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert_eq!(done.out.lines().count(), 4);
}

#[test]
fn the_time_limit_ends_with_11_within_an_iteration() {
    let folder = folder();
    let began = Instant::now();
    let done = run_with(folder.path(), &["--max-runtime", "1"], "echo begin; sleep 100");
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(began.elapsed() < Duration::from_mins(1));
    let delayed = run_with(folder.path(), &["--max-runtime", "1", "--delay", "1h"], &agent(VARIED));
    assert_eq!(delayed.code, Some(11), "{}", delayed.err);
}

#[test]
fn the_cost_limit_ends_with_11() {
    let folder = folder();
    let body = agent(&format!("{VARIED}; echo \"{{\\\"total_cost_usd\\\": 0.4, \\\"n\\\": $N}}\""));
    let done = run_with(folder.path(), &["--max-cost", "1"], &body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap().trim(), "3");
}

#[test]
fn errors_in_a_row_end_with_12() {
    let folder = folder();
    let done = run_with(folder.path(), &["--max-errors", "2"], &agent(&format!("{VARIED} >&2; exit $N")));
    assert_eq!(done.code, Some(12), "{}", done.err);
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap().trim(), "2");
}

#[test]
fn an_escalation_without_a_terminal_ends_with_13() {
    let folder = folder();
    let exec = "sh -c 'echo $LOOPBREAK_INTERVENTION $LOOPBREAK_TURN > called'";
    let args = ["--on-loop", "escalate", "--exec", exec];
    let done = run_with(folder.path(), &args, "echo 'TypeError: null in auth.ts'");
    assert_eq!(done.code, Some(13), "{}", done.err);
    for part in ["Loop detected", "Last iterations:", "1. Continue with another approach", "3. Cancel"] {
        assert!(done.err.contains(part), "{part}: {}", done.err);
    }
    assert_eq!(fs::read_to_string(folder.path().join("called")).unwrap(), "escalate 3\n");
}

#[test]
fn an_echoed_prompt_neither_hides_nor_causes_a_loop() {
    let prompt = "Work through the plan, one item at a time, and say what you did.\n".repeat(20);
    let loops = folder();
    let done = run_with(loops.path(), &["--prompt", &prompt], "cat; echo fixed the null check");
    assert_eq!(done.code, Some(10), "{}", done.err);
    assert_eq!(done.out.lines().filter(|line| *line == "fixed the null check").count(), 3, "{}", done.out);
    let works = folder();
    let args = ["--prompt", &prompt, "--max-iterations", "5"];
    let done = run_with(works.path(), &args, &agent(&format!("cat; {VARIED}")));
    assert_eq!(done.code, Some(11), "{}", done.err);
}

#[test]
fn on_a_terminal_a_human_is_asked() {
    let folder = folder();
    let terminal = nix::pty::openpty(None, None).unwrap();
    let slave = || Stdio::from(terminal.slave.try_clone().unwrap());
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .args(["run", "--on-loop", "escalate", "--prompt", "go", "--", "sh", "-c"])
        .arg(agent("cat > prompt-$N; echo 'Fixed auth.ts - added null check'"))
        .stdin(slave())
        .stdout(Stdio::null())
        .stderr(slave())
        .spawn()
        .unwrap();
    // Reading must end if the program ends without asking.
    drop(terminal.slave);
    let mut master = fs::File::from(terminal.master);
    // An invalid answer is asked again; then the run continues once, and is cancelled at the next loop.
    let mut answers = ["well\n", "1 use the cache\n", "3\n"].into_iter();
    let (mut seen, mut asked) = (String::new(), 0);
    let mut buffer = [0; 4096];
    while asked < 3 {
        let count = master.read(&mut buffer).unwrap();
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        while asked < seen.matches("1, 2 or 3?").count() {
            asked += 1;
            master.write_all(answers.next().unwrap().as_bytes()).unwrap();
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(10), "{seen}");
    let fourth = fs::read_to_string(folder.path().join("prompt-4")).unwrap();
    assert!(
        fourth.contains("A human looked at this and says: try another approach. use the cache"),
        "{fourth}"
    );
    let count = fs::read_to_string(folder.path().join("count")).unwrap();
    assert_eq!(count.trim(), "6", "a full set of fresh attempts after the human's word");
}

#[test]
fn other_profiles_keep_the_limits() {
    let folder = folder();
    fs::write(folder.path().join("loopbreak.toml"), "profile = \"coding\"\n[errors]\nwarn_at = 4\n").unwrap();
    assert_eq!(run_with(folder.path(), &[], "echo the same").code, Some(10));
    let done = run_with(folder.path(), &[], &agent(&format!("{VARIED} >&2; exit 3")));
    assert_eq!((done.code, done.err.matches("documented").count()), (Some(12), 1), "{}", done.err);
    fs::write(folder.path().join("loopbreak.toml"), "[policy]\non_loop = \"escalate\"\n").unwrap();
    assert_eq!(run_with(folder.path(), &[], "echo the same").code, Some(13));
    assert_eq!(run_with(folder.path(), &["--on-loop", "stop"], "echo the same").code, Some(10));
}

#[test]
fn a_webhook_is_called_at_the_end() {
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("webhook=http://{}/hook", listener.local_addr().unwrap());
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut text = String::new();
        let mut buffer = [0; 4096];
        while !text.trim_end().ends_with('}') {
            let count = stream.read(&mut buffer).unwrap();
            text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        text
    });
    let done = run_with(
        folder.path(),
        &["--notify", &to, "--max-iterations", "1"],
        "echo a; : --api-key=sk-abcdefghijklmnopqrstuvwxyz123456",
    );
    assert_eq!(done.code, Some(11), "{}", done.err);
    let text = heard.join().unwrap();
    let body: serde_json::Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!((&body["intervention"], &body["pattern"]), (&"stop".into(), &"max_iterations".into()));
    assert_eq!(body["run"], session(&done));
    assert!(!text.contains("sk-abcdefghijklmnopqrstuvwxyz123456"), "{text}");
    let database = fs::read(folder.path().join("state/loopbreak/loopbreak.db")).unwrap();
    assert!(!String::from_utf8_lossy(&database).contains("sk-abcdefghijklmnop"), "secrets are not kept");
}

#[test]
fn only_the_messages_in_json_output_are_compared() {
    let folder = folder();
    let around = "\\\"type\\\":\\\"result\\\",\\\"is_error\\\":false,\\\"usage\\\":{\\\"input_tokens\\\":4,\\\"tiers\\\":[\\\"standard\\\",\\\"standard\\\",\\\"standard\\\"]}";
    let body = agent(&format!("echo \"{{{around},\\\"result\\\":\\\"$({VARIED})\\\"}}\""));
    let done = run_with(folder.path(), &["--max-iterations", "5", "--scratchpad", "pad"], &body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    let pad = fs::read_to_string(folder.path().join("pad")).unwrap();
    assert!(pad.contains("accomplished: \"wrote seventeen unit checks\"; "), "{pad}");
}

#[test]
fn advice_alone_does_not_end_a_loop() {
    let folder = folder();
    let args = ["--on-loop", "advise", "--max-iterations", "6"];
    let done = run_with(folder.path(), &args, &agent("cat > prompt-$N; echo the same again"));
    assert_eq!(done.code, Some(11), "{}", done.err);
    assert!(fs::read_to_string(folder.path().join("prompt-4")).unwrap().contains("Loop guard"));
}

/// Starts a run, interrupts it when its agent has created the file `up`, and returns the exit code.
fn run_interrupted(folder: &Path, args: &[&str], body: &str, (mark, signal): (&str, &str)) -> Option<i32> {
    let mut child = start_and_wait(folder, &[&["run"], args, &["--", "sh", "-c", body]].concat());
    assert!(count_processes(mark) > 1, "the agent and its child are there");
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap().code()
}

#[test]
fn an_interrupt_ends_with_130_and_leaves_no_process() {
    for (signal, mark) in [("-INT", "7654.311"), ("-TERM", "7654.312")] {
        let folder = folder();
        let body = format!("sleep {mark} & touch up; sleep {mark}");
        assert_eq!(
            run_interrupted(folder.path(), &["--scratchpad", "pad"], &body, (mark, signal)),
            Some(130)
        );
        wait_until_gone(mark);
        assert!(fs::read_to_string(folder.path().join("pad")).unwrap().contains("status: interrupted"));
        assert!(stdout_of(folder.path(), &["status", "--all"]).contains(" ago (interrupted"));
    }
}

#[test]
fn a_command_that_ignores_the_signal_is_killed() {
    let folder = folder();
    let body = "trap '' TERM INT; touch up; while :; do sleep 0.1; : 7654.321; done";
    assert_eq!(run_interrupted(folder.path(), &[], body, ("7654.321", "-INT")), Some(130));
    wait_until_gone("7654.321");
}

#[test]
fn an_iteration_that_takes_too_long_has_failed() {
    let folder = folder();
    let args = ["--iteration-timeout", "0.3", "--max-errors", "1", "--scratchpad", "pad"];
    let done = run_with(folder.path(), &args, "echo hanging; sleep 7654.331 & sleep 7654.331");
    assert_eq!(done.code, Some(12), "{}", done.err);
    wait_until_gone("7654.331");
    assert!(fs::read_to_string(folder.path().join("pad")).unwrap().contains("status: timed out"));
}

#[test]
fn background_processes_of_an_iteration_do_not_delay_the_run() {
    let folder = folder();
    let began = Instant::now();
    let body = agent(&format!("{VARIED}; sleep 7654.341 & setsid sleep 9 &"));
    let done = run_with(folder.path(), &["--max-iterations", "2"], &body);
    assert_eq!(done.code, Some(11), "{}", done.err);
    wait_until_gone("7654.341");
    assert!(began.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_detached_process_that_keeps_printing_does_not_delay_the_run() {
    let folder = folder();
    let began = Instant::now();
    let chatter = "setsid sh -c 'touch talks; for i in $(seq 600); do echo tick; sleep 0.1; done' & \
                   while [ ! -e talks ]; do sleep 0.02; done";
    let done = run_with(folder.path(), &["--max-iterations", "1"], &agent(&format!("{VARIED}; {chatter}")));
    assert_eq!(done.code, Some(11), "{}", done.err);
    // It prints for a minute.
    assert!(began.elapsed() < Duration::from_secs(50), "{:?}", began.elapsed());
}

#[test]
fn a_command_that_does_not_exist_is_an_error() {
    let folder = folder();
    let done = crate::support::done(
        loopbreak(folder.path()).env("XDG_STATE_HOME", folder.path().join("state")).args([
            "run",
            "--",
            "./no-such-agent",
        ]),
    );
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("cannot start \"./no-such-agent\""), "{}", done.err);
    let done = run_with(folder.path(), &["--prompt-file", "missing.md"], "true");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("missing.md"), "{}", done.err);
}

#[test]
fn a_command_may_ignore_its_input_and_print_any_bytes() {
    let folder = folder();
    fs::write(folder.path().join("big.md"), "all work and no play\n".repeat(100_000)).unwrap();
    let body = agent("head -c 3000000 /dev/urandom; head -c 300000 /dev/urandom >&2; printf '\\377\\000'");
    let output = loopbreak(folder.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .timeout(LONG)
        .args(["run", "--prompt-file", "big.md", "--max-iterations", "2", "--log-dir", "logs", "--"])
        .args(["sh", "-c", &body])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(11));
    assert_eq!(output.stdout.len(), 2 * 3_000_002);
    let logs: Vec<u64> = fs::read_dir(folder.path().join("logs"))
        .unwrap()
        .map(|log| log.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(logs, [3_300_002, 3_300_002]);
}

#[test]
fn iterations_that_say_nothing_and_change_nothing_are_a_loop() {
    let folder = folder();
    // Files that the runner writes are not work of the agent.
    let done = run_with(folder.path(), &["--log-dir", "logs", "--scratchpad", "pad.md"], "true");
    assert_eq!(done.code, Some(10), "{}", done.err);
    assert!(done.err.contains("loop: ") && !done.err.contains("warning"), "{}", done.err);
    assert_eq!(fs::read_dir(folder.path().join("logs")).unwrap().count(), 3);
}

#[test]
fn a_used_up_quota_is_waited_for_and_is_not_a_loop() {
    let folder = folder();
    let body = agent(
        "if [ $N -lt 5 ]; then echo 'error: rate limit exceeded, try later' >&2; exit 1; fi; echo DONE",
    );
    let args = ["--completion-promise", "DONE", "--backoff", "0.01"];
    let done = run_with(folder.path(), &args, &body);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("the command's quota is used up"), "{}", done.err);
    assert!(stdout_of(folder.path(), &["log", session(&done)]).contains("backoff"));
}

#[test]
fn an_invalid_login_needs_a_human() {
    let folder = folder();
    let body = agent("echo 'Invalid API key. Please run /login'; exit 1");
    let done = run_with(folder.path(), &["--backoff", "0.01", "--exec", "touch called"], &body);
    assert_eq!(done.code, Some(13), "{}", done.err);
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap().trim(), "2");
    assert!(folder.path().join("called").exists());
}

#[test]
fn the_prompt_can_be_an_argument() {
    let folder = folder();
    let done = crate::support::done(
        loopbreak(folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .args(["run", "--prompt", "do $it; 'now'", "--max-iterations", "1", "--", "echo", "<{prompt}>"]),
    );
    assert_eq!(done.out, "<do $it; 'now'>\n");
    let without = run_with(folder.path(), &[], "echo {prompt}");
    assert_eq!(without.code, Some(2), "{}", without.err);
}
