//! `loopbreak run --roadmap` and `loopbreak tasks`: concurrent changes of tasks.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::agents::start_and_wait;
use crate::support::folder;
use crate::support::roadmaps::{
    LONG, attempted_tasks, run_command, run_roadmap, task, write_agent, write_roadmap,
};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{RunChange, RunKey, RunRecords, StoreUrl, StoredAttempt, now, open};

/// Long enough for a command to read everything that it reads before it waits for the lock.
const LOCK_DELAY: Duration = Duration::from_millis(500);

/// Writes a roadmap with one task `a` and this check.
fn write_checked_task(folder: &Path, check: &str) {
    fs::write(folder.join("tasks.toml"), "[[task]]\nid = \"a\"\ncheck = \"sh check.sh\"\n").unwrap();
    fs::write(folder.join("check.sh"), check).unwrap();
    write_agent(folder, r#"say "try $N" '{"status":"done"}'"#);
}

/// Returns the path of the program for scripts.
fn program() -> String {
    assert_cmd::cargo::cargo_bin!("loopbreak").display().to_string()
}

#[test]
fn a_task_finished_by_a_human_during_its_check_stays_finished() {
    let folder = folder();
    write_checked_task(
        folder.path(),
        &format!("{} tasks done a --reason 'I looked at it'; exit 1", program()),
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()), ["a"]);
    assert_eq!(task(folder.path(), "a")["reason"], "I looked at it");
    assert!(done.err.contains("task a was changed elsewhere; that change is kept"), "{}", done.err);
}

#[test]
fn a_task_reopened_by_a_human_during_its_check_is_attempted_again() {
    let folder = folder();
    let open = format!("[ -e opened ] || {} tasks open a --reason 'not yet'; touch opened", program());
    write_checked_task(folder.path(), &open);
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()), ["a", "a"]);
    assert!(done.err.contains("task a was reopened"), "{}", done.err);
}

/// Creates a run that has ended, with an open task `a`.
fn create_ended_run(folder: &Path) {
    write_roadmap(folder, &[("a", &[])]);
    write_agent(folder, r#"say no '{"status":"in_progress","work":["a part of it"]}'"#);
    assert_eq!(run_roadmap(folder, &["--max-iterations", "1"]).code, Some(11));
}

/// Runs `loopbreak tasks` with these arguments while another process is about to change `a`.
fn change_during_command(
    folder: &Path,
    args: &[&str],
    change: impl FnOnce(&mut RoadmapTask) + Send,
) -> crate::support::FinishedProgram {
    let (locked, is_locked) = channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut store = open(&StoreUrl::from(folder.join("state/loopbreak/loopbreak.db"))).unwrap();
            let run = store.runs(0, 1).unwrap().remove(0);
            let transaction = store.begin(&run.key(), "", now()).unwrap();
            let mut tasks = transaction.roadmap().unwrap();
            locked.send(()).unwrap();
            thread::sleep(LOCK_DELAY);
            change(&mut tasks[0]);
            let records = RunRecords { roadmap: vec![tasks.swap_remove(0)], ..RunRecords::default() };
            transaction.commit(RunChange { records, ..RunChange::default() }).unwrap();
        });
        is_locked.recv().unwrap();
        run_command(folder, &[&["tasks"], args].concat())
    })
}

#[test]
fn concurrent_changes_of_a_task_are_not_lost() {
    let folder = folder();
    create_ended_run(folder.path());
    let done = change_during_command(folder.path(), &["done", "a"], |task| {
        task.deferred.push("critic:style".to_owned());
    });
    assert_eq!(done.code, Some(0), "{}", done.err);
    let a = task(folder.path(), "a");
    assert_eq!((&a["status"], &a["deferred"]), (&"done".into(), &serde_json::json!(["critic:style"])));
}

#[test]
fn a_task_finished_at_the_same_moment_is_not_blocked() {
    let folder = folder();
    create_ended_run(folder.path());
    let blocked = change_during_command(folder.path(), &["block", "a", "--by", "no token"], |task| {
        task.finish("by another", 5);
    });
    assert_eq!(blocked.code, Some(2), "{}", blocked.err);
    assert!(blocked.err.contains("task \"a\" is done"), "{}", blocked.err);
    assert_eq!(task(folder.path(), "a")["status"], "done");
}

#[test]
fn two_tasks_added_concurrently_are_both_stored() {
    let folder = folder();
    create_ended_run(folder.path());
    thread::scope(|scope| {
        for id in ["b", "c", "d"] {
            let path = folder.path();
            scope.spawn(move || {
                let added = run_command(path, &["tasks", "add", id, "--after", "a"]);
                assert_eq!(added.code, Some(0), "{}", added.err);
            });
        }
    });
    let mut places: Vec<u64> =
        ["a", "b", "c", "d"].map(|id| task(folder.path(), id)["position"].as_u64().unwrap()).into();
    places.sort_unstable();
    assert_eq!(places, [1, 2, 3, 4]);
}

