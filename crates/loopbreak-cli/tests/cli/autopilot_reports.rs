//! `loopbreak run --roadmap`: reports of agents, failed reports, invalid roadmaps, and endings.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::support::agents::start_and_wait;
use crate::support::roadmaps::{
    attempted_tasks, program, recoveries, run_command, run_roadmap, task, write_agent, write_roadmap,
};
use crate::support::{done, folder, shown};

#[test]
fn an_unreadable_result_file_is_reported_to_the_agent_and_does_not_count() {
    for (write, why) in [
        ("printf '{\"status\":' > $LOOPBREAK_RESULT_FILE", "cannot be read"),
        (
            "echo '{\"status\":\"finito\"}' > $LOOPBREAK_RESULT_FILE",
            "is not one of pending, in_progress, blocked, done",
        ),
        ("head -c 2000000 /dev/zero > $LOOPBREAK_RESULT_FILE", "2000000 bytes"),
        ("mkfifo $LOOPBREAK_RESULT_FILE", "is not a regular file"),
        ("mkdir $LOOPBREAK_RESULT_FILE", "is not a regular file"),
    ] {
        let folder = folder();
        write_roadmap(folder.path(), &[("a", &[])]);
        let body = format!(
            "if [ $N = 1 ]; then echo working; {write}; else grep 'ignored the' prompt.txt > complaint\n\
             say done '{{\"status\":\"done\"}}'; fi"
        );
        write_agent(folder.path(), &body);
        let done = run_roadmap(folder.path(), &[]);
        assert_eq!(done.code, Some(0), "{write}: {}", done.err);
        assert!(done.err.contains(why), "{write}: {}", done.err);
        let complaint = fs::read_to_string(folder.path().join("complaint")).unwrap();
        assert!(complaint.contains("ignored the report on task a: "), "{complaint}");
        assert_eq!(attempted_tasks(folder.path()).len(), 2);
    }
}

#[test]
fn a_command_that_reports_nothing_has_not_finished_its_task() {
    let folder = folder();
    write_roadmap(folder.path(), &[("quiet", &[]), ("wordy", &[])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in quiet) ;;
        wordy) case $N in 1) echo 'read the parser';; 2) echo 'wrote a test';; 3) echo 'fixed the bug in lexer.rs';;
            4) say 'all of it' '{"status":"done"}';; esac;; esac"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    // Silence is not progress; new output is.
    assert_eq!(
        attempted_tasks(folder.path()).join(" "),
        "quiet quiet quiet wordy wordy wordy wordy quiet quiet"
    );
    assert_eq!(recoveries(folder.path(), "quiet"), ["escalate", "force_next"]);
    assert_eq!(task(folder.path(), "wordy")["status"], "done");
}

#[test]
fn a_report_on_an_unknown_task_is_answered_and_does_not_count() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(
        folder.path(),
        r#"if grep -q 'there is no such task' prompt.txt; then say ok '{"task":"a","status":"done"}'
        else say ok '{"task":"zebra","status":"done"}'; fi"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("ignored a report on task \"zebra\": there is no such task"), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 2);
}

#[test]
fn an_echoed_prompt_is_not_a_report() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(
        folder.path(),
        "cat prompt.txt; sed 's/^/> /' prompt.txt; [ $N = 2 ] && say ok '{\"status\":\"done\"}'; true",
    );
    let done = run_roadmap(folder.path(), &["--prompt", "Work, and print LOOPBREAK_RESULT: {} at the end."]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 2);
}

#[test]
fn a_promise_is_a_report_unless_the_command_failed() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in a) echo DONE;;
        b) say "try $N" '{"status":"done"}'; [ $N = 2 ];; esac"#,
    );
    let done = run_roadmap(folder.path(), &["--completion-promise", "DONE"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).join(" "), "a b b");
}

#[test]
fn an_agent_can_report_by_calling_the_program() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[])]);
    let program = assert_cmd::cargo::cargo_bin!("loopbreak").display().to_string();
    write_agent(
        folder.path(),
        &format!(
            "case $LOOPBREAK_TASK in\n\
             a) mkdir -p elsewhere; cd elsewhere; {program} tasks done \"$LOOPBREAK_TASK\"; {program} tasks add c --after a;;\n\
             *) echo \"$LOOPBREAK_TASK_TITLE\"; {program} tasks done \"$LOOPBREAK_TASK\";; esac"
        ),
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).join(" "), "a b c");
    assert!(done.out.contains("The b\n"), "{}", done.out);
    assert_eq!(task(folder.path(), "a")["attempts"], 1);
}

