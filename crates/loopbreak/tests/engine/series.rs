//! The series: tasks over many runs, checked before an attempt and recorded after it, as orchestrators do.
//! Document 003.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{config, step, written};
use loopbreak::{Config, Intervention, Series, Verdict};
use serde_json::{Value, json};

fn record(
    series: &mut Series,
    id: &str,
    status: &str,
    blockers: &[&str],
    work: &[&str],
    tick: i64,
) -> Verdict {
    let attempt = json!({"at": 1_760_825_000_000 + tick * 1000, "task": {
        "id": id, "status": status, "blockers": blockers, "work": work, "session": format!("session_{tick}"),
    }});
    series.observe(&format!("run {tick}"), &step(&attempt))
}

/// Returns a series that only observes, as in the tests of 003: nothing is cleared between recording and
/// checking.
fn watching() -> Series {
    Series::new(config(json!({"task": {"mode": "observe", "unblock_sensitive": true}})))
}

fn check(series: &Series, id: &str) -> Value {
    written(&series.check(id, None))
}

#[test]
fn test_1_of_003_a_completed_task_revisited() {
    let mut series = watching();
    for tick in 0..4 {
        record(&mut series, "T3.4.2", "done", &[], &["Implemented dashboard.tsx"], tick);
    }
    let found = check(&series, "T3.4.2");
    assert_eq!(found["isLooping"], true);
    assert_eq!(found["loopType"], "completed_task_revisit");
    assert_eq!(found["attemptCount"], 4);
    assert_eq!(found["recommendation"], "force_next");
}

#[test]
fn test_2_of_003_a_blocked_task_spins() {
    let mut series = watching();
    for tick in 0..3 {
        record(
            &mut series,
            "T3.4.3",
            "blocked",
            &["critic:design_system unavailable", "missing auth token"],
            &[],
            tick,
        );
    }
    let found = check(&series, "T3.4.3");
    assert_eq!((&found["isLooping"], &found["loopType"]), (&json!(true), &json!("blocked_task_spin")));
    assert_eq!(found["recommendation"], "unblock_authority");
    assert_eq!(
        found["evidence"]["blockers"],
        json!(["critic:design_system unavailable", "missing auth token"])
    );
}

#[test]
fn test_3_of_003_no_progress_is_repeated() {
    let mut series = watching();
    for tick in 0..5 {
        record(&mut series, "T7.1.2", "in_progress", &[], &["Read file A", "Parse config"], tick);
        let recommended = check(&series, "T7.1.2")["recommendation"].clone();
        let expected = [json!(null), json!(null), json!("escalate"), json!("escalate"), json!("force_next")];
        assert_eq!(recommended, expected[tick as usize], "attempt {}", tick + 1);
    }
    let found = check(&series, "T7.1.2");
    assert_eq!((&found["loopType"], &found["attemptCount"]), (&json!("no_progress_repeat"), &json!(5)));
}

#[test]
fn a_task_without_a_loop_is_reported_as_not_looping() {
    let mut series = watching();
    assert_eq!(check(&series, "T0"), json!({"isLooping": false, "attemptCount": 0, "evidence": null}));
    record(&mut series, "T1", "blocked", &["x"], &[], 0);
    record(&mut series, "T1", "blocked", &["x"], &[], 1);
    let found = check(&series, "T1");
    assert_eq!((&found["isLooping"], &found["attemptCount"]), (&json!(false), &json!(2)));
}

#[test]
fn attempts_of_many_runs_are_attempts_at_one_task() {
    let mut series = Series::new(Config::default());
    let mut last = Verdict::default();
    for tick in 0..3 {
        last = record(&mut series, "T3.4.2", "done", &[], &[], tick);
    }
    assert_eq!(last.decisions[0].intervention, Intervention::ForceNext);
    assert_eq!((last.tasks[0].status.as_str(), last.tasks[0].forced), ("done", true));
    assert!(series.was_forced("T3.4.2"));
    assert_eq!(check(&series, "T3.4.2")["attemptCount"], 0, "its history was cleared");
    assert_eq!(written(&last.events[0])["episode_id"], "run 2");
}

