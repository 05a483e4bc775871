//! `loopbreak run --roadmap` with small agents: shell scripts that finish, block, revisit, spin and
//! misbehave.

#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::folder;
use crate::support::roadmaps::{
    LONG, attempted_tasks, recoveries, run_command, run_roadmap, task, write_agent, write_roadmap,
};

/// Returns the tasks that the agent was given, on one line.
fn attempted_line(folder: &std::path::Path) -> String {
    attempted_tasks(folder).join(" ")
}

#[test]
fn healthy_tasks_are_done_and_each_stuck_task_gets_its_recovery() {
    let folder = folder();
    let folder = folder.path();
    write_roadmap(
        folder,
        &[
            ("schema", &[]),
            ("api", &["schema"]),
            ("token", &[]),
            ("spin", &[]),
            ("docs", &["api"]),
            ("ship", &["docs"]),
            ("late", &["token"]),
        ],
    );
    // The agent keeps working on the finished schema until it is told that the task is closed.
    write_agent(
        folder,
        r#"case $LOOPBREAK_TASK in
        schema) say 'drew it' '{"status":"done","work":["schema.sql"]}';;
        api) if grep -q 'Task "schema" is closed' prompt.txt; then say 'wrote it' '{"status":"done"}'
             else say "looking at the schema again, $N" '{"task":"schema","status":"done","work":["verified"]}'; fi;;
        token) say 'no token' '{"status":"blocked","blockers":["missing auth server"]}';;
        spin) say 'tried' '{"status":"in_progress","work":["read the config"]}';;
        *) say 'finished' '{"status":"done"}';;
        esac"#,
    );
    let done =
        run_roadmap(folder, &["--exec", "sh -c 'echo $LOOPBREAK_INTERVENTION $LOOPBREAK_PATTERN >> told'"]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    // Blocked tasks wait for the others. Tasks without progress get their last attempts when nothing else is
    // left.
    assert_eq!(
        attempted_line(folder),
        "schema api api api token spin spin spin docs ship token token token token token spin spin"
    );
    for id in ["schema", "api", "docs", "ship"] {
        assert_eq!(
            (&task(folder, id)["status"], &task(folder, id)["finished"]),
            (&"done".into(), &true.into())
        );
    }
    // The line that operators look for has the kind of the loop, the task, the attempts and what is done.
    for line in [
        "Loop detected: blocked_task_spin, taskId=token, attemptCount=3, recommendation=unblock_authority",
        "Loop detected: blocked_task_spin, taskId=token, attemptCount=3, recommendation=escalate",
        "Loop detected: no_progress_repeat, taskId=spin, attemptCount=5, recommendation=force_next",
    ] {
        assert!(done.err.contains(line), "{line} in\n{}", done.err);
    }
    assert!(
        done.err.contains("although the agent was allowed to remove them: \"missing auth server\""),
        "{}",
        done.err
    );
    assert_eq!(recoveries(folder, "schema"), ["force_next"]);
    assert_eq!(recoveries(folder, "token"), ["unblock_authority", "escalate"]);
    assert_eq!(recoveries(folder, "spin"), ["escalate", "force_next"]);
    assert!(recoveries(folder, "api").is_empty() && recoveries(folder, "ship").is_empty());
    let attempts = |id| task(folder, id)["attempts"].as_u64().unwrap();
    assert_eq!((attempts("schema"), attempts("token"), attempts("spin"), attempts("api")), (3, 6, 5, 1));

    let listed = run_command(folder, &["tasks", "list"]).out;
    for part in
        ["schema  forced", "token   escalated", "spin    forced", "ship    done", "late    waits for token"]
    {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    assert!(done.err.contains("4 of 7 tasks are done; not done: token (escalated: "), "{}", done.err);
    assert!(done.err.contains("spin (closed by force_next, not finished: 5 attempts"), "{}", done.err);
    // Authority is granted for one task and its blockers. Other tasks do not see it.
    let prompt = |id: &str| fs::read_to_string(folder.join(format!("prompt-{id}.txt"))).unwrap();
    assert!(prompt("token").contains("For this task and these blockers only"), "{}", prompt("token"));
    assert!(!prompt("spin").contains("these blockers only"), "{}", prompt("spin"));
    assert!(prompt("spin").contains("Do not work on them again: schema"), "{}", prompt("spin"));
    // A human was notified of both at the right time.
    let called = fs::read_to_string(folder.join("told")).unwrap();
    assert_eq!(called, "escalate no_progress_repeat\nescalate blocked_task_spin\n");
}

/// Secrets that somebody kept for themselves are left to them: no attempt is told to go around one.
#[test]
fn a_task_that_needs_a_secret_is_left_to_a_human_at_once() {
    for (blocker, recovered, attempts) in [
        ("no signing key", &["escalate"][..], 3),
        ("needs approval of the security team", &["escalate"], 3),
        ("file is locked", &["unblock_authority", "escalate"], 6),
    ] {
        let folder = folder();
        write_roadmap(folder.path(), &[("a", &[])]);
        write_agent(folder.path(), &format!(r#"say no '{{"status":"blocked","blockers":["{blocker}"]}}'"#));
        let done = run_roadmap(folder.path(), &[]);
        assert_eq!(done.code, Some(13), "{}", done.err);
        assert_eq!(recoveries(folder.path(), "a"), recovered, "{blocker}");
        assert_eq!(attempted_tasks(folder.path()).len(), attempts, "{blocker}");
        let told = fs::read_to_string(folder.path().join("prompt-a.txt")).unwrap();
        assert_eq!(told.contains("you may remove or work around them"), recovered.len() > 1, "{told}");
    }
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(folder.path(), r#"say no '{"status":"blocked","blockers":["no signing key"]}'"#);
    run_roadmap(folder.path(), &["--set", "task.unblock_sensitive=true"]);
    assert_eq!(recoveries(folder.path(), "a"), ["unblock_authority", "escalate"]);
}

/// Attempts before a task was reopened no longer count against it.
#[test]
fn a_reopened_task_counts_only_its_new_attempts() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(folder.path(), r#"say no '{"status":"blocked","blockers":["file is locked"]}'"#);
    assert_eq!(run_roadmap(folder.path(), &[]).code, Some(13));
    assert_eq!(run_command(folder.path(), &["tasks", "open", "a"]).code, Some(0));
    let done = run_roadmap(folder.path(), &["--resume"]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    assert!(done.err.contains("task \"a\" met the same blockers in 3 attempts"), "{}", done.err);
    assert!(!done.err.contains("in 5 attempts"), "{}", done.err);
    assert!(done.err.contains("0 of 1 task is done"), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 9);
}

#[test]
fn status_shows_why_a_task_loops_and_does_not_count_tasks_as_loops() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("key", &[])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in a) say ok '{"status":"done"}';;
        *) say no '{"status":"blocked","blockers":["no signing key"]}';; esac"#,
    );
    assert_eq!(run_roadmap(folder.path(), &["--set", "task.auto_unblock=false"]).code, Some(13));
    let status = run_command(folder.path(), &["status", "--all"]).out;
    let mut lines = status.lines();
    let first = lines.next().unwrap();
    assert!(
        first.contains(" s ago (human needed: ") && first.contains("), 4 turns, 1 loop seen, run, "),
        "{status}"
    );
    assert!(lines.next().unwrap().starts_with("    started "), "{status}");
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            r#"    hard: blocked_task_spin, 3 times since turn 2: task "key" met the same blockers in 3 attempts: "no signing key""#,
            "    task a, 1 attempt: done",
            "    task key, 3 attempts: blocked, escalate",
        ]
    );
}