#[test]
fn a_task_is_checked_however_it_was_reported_done() {
    let folder = folder();
    fs::write(folder.path().join("tasks.toml"), "[[task]]\nid = \"a\"\ncheck = \"test -e good\"\n").unwrap();
    let program = assert_cmd::cargo::cargo_bin!("loopbreak").display().to_string();
    write_agent(
        folder.path(),
        &format!("[ $N = 2 ] && touch good; {program} tasks done a --reason \"try $N\""),
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 2, "{}", done.err);
}

#[test]
fn secrets_in_reports_are_not_stored() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(
        folder.path(),
        r#"say no '{"status":"blocked","blockers":["key sk-abcdefghijklmnopqrstuvwxyz123456 refused"],
        "work":["used sk-abcdefghijklmnopqrstuvwxyz123456"],"reason":"sk-abcdefghijklmnopqrstuvwxyz123456"}'"#,
    );
    assert_eq!(run_roadmap(folder.path(), &["--max-iterations", "2"]).code, Some(11));
    for file in ["loopbreak.db", "loopbreak.db-wal"] {
        let bytes = fs::read(folder.path().join("state/loopbreak").join(file)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("sk-abcdefghijklmnop"), "{file}");
    }
}

#[test]
fn output_of_the_agent_cannot_imitate_messages_of_loopbreak() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    let report = r#"{"status":"blocked","blockers":["x\nloopbreak: ok"],"reason":"y\nloopbreak: ok"}"#;
    write_agent(folder.path(), &format!("say no '{report}'"));
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    assert!(done.err.contains("loopbreak: ok") && !done.err.contains("\nloopbreak: ok"), "{}", done.err);
}

#[test]
fn the_roadmap_is_worked_through_without_a_store() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &["a"]), ("spin", &[])]);
    write_agent(folder.path(), r#"[ $LOOPBREAK_TASK = spin ] || say ok '{"status":"done"}'"#);
    let run = done(
        crate::support::loopbreak(folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .args(["run", "--roadmap", "tasks.toml", "--", "sh", "agent.sh"]),
    );
    assert_eq!(run.code, Some(13), "{}", run.err);
    assert!(run.err.contains("this run is not recorded"), "{}", run.err);
    assert_eq!(attempted_tasks(folder.path()).join(" "), "a b spin spin spin spin spin");
}

#[test]
fn a_report_stored_by_another_source_counts() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(folder.path(), "touch up; while [ ! -e go ]; do sleep 0.02; done; echo something");
    let mut run = start_and_wait(
        folder.path(),
        &["run", "--roadmap", "tasks.toml", "--idle", "0", "--", "sh", "agent.sh"],
    );
    // Like a server that stores attempts under the session it was given.
    let store = rusqlite::Connection::open(folder.path().join("state/loopbreak/loopbreak.db")).unwrap();
    store
        .execute_batch(
            "INSERT INTO runs (source, session, agent, folder, started, day)
                SELECT 'mcp', session, '', '', started, day FROM runs;
             INSERT INTO guards SELECT max(id), 0, NULL, 0, NULL FROM runs;
             INSERT INTO attempts SELECT max(id), 'a', 1, 9000000000000, 'done', '[]', '[\"all\"]', 's' FROM runs;",
        )
        .unwrap();
    drop(store);
    fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
}

#[test]
fn an_agent_that_keeps_working_on_a_closed_task_ends_with_10() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[])]);
    write_agent(folder.path(), r#"say "a is done, $N" '{"task":"a","status":"done"}'"#);
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(10), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 6, "three attempts, and three more after it was closed");
    assert_eq!(
        (&task(folder.path(), "a")["forced"], &task(folder.path(), "b")["status"]),
        (&true.into(), &"pending".into())
    );
}

#[test]
fn a_command_that_fails_on_every_task_ends_with_12_and_one_bad_task_does_not() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[]), ("c", &[])]);
    write_agent(folder.path(), "echo \"boom $N\" >&2; exit 3");
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(12), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()).len(), 6);
    let one = crate::support::folder();
    write_roadmap(one.path(), &[("a", &[]), ("b", &[])]);
    write_agent(one.path(), "[ $LOOPBREAK_TASK = a ] && exit 3; say ok '{\"status\":\"done\"}'");
    let done = run_roadmap(one.path(), &[]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    assert_eq!(attempted_tasks(one.path()).join(" "), "a a a b a a");
}

#[test]
fn limits_apply_to_each_task() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[])]);
    write_agent(folder.path(), r#"say "on it" "{\"status\":\"in_progress\",\"work\":[\"part $N\"]}""#);
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!((done.code, attempted_tasks(folder.path()).len()), (Some(11), 20), "{}", done.err);
}