#[test]
fn a_report_over_mcp_counts_once_whatever_its_time() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(folder.path(), "touch up up-$N; while [ ! -e go-$N ]; do sleep 0.02; done; echo \"try $N\"");
    let args = ["run", "--roadmap", "tasks.toml", "--idle", "0", "--max-iterations", "3"];
    let mut run = start_and_wait(folder.path(), &[&args[..], &["--", "sh", "agent.sh"]].concat());
    let mut store = open(&StoreUrl::from(folder.path().join("state/loopbreak/loopbreak.db"))).unwrap();
    let key = RunKey { source: "mcp".to_owned(), ..store.runs(0, 1).unwrap().remove(0).key() };
    // The second attempt reports nothing. The report of the first one does not count again.
    for (number, report) in [(1, Some("blocked")), (2, None), (3, Some("done"))] {
        let end = Instant::now() + LONG;
        while !folder.path().join(format!("up-{number}")).exists() {
            assert!(Instant::now() < end, "attempt {number} did not begin");
            thread::sleep(Duration::from_millis(20));
        }
        // A model does not know the time.
        let attempt = |status: &str| StoredAttempt {
            task: "a".into(),
            at: 1_000,
            status: status.into(),
            ..StoredAttempt::default()
        };
        let records =
            RunRecords { attempts: report.map(attempt).into_iter().collect(), ..RunRecords::default() };
        let transaction = store.begin(&key, "", now()).unwrap();
        transaction.commit(RunChange { records, ..RunChange::default() }).unwrap();
        fs::write(folder.path().join(format!("go-{number}")), "").unwrap();
    }
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let shown = run_command(folder.path(), &["tasks", "show", "a", "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let stood: Vec<&str> =
        shown["attempts"].as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(stood, ["blocked", "in_progress", "done"]);
}

#[test]
fn edits_of_the_roadmap_during_a_run_are_applied() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &["a"])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in a)
            sed 's/The b/The better b/' tasks.toml > new.toml
            printf '[[task]]\nid = "c"\nafter = ["a"]\ndetails = "All of it."\n' >> new.toml
            mv new.toml tasks.toml;; esac
        say 'did it' '{"status":"done"}'"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()), ["a", "b", "c"]);
    assert!(done.err.contains("the roadmap was edited: 3 tasks, 1 of them new"), "{}", done.err);
    let prompt = |id: &str| fs::read_to_string(folder.path().join(format!("prompt-{id}.txt"))).unwrap();
    assert!(prompt("b").contains("b - The better b") && prompt("c").contains("All of it."));
    assert_eq!(task(folder.path(), "a")["status"], "done", "how a task stands is what was kept");
}

#[test]
fn an_invalid_edit_is_reported_once_and_the_old_roadmap_is_kept() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[]), ("c", &[])]);
    write_agent(
        folder.path(),
        r#"case $LOOPBREAK_TASK in a) printf '[[task]]\nidd = "d"\n' >> tasks.toml;; c) rm tasks.toml;; esac
        [ $LOOPBREAK_TASK = c ] && [ $N = 1 ] || say 'did it' '{"status":"done"}'"#,
    );
    let done = run_roadmap(folder.path(), &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(attempted_tasks(folder.path()), ["a", "b", "c", "c"]);
    let count = |text: &str| done.err.matches(text).count();
    assert_eq!(count("the roadmap has 2 problems; continuing with the last one"), 1, "{}", done.err);
    assert_eq!(
        (count("did you mean id?"), count("--roadmap tasks.toml: No such file")),
        (1, 1),
        "{}",
        done.err
    );
}

#[test]
fn tasks_lost_by_the_store_during_an_attempt_are_kept_by_the_run() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[]), ("b", &[]), ("c", &[])]);
    write_agent(
        folder.path(),
        "touch up; while [ ! -e go ]; do sleep 0.02; done; say \"did $LOOPBREAK_TASK\" '{\"status\":\"done\"}'",
    );
    let mut run = start_and_wait(
        folder.path(),
        &["run", "--roadmap", "tasks.toml", "--idle", "0", "--", "sh", "agent.sh"],
    );
    // This happens to a run without events for more than an hour in a store above its size limit.
    let store = rusqlite::Connection::open(folder.path().join("state/loopbreak/loopbreak.db")).unwrap();
    let gone = ["events", "tasks", "roadmap", "attempts", "context_entries", "recoveries", "guards", "runs"];
    let gone = gone.map(|table| format!("DELETE FROM {table};")).concat();
    store.execute_batch(&gone).unwrap();
    drop(store);
    fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(attempted_tasks(folder.path()), ["a", "b", "c"]);
    for id in ["a", "b", "c"] {
        assert_eq!(task(folder.path(), id)["status"], "done", "{id}");
    }
}