#[test]
fn tasks_run_in_dependency_order_and_exit_with_0_when_all_are_done() {
    let folder = folder();
    write_roadmap(
        folder.path(),
        &[("ship", &["build", "docs"]), ("docs", &["build"]), ("build", &[]), ("side", &[])],
    );
    write_agent(
        folder.path(),
        r#"echo "LOOPBREAK_RESULT: {\"task\":\"$LOOPBREAK_TASK\",\"status\":\"done\"}""#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_line(folder.path()), "build docs ship side");
    assert!(done.err.contains("complete: all 4 tasks are done"), "{}", done.err);
}

#[test]
fn healthy_tasks_that_end_with_the_same_words_are_not_a_loop() {
    let folder = folder();
    let ids: Vec<String> = (0..15).map(|number| format!("part{number}")).collect();
    let tasks: Vec<(&str, &[&str])> = ids.iter().map(|id| (id.as_str(), &[][..])).collect();
    write_roadmap(folder.path(), &tasks);
    // Each takes two attempts, and each attempt ends with the same words.
    write_agent(
        folder.path(),
        r#"if [ $N = 1 ]; then say 'I am on it.' '{"status":"in_progress","work":["a"]}'
        else say 'All done.' '{"status":"done"}'; fi"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(!done.err.contains("Loop") && !done.err.contains("escalate"), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 30);
}

#[test]
fn a_task_with_growing_work_may_take_any_number_of_attempts() {
    let folder = folder();
    write_roadmap(folder.path(), &[("big", &[])]);
    write_agent(
        folder.path(),
        r#"if [ $N = 9 ]; then say 'done' '{"status":"done"}'
        else say 'going on' "{\"status\":\"blocked\",\"blockers\":[\"slow\"],\"work\":[\"chapter $N\"]}"; fi"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 9);
}

#[test]
fn two_or_three_tasks_that_send_each_other_back_are_detected() {
    for ids in [&["a", "b"][..], &["a", "b", "c"]] {
        let folder = folder();
        let mut tasks: Vec<(&str, &[&str])> = ids.iter().map(|id| (*id, &[][..])).collect();
        tasks.push(("other", &[]));
        write_roadmap(folder.path(), &tasks);
        // Each does something new every time, and sends the next one back.
        let next: Vec<String> = ids
            .iter()
            .zip(ids.iter().cycle().skip(1))
            .map(|(id, next)| format!("{id}) NEXT={next};;"))
            .collect();
        write_agent(
            folder.path(),
            &format!(
                "case $LOOPBREAK_TASK in {} other) say done '{{\"status\":\"done\"}}'; exit;; esac\n\
                 say \"round $N\" \"{{\\\"status\\\":\\\"in_progress\\\",\\\"work\\\":[\\\"change $N\\\"],\
                 \\\"send_back\\\":[\\\"$NEXT\\\"]}}\"",
                next.join(" ")
            ),
        );
        let done = run_roadmap(folder.path(), &[]);
        assert_eq!(done.code, Some(13), "{}", done.err);
        let names: Vec<String> = ids.iter().map(|id| format!("{id:?}")).collect();
        let names = names.join(", ");
        let seen = format!("tasks keep sending each other back: {names}");
        assert!(done.err.contains(&format!("warn: {seen}")), "{}", done.err);
        assert!(done.err.contains(&format!("escalate: {seen}")), "{}", done.err);
        // A warning in the second round, a break in the fourth; then the rest is done.
        let expected = format!("{}other", format!("{} ", ids.join(" ")).repeat(4));
        assert_eq!(attempted_line(folder.path()), expected);
        let warned = fs::read_to_string(folder.path().join("prompt-a.txt")).unwrap();
        for id in ids {
            assert_eq!(task(folder.path(), id)["escalation"], "left", "{id}");
            assert_eq!(recoveries(folder.path(), id), ["escalate"], "{id}");
        }
        assert!(warned.contains("sent back by"), "{warned}");
        assert_eq!(task(folder.path(), "other")["status"], "done");
    }
}

/// The agent reports on two tasks in every attempt, and neither moves on. Neither loops by itself, for their work changes.
#[test]
fn tasks_that_are_attempted_in_turn_without_anything_new_are_left_to_a_human() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[]), ("other", &[])]);
    write_agent(
        folder.path(),
        r#"[ $LOOPBREAK_TASK = other ] && { say done '{"status":"done"}'; exit; }
        cp prompt.txt prompt-$N.txt
        case $N in 1) W='"read","plan"';; 2|4) W='"read"';; *) W='"plan"';; esac
        R="\"status\":\"in_progress\",\"work\":[$W]"
        say "round $N" "[{\"task\":\"a\",$R},{\"task\":\"b\",$R}]""#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    for words in [
        r#"warn: tasks "a", "b" were attempted in turn for 2 rounds without anything new"#,
        "Loop detected: task_cycle, taskId=a, b, attemptCount=8, recommendation=escalate",
    ] {
        assert!(done.err.contains(words), "{words}: {}", done.err);
    }
    assert_eq!(attempted_line(folder.path()), "a a a a other");
    let warned = fs::read_to_string(folder.path().join("prompt-3.txt")).unwrap();
    assert!(warned.contains("Do not start another round"), "{warned}");
    for id in ["a", "b"] {
        assert_eq!(task(folder.path(), id)["escalation"], "left", "{id}");
        assert_eq!(recoveries(folder.path(), id), ["escalate"], "{id}");
    }
}