#[test]
fn a_check_changes_nothing() {
    let mut series = watching();
    for tick in 0..3 {
        record(&mut series, "T1", "blocked", &["x"], &[], tick);
    }
    let before = written(&series.snapshot());
    assert_eq!(check(&series, "T1"), check(&series, "T1"));
    assert_eq!(written(&series.snapshot()), before);
}

#[test]
fn the_window_ends_at_the_time_of_the_check() {
    let mut series = watching();
    for tick in 0..3 {
        record(&mut series, "T1", "blocked", &["x"], &[], tick);
    }
    let later = |ms: i64| series.check("T1", Some(1_760_825_002_000 + ms)).is_looping;
    assert!(
        later(0) && later(3_598_000) && !later(3_598_001),
        "the first attempt leaves the window an hour after it"
    );
}

#[test]
fn the_status_lists_every_task_with_attempts_and_the_last_time() {
    let mut series = watching();
    record(&mut series, "T3.4.2", "in_progress", &[], &["a"], 0);
    record(&mut series, "T3.4.2", "in_progress", &[], &["b"], 1);
    record(&mut series, "T7.1.2", "blocked", &["x"], &[], 100);
    assert_eq!(
        written(&series.status()),
        json!({
            "T3.4.2": {"attemptCount": 2, "lastAttempt": 1_760_825_001_000_i64},
            "T7.1.2": {"attemptCount": 1, "lastAttempt": 1_760_825_100_000_i64},
        })
    );
}

#[test]
fn attempts_at_other_tasks_do_not_repeat_an_escalation() {
    let mut series = Series::new(config(json!({"task": {"auto_unblock": false}})));
    let mut escalated = 0;
    for tick in 0..4 {
        for task in ["T1", "T2", "T3", "T4", "T5"] {
            let verdict = record(&mut series, task, "blocked", &["no network"], &[], tick);
            escalated += verdict.decisions.len();
        }
    }
    assert_eq!(escalated, 5, "once per task");
}

#[test]
fn authority_is_granted_once_over_all_runs_and_survives_a_restart() {
    let mut series = Series::new(Config::default());
    let mut acts = Vec::new();
    for tick in 0..6 {
        let verdict = record(&mut series, "T1", "blocked", &["x"], &[], tick);
        acts.extend(verdict.decisions.iter().map(|act| act.intervention));
        let state = serde_json::to_string(&series.snapshot()).unwrap();
        series = Series::restore(Config::default(), serde_json::from_str(&state).unwrap());
    }
    assert_eq!(acts, [Intervention::UnblockAuthority, Intervention::Escalate]);
}

/// The check before an attempt and the recovery follow one rule: neither lets an agent go around a missing secret.
#[test]
fn a_series_grants_no_authority_about_a_secret() {
    let mut series = Series::new(Config::default());
    let mut acts = Vec::new();
    for tick in 0..3 {
        let verdict = record(&mut series, "T1", "blocked", &["no signing key"], &[], tick);
        acts.extend(verdict.decisions.iter().map(|act| act.intervention));
    }
    assert_eq!(acts, [Intervention::Escalate]);
    assert_eq!(series.check("T1", None).recommendation, Some(Intervention::Escalate));
}

#[test]
fn a_series_that_is_off_reports_nothing() {
    let mut series = Series::new(config(json!({"task": {"mode": "off"}})));
    for tick in 0..5 {
        assert!(record(&mut series, "T1", "done", &[], &[], tick).findings.is_empty());
    }
    assert!(!series.check("T1", None).is_looping);
}

#[test]
fn a_step_without_a_task_is_ignored() {
    let mut series = Series::new(Config::default());
    let verdict = series.observe("r", &step(&json!({"action": "look", "outcome": {"error": true}})));
    assert_eq!((verdict.turn, verdict.findings.len()), (0, 0));
}

