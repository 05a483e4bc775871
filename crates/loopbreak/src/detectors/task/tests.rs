//! `task`: the three patterns and their recoveries, inside one run. Document 003.

use crate::steps::{RunDriver, config, config_of, text_for};
use crate::verdict::Audience;
use crate::{DetectorName, Intervention, Pattern, Severity};
use serde_json::{Value, json};

const TASK: DetectorName = DetectorName::Task;
use Intervention::{Escalate, ForceNext, UnblockAuthority};

fn attempt(id: &str, status: &str, blockers: &[&str], work: &[&str]) -> Value {
    json!({"task": {"id": id, "status": status, "blockers": blockers, "work": work}})
}

fn blocked(blockers: &[&str]) -> Value {
    attempt("T3.4.3", "blocked", blockers, &[])
}

fn same_work() -> Value {
    attempt("T7.1.2", "in_progress", &[], &["Read file A", "Parse config"])
}

#[test]
fn a_done_task_that_is_attempted_again_leads_to_force_next() {
    let mut run = RunDriver::new();
    run.repeat(2, &attempt("T3.4.2", "done", &[], &["Implemented dashboard.tsx"]));
    assert!(run.findings(TASK).is_empty());
    let verdict = run.see(&attempt("T3.4.2", "done", &[], &["Implemented dashboard.tsx"]));
    let finding = &verdict.findings[0];
    assert_eq!((finding.pattern, finding.severity), (Pattern::CompletedTaskRevisit, Severity::Hard));
    assert_eq!((finding.intervention, finding.count, finding.since), (Some(ForceNext), 3, 1));
    assert!(run.guard.was_forced("T3.4.2"));
}

#[test]
fn a_revisit_of_a_done_task_does_not_need_identical_work() {
    let mut run = RunDriver::new();
    for work in ["Checking if task complete", "Verifying implementation", "Running final checks"] {
        run.see(&attempt("T3.4.2", "done", &[], &[work]));
    }
    assert_eq!(run.decisions(TASK), [(3, ForceNext)]);
}

#[test]
fn completed_means_done() {
    let mut run = RunDriver::new();
    for status in ["done", "completed", "Done"] {
        run.see(&attempt("T1", status, &[], &[]));
    }
    assert_eq!(run.findings(TASK)[0].pattern, "completed_task_revisit");
}

#[test]
fn the_same_blockers_three_times_grant_authority() {
    let mut run = RunDriver::new();
    let verdict = run.repeat(3, &blocked(&["critic:design_system unavailable"]));
    assert_eq!(verdict.findings[0].pattern, "blocked_task_spin");
    assert_eq!(run.decisions(TASK), [(3, UnblockAuthority)]);
}

#[test]
fn the_order_of_blockers_does_not_matter() {
    let mut run = RunDriver::new();
    run.see(&blocked(&["no network", "no critic"]));
    run.see(&blocked(&["no critic", "no network"]));
    run.see(&blocked(&["no critic", "no network", "no network"]));
    assert_eq!(run.decisions(TASK), [(3, UnblockAuthority)]);
}

#[test]
fn other_blockers_are_not_the_same_loop() {
    let mut run = RunDriver::new();
    for blocker in ["a", "b", "c", "a", "b", "c"] {
        run.see(&blocked(&[blocker]));
    }
    assert!(run.findings(TASK).is_empty());
}

#[test]
fn authority_is_granted_once_and_three_more_attempts_escalate() {
    let mut run = RunDriver::new();
    run.repeat(12, &blocked(&["no network"]));
    // Granted at 3. The history is cleared, so 6 is the third new attempt, and 8 is the fifth.
    assert_eq!(run.decisions(TASK), [(3, UnblockAuthority), (6, Escalate), (8, Escalate)]);
    let escalation = &run.events("escalation")[0];
    assert_eq!((&escalation["task_id"], &escalation["turn"]), (&json!("T3.4.3"), &json!(6)));
}