#[test]
fn a_review_that_sends_back_three_times_and_then_agrees_is_healthy() {
    let folder = folder();
    write_roadmap(folder.path(), &[("code", &[]), ("review", &["code"])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in
        code) say "version $N" '{"status":"done","work":["code"]}';;
        review) if [ $N -lt 4 ]; then say "no, $N" '{"status":"in_progress","send_back":["code"]}'
                else say 'yes' '{"status":"done"}'; fi;;
        esac"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_line(folder.path()), "code review code review code review code review");
    assert!(!done.err.contains("escalate") && !done.err.contains("force_next"), "{}", done.err);
}

#[test]
fn a_task_blocked_only_by_an_unavailable_checker_continues_with_the_check_deferred() {
    let folder = folder();
    write_roadmap(folder.path(), &[("page", &[]), ("next", &["page"])]);
    write_agent(
        folder.path(),
        r#"if grep -q 'do not block the task: "critic:design_system"' prompt.txt || [ $LOOPBREAK_TASK = next ]; then
        say 'done without it' '{"status":"done"}'
        else say 'waiting' '{"status":"blocked","blockers":["critic:design_system unavailable"],"work":["page.tsx"]}'; fi"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_line(folder.path()), "page page next");
    assert!(done.err.contains("all 2 tasks are done; checks are still pending: page"), "{}", done.err);
    assert_eq!(task(folder.path(), "page")["deferred"], serde_json::json!(["critic:design_system"]));
    let shown = run_command(folder.path(), &["tasks", "show", "page"]).out;
    assert!(shown.contains("check_deferred:") && shown.contains("done, check deferred"), "{shown}");
}

#[test]
fn the_check_decides_whether_a_task_is_done_and_is_deferred_if_it_cannot_run() {
    let folder = folder();
    let tasks = "[[task]]\nid = \"a\"\ncheck = \"grep -q good result\"\n\
                 [[task]]\nid = \"b\"\ncheck = \"./no-such-checker --strict\"\n";
    fs::write(folder.path().join("tasks.toml"), tasks).unwrap();
    write_agent(
        folder.path(),
        r#"if [ $LOOPBREAK_TASK = a ] && grep -q 'the check failed' prompt.txt; then echo good > result
        else echo bad > result; fi
        say 'I am done' '{"status":"done"}'"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_line(folder.path()), "a a b");
    assert!(done.err.contains("task a: the check failed"), "{}", done.err);
    assert_eq!(task(folder.path(), "a")["deferred"], serde_json::json!([]));
    assert_eq!(task(folder.path(), "b")["deferred"], serde_json::json!(["check:./no-such-checker --strict"]));
}

#[test]
fn a_check_that_keeps_failing_is_not_progress() {
    let folder = folder();
    fs::write(
        folder.path().join("tasks.toml"),
        "[[task]]\nid = \"a\"\ncheck = \"sh -c 'echo 2 failed; exit 1'\"\n",
    )
    .unwrap();
    write_agent(folder.path(), r#"say "surely now, $N" "{\"status\":\"done\",\"work\":[\"fix $N\"]}""#);
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    assert_eq!(recoveries(folder.path(), "a"), ["escalate", "force_next"]);
    assert_eq!(attempted_tasks(folder.path()).len(), 5);
}

#[test]
fn if_no_task_can_be_worked_on_the_run_waits_longer_each_time_and_ends() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(folder.path(), r#"say no '{"status":"blocked","blockers":["x"]}'"#);
    let args = ["--idle", "0.02", "--idle-longest", "0.1", "--set", "task.auto_unblock=false"];
    let done = run_roadmap(folder.path(), &args);
    assert_eq!(done.code, Some(13), "{}", done.err);
    let waits: Vec<&str> = done
        .err
        .lines()
        .filter_map(|line| line.split_once("checking again in "))
        .map(|(_, wait)| wait)
        .collect();
    assert_eq!(waits, ["0.02 s", "0.04 s", "0.08 s", "0.1 s"]);
    assert_eq!(attempted_tasks(folder.path()).len(), 3);
}

#[test]
fn a_human_is_notified_of_every_task_even_if_notifications_are_slow() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[]), ("c", &[])]);
    write_agent(folder.path(), r#"say no '{"status":"blocked","blockers":["x"]}'"#);
    let exec = "sh -c 'sleep 0.7; echo $LOOPBREAK_REASON >> told'";
    let done = run_roadmap(folder.path(), &["--set", "task.auto_unblock=false", "--exec", exec]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    let told = fs::read_to_string(folder.path().join("told")).unwrap();
    let tasks: Vec<&str> = told.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(tasks, ["\"a\"", "\"b\"", "\"c\""], "{told}");
}

#[test]
fn a_task_reopened_by_a_human_during_a_wait_is_attempted() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(
        folder.path(),
        r#"if [ -e fixed ]; then say yes '{"status":"done"}'
        else say no '{"status":"blocked","blockers":["x"]}'; fi"#,
    );
    let mut run = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .args(["run", "--roadmap", "tasks.toml", "--idle", "0.2", "--set", "task.auto_unblock=false"])
        .args(["--", "sh", "agent.sh"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + LONG;
    while attempted_tasks(folder.path()).len() < 3 || task(folder.path(), "a")["escalation"] != "left" {
        assert!(Instant::now() < end, "{}", attempted_line(folder.path()));
        thread::sleep(Duration::from_millis(20));
    }
    fs::write(folder.path().join("fixed"), "").unwrap();
    assert_eq!(run_command(folder.path(), &["tasks", "open", "a"]).code, Some(0));
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(attempted_tasks(folder.path()).len(), 4);
}

#[test]
fn a_task_reopened_between_two_runs_gets_new_attempts() {
    let folder = folder();
    write_roadmap(folder.path(), &[("key", &[]), ("spin", &[])]);
    write_agent(
        folder.path(),
        r#"if [ -e fixed ]; then say yes '{"status":"done"}'
        elif [ $LOOPBREAK_TASK = key ]; then say no '{"status":"blocked","blockers":["x"]}'
        else say no '{"status":"in_progress","work":["x"]}'; fi"#,
    );
    assert_eq!(run_roadmap(folder.path(), &[]).code, Some(13));
    let before = attempted_tasks(folder.path()).len();
    for id in ["key", "spin"] {
        assert_eq!(run_command(folder.path(), &["tasks", "open", id]).code, Some(0));
    }
    fs::write(folder.path().join("fixed"), "").unwrap();
    let done = run_roadmap(folder.path(), &["--resume"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!((before, attempted_tasks(folder.path()).len()), (11, 13));
    assert!(done.err.contains("task key was reopened"), "{}", done.err);
}

#[test]
fn a_resumed_run_continues_where_it_ended_and_a_forced_task_stays_forced() {
    let folder = folder();
    write_roadmap(folder.path(), &[("spin", &[]), ("a", &[]), ("b", &[])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in spin) say tried '{"status":"in_progress","work":["the same"]}';;
        *) say "did $LOOPBREAK_TASK" '{"status":"done"}';; esac"#,
    );
    let first = run_roadmap(folder.path(), &["--max-iterations", "2"]);
    assert_eq!(first.code, Some(11), "{}", first.err);
    let second = run_roadmap(folder.path(), &["--max-iterations", "4", "--resume"]);
    assert_eq!(second.code, Some(11), "{}", second.err);
    assert!(second.err.contains("escalate: 3 attempts at task \"spin\""), "{}", second.err);
    let third = run_roadmap(folder.path(), &["--resume"]);
    assert_eq!(third.code, Some(13), "{}", third.err);
    assert_eq!(attempted_line(folder.path()), "spin spin spin a b spin spin");
    assert_eq!(task(folder.path(), "spin")["forced"], true);
    // Nothing is left to do, and nothing is started.
    let fourth = run_roadmap(folder.path(), &["--resume"]);
    assert_eq!((fourth.code, attempted_tasks(folder.path()).len()), (Some(13), 7), "{}", fourth.err);
    // Without --resume it is a new run, which starts from the beginning.
    let restarted = run_roadmap(folder.path(), &["--max-iterations", "1"]);
    assert_eq!(restarted.code, Some(11), "{}", restarted.err);
    assert_eq!(task(folder.path(), "a")["status"], "pending");
}

#[test]
fn a_task_known_to_loop_is_not_attempted_again() {
    let folder = folder();
    write_roadmap(folder.path(), &[("spin", &[])]);
    write_agent(folder.path(), r#"say tried '{"status":"in_progress","work":["the same"]}'"#);
    let first = run_roadmap(folder.path(), &["--max-iterations", "3", "--set", "task.max_attempts=5"]);
    assert_eq!(first.code, Some(11), "{}", first.err);
    let limits = ["--resume", "--set", "task.max_attempts=2", "--set", "task.force_next_after=3"];
    let second = run_roadmap(folder.path(), &limits);
    assert_eq!(second.code, Some(13), "{}", second.err);
    assert!(second.err.contains("task spin is not attempted again: 3 attempts"), "{}", second.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 3);
}