/// Acts like an orchestrator that checks before it starts a task: records, checks, recovers.
fn asked(attempts: &[Value]) -> (Vec<Value>, Series) {
    let mut series = Series::new(Config::default());
    let mut done = Vec::new();
    for attempt in attempts {
        let attempt = step(attempt);
        assert!(series.record(&attempt));
        let id = attempt.task.as_ref().unwrap().id.as_text().into_owned();
        let found = series.check(&id, None);
        let verdict = series.recover("run", &id, None);
        assert!(found.is_looping || verdict.decisions.is_empty());
        for act in &verdict.decisions {
            assert_eq!(found.recommendation, Some(act.intervention));
        }
        assert!(
            series.recover("run", &id, None).decisions.is_empty(),
            "nothing is done twice about one attempt"
        );
        done.push(written(&verdict));
    }
    (done, series)
}

#[test]
fn record_and_recover_give_the_same_verdicts_as_observe() {
    let mut attempts = Vec::new();
    for (id, status, blockers, work) in [
        ("T1", "blocked", vec!["no network"], vec![]),
        ("T2", "done", vec![], vec!["all"]),
        ("T3", "in_progress", vec![], vec!["read A"]),
    ] {
        for tick in 0..14 {
            // Does something else once, so that the loop ends and returns.
            let work = if tick == 7 { vec!["something new"] } else { work.clone() };
            attempts.push(json!({"at": 1000 * tick, "task":
                {"id": id, "status": status, "blockers": blockers, "work": work}}));
        }
    }
    let mut series = Series::new(Config::default());
    let observed: Vec<Value> =
        attempts.iter().map(|attempt| written(&series.observe("run", &step(attempt)))).collect();
    let (done, asked) = asked(&attempts);
    assert_eq!(done, observed);
    assert_eq!(written(&asked.snapshot()), written(&series.snapshot()));
    let acts = done.iter().flat_map(|verdict| verdict["acts"].as_array().unwrap());
    let granted = acts.filter(|act| act["intervention"] == "unblock_authority").count();
    assert_eq!(granted, 1);
}

#[test]
fn recovering_an_unknown_or_healthy_task_does_nothing() {
    let mut series = Series::new(Config::default());
    assert!(series.recover("run", "T9", Some(5)).decisions.is_empty());
    assert!(!series.record(&step(&json!({"action": "look"}))));
    assert!(series.record(&step(&json!({"task": {"id": "T9", "status": "blocked"}}))));
    assert!(series.recover("run", "T9", Some(5)).decisions.is_empty());
    let mut off = Series::new(config(json!({"task": {"mode": "off"}})));
    assert!(!off.record(&step(&json!({"task": {"id": "T9", "status": "blocked"}}))));
}

/// Records an attempt that does one of two old things in turn, so that no task loops by itself.
fn in_turn(series: &mut Series, id: &str, tick: i64) -> Verdict {
    let work: &[&str] = match tick {
        0..3 => &["read", "plan"],
        tick if (tick / 3) % 2 == 0 => &["read"],
        _ => &["plan"],
    };
    record(series, id, "in_progress", &[], work, tick)
}

#[test]
fn tasks_attempted_in_turn_over_many_runs_are_a_cycle() {
    let mut series = Series::new(Config::default());
    let mut acts = Vec::new();
    for (tick, id) in (0..12).zip(["T1", "T2", "T3"].into_iter().cycle()) {
        let verdict = in_turn(&mut series, id, tick);
        acts.extend(verdict.decisions.iter().map(|act| (tick + 1, act.intervention)));
        let state = serde_json::to_string(&series.snapshot()).unwrap();
        series = Series::restore(Config::default(), serde_json::from_str(&state).unwrap());
    }
    assert_eq!(acts, [(6, Intervention::Warn), (12, Intervention::Escalate)]);
    let found = check(&series, "T2");
    assert_eq!((&found["isLooping"], &found["loopType"]), (&json!(true), &json!("task_cycle")));
    assert_eq!(found["recommendation"], "escalate");
    assert_eq!(found["evidence"]["tasks"], json!(["T1", "T2", "T3"]));
    let reason = r#"tasks "T1", "T2", "T3" were attempted in turn for 4 rounds without anything new"#;
    assert_eq!(found["reason"], reason);
    assert_eq!(check(&series, "T9")["isLooping"], false, "another task is not part of it");
    assert!(!series.was_forced("T1") && !series.was_forced("T2"));
}