/// An agent must not go around what somebody kept for themselves: it gets no authority, and a human is asked at once.
#[test]
fn no_authority_is_granted_about_secrets_signatures_payments_and_approvals() {
    for blocker in
        ["no signing key", "missing API token", "payment required", "needs approval of the security team"]
    {
        let mut run = RunDriver::new();
        let verdict = run.repeat(3, &blocked(&["file is locked", blocker]));
        assert_eq!(verdict.tasks[0].status.as_str(), "blocked");
        assert_eq!(run.decisions(TASK), [(3, Escalate)], "{blocker}");
        let mut run = RunDriver::with(config(json!({"task": {"unblock_sensitive": true}})));
        run.repeat(3, &blocked(&["file is locked", blocker]));
        assert_eq!(run.decisions(TASK), [(3, UnblockAuthority)], "{blocker}");
    }
    for blocker in ["file is locked", "keyboard layout", "design of the sign-up page"] {
        let mut run = RunDriver::new();
        run.repeat(3, &blocked(&[blocker]));
        assert_eq!(run.decisions(TASK), [(3, UnblockAuthority)], "{blocker}");
    }
}

/// The word that matters may be behind the part of a blocker that is kept for display, or in one of many blockers.
#[test]
fn a_sensitive_word_counts_wherever_it_is_in_the_blockers() {
    let long = format!("{} needs a password", "the deployment of the new service ".repeat(20));
    let mut run = RunDriver::new();
    run.repeat(3, &blocked(&["a", "b", "c", "d", "e", "f", &long]));
    assert_eq!(run.decisions(TASK), [(3, Escalate)]);
}

#[test]
fn the_documents_grant_authority_about_a_missing_token() {
    let mut run = RunDriver::with(config_of(crate::Profile::Documents, json!({})));
    run.repeat(3, &blocked(&["missing auth token"]));
    assert_eq!(run.decisions(TASK), [(3, UnblockAuthority)]);
}

#[test]
fn without_auto_unblock_the_task_is_escalated_at_once() {
    let mut run = RunDriver::with(config(json!({"task": {"auto_unblock": false}})));
    let verdict = run.repeat(3, &blocked(&["no network"]));
    assert_eq!(verdict.decisions[0].intervention, Escalate);
    assert_eq!((verdict.tasks[0].status.as_str(), verdict.tasks[0].forced), ("blocked", false));
}

#[test]
fn no_progress_escalates_at_3_and_forces_the_next_task_at_5() {
    let mut run = RunDriver::new();
    run.repeat(5, &same_work());
    assert_eq!(run.decisions(TASK), [(3, Escalate), (5, ForceNext)]);
    let last = run.verdicts.last().unwrap();
    assert_eq!((last.findings[0].pattern, last.findings[0].count), (Pattern::NoProgressRepeat, 5));
    assert!(run.guard.was_forced("T7.1.2"));
}

#[test]
fn empty_work_equals_empty_work() {
    let mut run = RunDriver::new();
    run.repeat(3, &attempt("T1", "in_progress", &[], &[]));
    assert_eq!(run.findings(TASK)[0].pattern, "no_progress_repeat");
}

#[test]
fn growing_work_is_not_a_loop_even_with_a_constant_blocker() {
    let mut run = RunDriver::new();
    for turn in 0..10 {
        run.see(&attempt("T1", "blocked", &["no network"], &["read config", &format!("part {turn}")]));
        run.see(&attempt("T2", "in_progress", &[], &[&format!("part {turn}")]));
    }
    assert!(run.findings(TASK).is_empty());
}

#[test]
fn work_that_only_alternates_between_old_items_has_not_grown() {
    let mut run = RunDriver::new();
    for work in ["a", "b", "a", "b", "a"] {
        run.see(&attempt("T1", "blocked", &["no network"], &[work]));
    }
    assert_eq!(run.findings(TASK)[0].pattern, "blocked_task_spin");
    assert_eq!(run.findings(TASK)[0].turn, 4, "b at turn 2 was new");
}

#[test]
fn a_changed_status_is_not_a_loop() {
    let mut run = RunDriver::new();
    for status in ["pending", "in_progress", "blocked", "pending", "in_progress", "blocked"] {
        run.see(&attempt("T1", status, &["no network"], &[]));
    }
    assert!(run.findings(TASK).is_empty());
}

