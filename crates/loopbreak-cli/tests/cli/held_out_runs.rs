//! `policy.holdout` in live runs: a run that is held out is only observed, by every adapter.

use serde_json::{Value, json};

use crate::support::hooks::HookHome;

/// Every run is held out.
const ALL: &str = "policy.holdout=1";

/// Returns a project in which every run is held out.
fn home() -> HookHome {
    let home = HookHome::new();
    home.configure("[policy]\nholdout = 1.0\n");
    home
}

#[test]
fn a_session_that_is_held_out_is_never_advised_and_never_refused() {
    let home = home();
    let session = home.session("s1");
    session.prompt("make the tests pass");
    for call in 1..=20 {
        assert_eq!(session.propose("make test"), Value::Null, "call {call}");
        assert_eq!(session.finish("make test"), Value::Null, "call {call}");
    }
    let status = home.json(&["status", "--json"]).remove(0);
    assert_eq!(status["runs"][0]["heldOut"], true);
    let loops = status["runs"][0]["loopDetection"].as_object().unwrap();
    assert!(loops.values().any(|found| found["attemptCount"].as_u64().unwrap() >= 8), "{status}");
}

#[test]
fn a_session_that_is_held_out_may_end_its_turns_as_it_likes() {
    let home = home();
    let session = home.session("s1");
    let end_turn = |words: &str, held: bool| {
        let more = json!({"stop_hook_active": held, "last_assistant_message": words});
        home.send(&session.event("Stop", more))
    };
    session.prompt("run the tests");
    assert_eq!(end_turn("The parser is mended. Let me run the tests:", false), Value::Null);
    // Another hook never lets it stop.
    for turn in 1..=12 {
        assert_eq!(end_turn("Done.", true), Value::Null, "turn {turn}");
    }
}

#[cfg(unix)]
mod runner {
    use super::ALL;
    use crate::support::agents::{VARIED, agent, run_with};
    use crate::support::folder;
    use crate::support::roadmaps::{
        attempted_tasks, recoveries, run_roadmap, task, write_agent, write_roadmap,
    };

    const PROMISE: [&str; 4] = ["--set", ALL, "--completion-promise", "ALL DONE"];

    #[test]
    fn a_loop_that_is_held_out_runs_on() {
        let folder = folder();
        let body = agent("cat > prompt; echo 'Fixed auth.ts'; if [ $N = 9 ]; then echo ALL DONE; fi");
        let done = run_with(folder.path(), &[&PROMISE[..], &["--prompt", "fix it"]].concat(), &body);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(done.err.contains("promise printed in iteration 9"), "{}", done.err);
        let prompt = std::fs::read_to_string(folder.path().join("prompt")).unwrap();
        assert_eq!(prompt, "fix it", "no advice is given");
    }

    #[test]
    fn a_loop_that_is_held_out_has_no_time_limit() {
        let folder = folder();
        let body = agent(&format!("{VARIED}; if [ $N = 3 ]; then echo ALL DONE; else sleep 1; fi"));
        let done = run_with(folder.path(), &[&PROMISE[..], &["--max-runtime", "1"]].concat(), &body);
        assert_eq!(done.code, Some(0), "{}", done.err);
    }

    #[test]
    fn a_task_of_a_roadmap_that_is_held_out_is_attempted_until_it_is_done() {
        let folder = folder();
        let folder = folder.path();
        write_roadmap(folder, &[("spin", &[])]);
        write_agent(
            folder,
            r#"if [ $N = 9 ]; then say 'finished' '{"status":"done"}'
            else say 'tried' '{"status":"in_progress","work":["read the config"]}'; fi"#,
        );
        let done = run_roadmap(folder, &["--set", ALL]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(attempted_tasks(folder).len(), 9);
        assert_eq!(
            (&task(folder, "spin")["forced"], &task(folder, "spin")["finished"]),
            (&false.into(), &true.into())
        );
        assert!(recoveries(folder, "spin").is_empty());
    }

    #[test]
    fn tasks_of_a_roadmap_that_is_held_out_may_send_each_other_back() {
        let folder = folder();
        let folder = folder.path();
        write_roadmap(folder, &[("work", &[]), ("review", &["work"])]);
        write_agent(
            folder,
            r#"if [ $LOOPBREAK_TASK = work ]; then say "worked, $N" '{"status":"done"}'
            elif [ $N = 12 ]; then say 'approved' '{"status":"done"}'
            else say "rejected, $N" '{"status":"pending","send_back":["work"]}'; fi"#,
        );
        let done = run_roadmap(folder, &["--set", ALL]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(attempted_tasks(folder).len(), 24);
    }
}