/// An orchestrator skips a task that loops and applies the recovery. A warning must not make it skip the task for ever.
#[test]
fn a_warning_about_a_cycle_is_due_once_and_does_not_hold_a_task_back() {
    let mut series = Series::new(Config::default());
    for (tick, id) in (0..6).zip(["T1", "T2", "T3"].into_iter().cycle()) {
        let work: &[&str] = if tick < 3 { &["read", "plan"] } else { &["plan"] };
        let attempt = json!({"task": {"id": id, "status": "in_progress", "work": work}});
        assert!(series.record(&step(&attempt)));
    }
    assert_eq!(check(&series, "T1")["recommendation"], "warn");
    assert_eq!(check(&series, "T1"), check(&series, "T1"), "a check changes nothing");
    let verdict = series.recover("run", "T1", None);
    assert_eq!(verdict.decisions[0].intervention, Intervention::Warn);
    for id in ["T1", "T2", "T3"] {
        assert_eq!(check(&series, id)["isLooping"], false, "{id}");
        assert!(series.recover("run", id, None).decisions.is_empty(), "{id}");
    }
}

#[test]
fn attempts_of_a_reopened_task_are_no_part_of_a_cycle() {
    let mut series = Series::new(Config::default());
    for (tick, id) in (0..5).zip(["T1", "T2", "T3"].into_iter().cycle()) {
        in_turn(&mut series, id, tick);
    }
    series.clear_attempts("T1");
    assert!(in_turn(&mut series, "T3", 5).decisions.is_empty());
}

/// Returns the numbers of the send-backs at which a cycle gives a warning and is broken.
fn send_backs(ids: &[&str], config: Config) -> (Option<usize>, Option<usize>) {
    let mut series = Series::new(config);
    let (mut warned, mut broken) = (None, None);
    for number in 1..=40 {
        let (from, to) = (ids[(number - 1) % ids.len()], ids[number % ids.len()]);
        let verdict = series.send_back("r", from, to, None);
        for act in verdict.decisions.iter().filter(|act| act.enforced) {
            let mut all = ids.to_vec();
            all.sort_unstable();
            assert_eq!(act.task.as_deref(), Some(all.join(", ").as_str()), "at {number}");
            assert!(act.reason.starts_with("tasks keep sending each other back: "), "{}", act.reason);
            let at = if act.intervention == Intervention::Escalate { &mut broken } else { &mut warned };
            at.get_or_insert(number);
        }
    }
    (warned, broken)
}

#[test]
fn tasks_that_send_each_other_back_are_a_cycle() {
    assert_eq!(send_backs(&["a", "b"], Config::default()), (Some(4), Some(8)));
    assert_eq!(send_backs(&["T1", "T2", "T3"], Config::default()), (Some(6), Some(12)));
    assert_eq!(send_backs(&["a", "b", "c", "d", "e"], Config::default()), (Some(10), Some(20)));
    let ids = ["1f0c2e9a-7c1d-4f7e-9a55-0c1d2e3f4a5b", "9d8c7b6a-1c1d-4f7e-9a55-aabbccddeeff"];
    assert_eq!(send_backs(&ids, Config::default()), (Some(4), Some(8)));
    assert_eq!(send_backs(&["a", "b"], config(json!({"task": {"cycle_tasks": 0}}))), (None, None));
    assert_eq!(send_backs(&["a", "b"], config(json!({"task": {"mode": "observe"}}))), (None, None));
}

#[test]
fn one_task_that_sends_another_back_needs_twice_as_many_rounds() {
    let mut series = Series::new(Config::default());
    let mut acts = Vec::new();
    for number in 1..=8 {
        let verdict = series.send_back("r", "review", "code", None);
        acts.extend(verdict.decisions.iter().map(|act| (number, act.intervention)));
    }
    assert_eq!(acts, [(4, Intervention::Warn), (8, Intervention::Escalate)]);
}

#[test]
fn many_tasks_that_are_each_sent_back_once_or_twice_are_healthy() {
    let mut series = Series::new(Config::default());
    for number in 0..30 {
        let (review, work) = (format!("review-{number}"), format!("work-{number}"));
        for _ in 0..2 {
            assert!(series.send_back("r", &review, &work, None).findings.is_empty(), "{number}");
        }
    }
}