#[test]
fn attempts_count_inside_the_window_only() {
    let hour = 3_600_000;
    let play = |times: [i64; 3]| {
        let mut run = RunDriver::new();
        for at in times {
            run.see(&json!({"at": at, "task": {"id": "T1", "status": "blocked", "blockers": ["x"]}}));
        }
        run.findings(TASK).len()
    };
    assert_eq!(play([0, 1, hour]), 1, "the window itself counts");
    assert_eq!(play([0, 1, hour + 1]), 0, "the first is out");
    assert_eq!(play([0, 2 * hour, 1]), 0, "the first stays out when the clock is set back");
    assert_eq!(play([hour, hour + 1, 2]), 1, "time that goes backwards is not counted");
}

#[test]
fn without_times_every_attempt_is_inside_the_window() {
    let mut run = RunDriver::new();
    run.see(&blocked(&["x"]));
    run.repeat(500, &json!({"action": "think"}));
    run.see(&blocked(&["x"]));
    run.repeat(500, &json!({"action": "think"}));
    run.see(&blocked(&["x"]));
    assert_eq!(run.decisions(TASK).len(), 1);
}

#[test]
fn a_step_that_only_names_its_task_is_not_an_attempt() {
    let mut run = RunDriver::new();
    run.repeat(20, &json!({"action": "edit", "task": {"id": "T1"}}));
    assert!(run.findings(TASK).is_empty());
}

#[test]
fn tasks_are_judged_separately() {
    let mut run = RunDriver::new();
    for _ in 0..2 {
        for id in ["T1", "T2", "T3", "T4"] {
            run.see(&attempt(id, "blocked", &["no network"], &[]));
        }
    }
    assert!(run.findings(TASK).is_empty());
    run.see(&attempt("T2", "blocked", &["no network"], &[]));
    assert_eq!(run.findings(TASK)[0].evidence.get("task"), Some(&json!("T2").into()));
}

#[test]
fn steps_between_two_attempts_do_not_repeat_an_escalation() {
    let mut run = RunDriver::with(config(json!({"task": {"auto_unblock": false}})));
    for _ in 0..4 {
        run.repeat(6, &json!({"action": "think"}));
        run.see(&blocked(&["no network"]));
    }
    assert_eq!(
        run.decisions(TASK).len(),
        1,
        "the fourth attempt is not worse than the third: {:?}",
        run.decisions(TASK)
    );
}

#[test]
fn a_new_loop_of_a_task_that_made_progress_is_handled_again() {
    let mut run = RunDriver::with(config(json!({"task": {"auto_unblock": false}})));
    run.repeat(3, &blocked(&["no network"]));
    run.repeat(3, &blocked(&["no disk"]));
    assert_eq!(run.decisions(TASK), [(3, Escalate), (6, Escalate)]);
}

#[test]
fn limits_can_be_set() {
    let patch = json!({"task": {"max_attempts": 2, "force_next_after": 3}});
    let mut run = RunDriver::with(config(patch));
    run.repeat(3, &same_work());
    assert_eq!(run.decisions(TASK), [(2, Escalate), (3, ForceNext)]);
    let patch = json!({"task": {"max_attempts": 5, "force_next_after": 8, "auto_unblock": false}});
    let mut run = RunDriver::with(config(patch));
    run.repeat(8, &same_work());
    assert_eq!(run.decisions(TASK), [(5, Escalate), (8, ForceNext)]);
}

#[test]
fn a_forced_task_is_marked_as_forced_and_not_as_finished() {
    let mut run = RunDriver::new();
    let verdict = run.repeat(5, &same_work());
    let update = &verdict.tasks[0];
    assert_eq!((update.id.as_str(), update.status.as_str(), update.forced), ("T7.1.2", "done", true));
    assert!(update.reason.contains("5 attempts at task \"T7.1.2\" did the same work"), "{}", update.reason);
}