#[test]
fn observe_mode_closes_no_task() {
    let folder = folder();
    write_roadmap(folder.path(), &[("spin", &[])]);
    write_agent(folder.path(), r#"say "try $N of it" '{"status":"in_progress","work":["the same"]}'"#);
    let done = run_roadmap(folder.path(), &["--set", "task.mode=observe", "--max-iterations", "7"]);
    assert_eq!((done.code, attempted_tasks(folder.path()).len()), (Some(11), 7), "{}", done.err);
    let spin = task(folder.path(), "spin");
    assert_eq!((&spin["forced"], &spin["escalation"]), (&false.into(), &"none".into()));
}

#[test]
fn an_interrupt_ends_with_130_and_keeps_the_task() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(folder.path(), "[ $N = 1 ] && { touch up; sleep 7655.1; }; say ok '{\"status\":\"done\"}'");
    let mut run = start_and_wait(folder.path(), &["run", "--roadmap", "tasks.toml", "--", "sh", "agent.sh"]);
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(task(folder.path(), "a")["status"], "pending");
    let again = run_roadmap(folder.path(), &["--resume"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
}

#[test]
fn problems_of_a_roadmap_are_reported_with_their_lines_and_nothing_is_started() {
    let folder = folder();
    write_agent(folder.path(), "touch started");
    let wrong = [
        (
            "circle",
            "[[task]]\nid = \"api\"\nafter = [\"docs\"]\n\n[[task]]\nid = \"docs\"\nafter = [\"api\"]\n",
        ),
        ("twice", "[[task]]\nid = \"api\"\n\n[[task]]\nid = \"api\"\n"),
        ("unknown", "[[task]]\nid = \"api\"\ntitel = \"Write it\"\nafter = [\"x\"]\n"),
        ("syntax", "[[task]]\nid = \n"),
    ];
    let mut all = String::new();
    for (name, text) in wrong {
        fs::write(folder.path().join("tasks.toml"), text).unwrap();
        let done = run_roadmap(folder.path(), &[]);
        assert_eq!(done.code, Some(2));
        writeln!(all, "# {name}\n{}", shown(&done)).unwrap();
    }
    insta::assert_snapshot!(all);
    assert!(!folder.path().join("started").exists());
    fs::remove_file(folder.path().join("tasks.toml")).unwrap();
    let missing = run_roadmap(folder.path(), &[]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("--roadmap tasks.toml: "), "{}", missing.err);
}

#[test]
fn tasks_can_be_listed_added_and_changed_and_wrong_input_is_refused() {
    let folder = folder();
    let none = run_command(folder.path(), &["tasks", "list"]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("no roadmap found for this folder"), "{}", none.err);
    write_roadmap(folder.path(), &[("api", &[]), ("docs", &["api"])]);
    write_agent(folder.path(), r#"say ok '{"status":"blocked","blockers":["no key"]}'"#);
    let run = run_roadmap(folder.path(), &["--max-iterations", "1"]);
    assert_eq!(run.code, Some(11), "{}", run.err);
    let code = |args: &[&str]| {
        let told = run_command(folder.path(), &[&["tasks"], args].concat());
        (told.code, told.err)
    };
    assert_eq!(code(&["add", "ship", "--title", "Ship it", "--after", "docs"]).0, Some(0));
    for (args, why) in [
        (&["add", "ship"][..], "task \"ship\" already exists"),
        (&["add", "x", "--after", "y"], "--after: task \"y\" not found"),
        (&["add", " "], "invalid task id"),
        (&["add", "x", "--check", "it's"], "--check"),
        (&["done", "apj"], "did you mean api?"),
        (&["show", "nothing-like-it"], "`loopbreak tasks list` lists the tasks"),
        (&["list", "--run", "zzz"], "no run \"zzz\" with tasks found"),
    ] {
        let (code, err) = code(args);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(err.contains(why), "{why}: {err}");
    }
    assert_eq!(code(&["done", "api", "--reason", "by hand"]).0, Some(0));
    assert!(
        code(&["block", "api", "--by", "x"]).1.contains("reopen it first with `loopbreak tasks open api`")
    );
    assert_eq!(code(&["block", "docs", "--by", "no printer"]).0, Some(0));
    let shown = [&["list"][..], &["list", "--tree"], &["show", "api"]];
    let shown = shown.map(|args| run_command(folder.path(), &[&["tasks"], args].concat()).out);
    insta::assert_snapshot!(shown.join("----\n"));
    assert_eq!(code(&["open", "api"]).0, Some(0));
    assert_eq!(task(folder.path(), "api")["status"], "pending");
    // A run that has ended stays ended when its tasks are changed.
    assert!(run_command(folder.path(), &["status", "--all"]).out.contains("), 1 turn,"));
    // From another folder, the run is found by its name.
    let elsewhere = crate::support::folder();
    let name = run.err.split_once("loopbreak: run ").unwrap().1.split_whitespace().next().unwrap();
    let mut list = program(folder.path());
    let listed = done(list.current_dir(elsewhere.path()).args(["tasks", "list", "--run", &name[..6]]));
    assert_eq!(listed.code, Some(0), "{}", listed.err);
}