#[test]
fn recoveries_leave_entries_under_the_documented_topics() {
    let topics = |verdict: &crate::Verdict| {
        verdict.context.iter().map(|entry| entry.topic.as_str()).collect::<Vec<_>>()
    };
    let mut run = RunDriver::new();
    assert_eq!(topics(run.repeat(3, &blocked(&["x"]))), ["loop_recovery", "unblock_authority"]);
    assert_eq!(topics(run.repeat(3, &blocked(&["x"]))), ["loop_recovery", "loop_escalation"]);
    let mut run = RunDriver::new();
    let done = attempt("T3.4.2", "done", &[], &[]);
    assert_eq!(topics(run.repeat(3, &done)), ["loop_recovery", "loop_recovery_directive"]);
    let entry = crate::steps::written(&run.verdicts[2].context[0]);
    assert_eq!(entry["related_tasks"], json!(["T3.4.2"]));
}

#[test]
fn authority_is_scoped_to_the_task_and_its_blockers() {
    let mut run = RunDriver::new();
    let verdict = run.repeat(3, &blocked(&["no network"]));
    let grant = crate::steps::written(&verdict.context[1]);
    assert_eq!(grant["metadata"]["scope"], json!({"task": "T3.4.3", "blockers": ["no network"]}));
    assert_eq!(grant["related_tasks"], json!(["T3.4.3"]));
    let text = text_for(&verdict.advice, Audience::Agent, TASK);
    assert!(text.contains("For this task and these blockers only"), "{text}");
    // Other blockers of the same task, and the same blockers of another task, are granted separately.
    run.repeat(3, &blocked(&["no disk"]));
    run.repeat(3, &attempt("T9", "blocked", &["no network"], &[]));
    assert!(run.decisions(TASK).iter().all(|(_, act)| *act == UnblockAuthority));
}

#[test]
fn the_evidence_has_times_status_blockers_and_sessions_of_every_attempt() {
    let mut run = RunDriver::new();
    for at in 0..3 {
        run.see(&json!({"at": 1000 + at, "task": {"id": "T1", "status": "blocked", "blockers": ["x"], "session": format!("session_{at}")}}));
    }
    let evidence = crate::steps::written(&run.findings(TASK)[0].evidence);
    assert_eq!(evidence["blockers"], json!(["x"]));
    assert_eq!(
        evidence["attempts"][2],
        json!({"turn": 3, "at": 1002, "status": "blocked", "session": "session_2"})
    );
    assert_eq!(evidence["attempts"].as_array().unwrap().len(), 3);
    assert_eq!(run.verdicts[2].context[0].timestamp, Some(1002));
}

#[test]
fn observe_mode_grants_nothing_and_marks_nothing() {
    let mut run = RunDriver::with(config(json!({"task": {"mode": "observe"}})));
    run.repeat(3, &blocked(&["x"]));
    run.repeat(3, &attempt("T3.4.2", "done", &[], &[]));
    assert_eq!(run.findings(TASK).len(), 2);
    for verdict in &run.verdicts {
        assert!(verdict.decisions.iter().all(|act| !act.enforced));
        assert!(verdict.context.is_empty() && verdict.tasks.is_empty() && verdict.advice.is_empty());
    }
    assert!(!run.guard.was_forced("T3.4.2"));
}

#[test]
fn without_force_next_or_authority_the_task_is_escalated() {
    let patch = json!({"policy": {"ladder": {"force_next": false, "unblock_authority": false}}});
    let mut run = RunDriver::with(config(patch));
    run.repeat(3, &attempt("T3.4.2", "done", &[], &[]));
    run.repeat(3, &blocked(&["x"]));
    assert_eq!(run.decisions(TASK), [(3, Escalate), (6, Escalate)]);
}

#[test]
fn a_refused_attempt_is_not_counted() {
    let mut run = RunDriver::new();
    let mut refused = blocked(&["x"]);
    refused["refused"] = json!(true);
    run.repeat(10, &refused);
    assert!(run.findings(TASK).is_empty());
}

#[test]
fn a_number_and_its_digits_are_one_task() {
    let mut run = RunDriver::new();
    for id in [json!(7), json!("7"), json!(7)] {
        run.see(&json!({"task": {"id": id, "status": "blocked", "blockers": ["x"]}}));
    }
    assert_eq!(run.decisions(TASK).len(), 1);
}
