//! `task_cycle`: tasks that are attempted in turn without anything new.

use crate::steps::{RunDriver, config, config_of, step, text_for, written};
use crate::verdict::Audience;
use crate::{Config, DetectorName, Guard, Pattern, Profile, Severity};
use serde_json::{Value, json};

const TASK: DetectorName = DetectorName::Task;
use crate::Intervention::{Escalate, UnblockAuthority, Warn};

/// Returns attempts at tasks in this order. Each does one of two old things in turn, so that no task loops by itself.
fn in_turn(order: &str) -> Vec<Value> {
    let attempts = order.char_indices().map(|(index, id)| {
        let number = order[..index].matches(id).count();
        let work =
            [&["read", "plan"][..], &["read"], &["plan"]][if number == 0 { 0 } else { 1 + number % 2 }];
        json!({"task": {"id": id.to_string(), "status": "in_progress", "work": work}})
    });
    attempts.collect()
}

fn play(config: Config, attempts: &[Value]) -> RunDriver {
    let mut run = RunDriver::with(config);
    for attempt in attempts {
        run.see(attempt);
    }
    run
}

#[test]
fn two_or_three_tasks_in_turn_give_a_warning_in_the_second_round_and_a_question_in_the_fourth() {
    let run = play(Config::default(), &in_turn("ABABABAB"));
    assert_eq!(run.decisions(TASK), [(4, Warn), (8, Escalate)]);
    let findings = run.findings(TASK);
    assert!(findings.iter().all(|finding| finding.pattern == Pattern::TaskCycle));
    assert_eq!((findings[0].severity, findings[0].since, findings[0].count), (Severity::Warn, 1, 4));
    assert_eq!((findings[1].severity, findings[1].since, findings[1].count), (Severity::Hard, 1, 8));
    let evidence = written(&findings[1].evidence);
    assert_eq!((&evidence["tasks"], &evidence["rounds"]), (&json!(["A", "B"]), &json!(4)));
    assert_eq!(
        play(Config::default(), &in_turn("ABCABCABCABC")).decisions(TASK),
        [(6, Warn), (12, Escalate)]
    );
}

#[test]
fn the_warning_is_for_the_agent_and_the_question_is_about_all_tasks_of_the_cycle() {
    let run = play(Config::default(), &in_turn("ABABABAB"));
    let (warning, question) = (&run.verdicts[3], &run.verdicts[7]);
    let text = text_for(&warning.advice, Audience::Agent, TASK);
    assert!(
        text.contains(r#"tasks "A", "B" were attempted in turn for 2 rounds without anything new"#),
        "{text}"
    );
    assert!(text.contains("Do not start another round"), "{text}");
    assert!(warning.tasks.is_empty() && warning.context.is_empty() && warning.stop.is_none());
    assert_eq!(question.decisions[0].task.as_deref(), Some("A, B"));
    let updates: Vec<(&str, &str, bool)> =
        question.tasks.iter().map(|task| (task.id.as_str(), task.status.as_str(), task.forced)).collect();
    assert_eq!(updates, [("A", "blocked", false), ("B", "blocked", false)]);
    let topics: Vec<&str> = question.context.iter().map(|entry| entry.topic.as_str()).collect();
    assert_eq!(topics, ["loop_recovery", "loop_escalation"]);
    assert_eq!(question.context[1].related_tasks, ["A", "B"]);
    let text = text_for(&question.advice, Audience::User, TASK);
    assert!(text.starts_with(r#"Tasks "A", "B" need a human"#), "{text}");
    let detected = run.events("loop_detected");
    assert_eq!(detected.len(), 2);
    assert_eq!(
        (&detected[0]["loopType"], &detected[0]["recommendation"]),
        (&json!("task_cycle"), &json!("warn"))
    );
    assert_eq!(run.events("loop_recovery").len(), 1, "a warning is not a recovery");
    assert_eq!(run.events("escalation")[0]["task_id"], "A, B");
}

/// Whatever the tasks hand to each other, a round with something new is not part of a cycle.
#[test]
fn a_round_robin_in_which_one_task_moves_on_is_healthy() {
    type RoundChange = fn(usize) -> Value;
    let changes: [(&str, RoundChange); 3] = [
        ("work", |round| json!({"work": [format!("part {round}")]})),
        ("status", |round| json!({"work": ["read"], "status": (["pending", "in_progress"][round % 2])})),
        ("blockers", |round| json!({"work": ["read"], "blockers": [format!("waits for answer {round}")]})),
    ];
    for (what, change) in changes {
        let mut run = RunDriver::new();
        for round in 0..12 {
            let mut moving = json!({"id": "A", "status": "in_progress"});
            for (key, value) in change(round).as_object().unwrap() {
                moving[key] = value.clone();
            }
            run.see(&json!({"task": moving}));
            let work =
                if round == 0 { json!(["wait", "look"]) } else { json!([(["wait", "look"][round % 2])]) };
            run.see(&json!({"task": {"id": "B", "status": "in_progress", "work": work}}));
        }
        assert!(run.findings(TASK).is_empty(), "{what}: {:?}", run.findings(TASK));
    }
}

/// The first of the attempts after a progress is not compared with those before it.
#[test]
fn a_cycle_starts_over_after_progress() {
    let mut attempts = in_turn("ABABAB");
    attempts[2]["task"]["work"] = json!(["something new"]);
    assert_eq!(play(Config::default(), &attempts).decisions(TASK), [], "B A B after the progress of A");
    let mut attempts = in_turn("ABABABAB");
    attempts[2]["task"]["work"] = json!(["something new"]);
    assert_eq!(play(Config::default(), &attempts).decisions(TASK), [(7, Warn)]);
}

#[test]
fn tasks_far_apart_in_time_are_not_a_cycle() {
    let at_every = |minutes: i64| {
        let mut attempts = in_turn("ABABABAB");
        for (attempt, number) in attempts.iter_mut().zip(0..) {
            attempt["at"] = json!(number * minutes * 60_000);
        }
        play(Config::default(), &attempts).decisions(TASK)
    };
    assert_eq!(at_every(8), [(4, Warn), (8, Escalate)]);
    assert_eq!(at_every(20), [(4, Warn)], "three rounds take longer than an hour");
    assert_eq!(at_every(21), []);
    assert_eq!(at_every(24 * 60), []);
}

#[test]
fn more_tasks_than_the_option_says_are_a_round_robin() {
    assert_eq!(play(Config::default(), &in_turn("ABCDABCDABCDABCD")).decisions(TASK), []);
    let wide = config(json!({"task": {"cycle_tasks": 4}}));
    assert_eq!(play(wide, &in_turn("ABCDABCDABCDABCD")).decisions(TASK), [(8, Warn), (16, Escalate)]);
    let narrow = config(json!({"task": {"cycle_tasks": 2}}));
    assert_eq!(play(narrow, &in_turn("ABCABCABC")).decisions(TASK), []);
    let slow = config(json!({"task": {"cycle_rounds": 3}}));
    assert_eq!(play(slow, &in_turn("ABABABABABAB")).decisions(TASK), [(6, Warn), (12, Escalate)]);
    for order in ["ABCBACABBCA", "AABCABDABEAB", "ABCADCEFABD"] {
        assert_eq!(play(Config::default(), &in_turn(order)).decisions(TASK), [], "{order}");
    }
}

#[test]
fn attempts_at_one_task_in_a_row_are_one_visit() {
    assert_eq!(play(Config::default(), &in_turn("AABBAABB")).decisions(TASK), [(7, Warn)]);
}

/// A second look at a task says little if attempts report only a status.
#[test]
fn attempts_that_report_nothing_but_a_status_need_one_round_more() {
    let bare: Vec<Value> =
        "ABABAB".chars().map(|id| json!({"task": {"id": id.to_string(), "status": "pending"}})).collect();
    let wide = || config(json!({"task": {"max_attempts": 5, "force_next_after": 8}}));
    assert_eq!(play(wide(), &bare[..5]).decisions(TASK), []);
    assert_eq!(play(wide(), &bare).decisions(TASK), [(6, Warn)]);
}

/// The recoveries of the documents come first: a task that loops by itself is recovered by itself.
#[test]
fn a_task_that_loops_by_itself_is_recovered_by_itself() {
    let blocked: Vec<Value> = "ABABAB"
        .chars()
        .map(|id| json!({"task": {"id": id.to_string(), "status": "blocked", "blockers": ["no network"]}}))
        .collect();
    let run = play(Config::default(), &blocked);
    assert_eq!(run.decisions(TASK), [(4, Warn), (5, UnblockAuthority), (6, UnblockAuthority)]);
    // A grant clears the history of its task, and with it its part in the cycle.
    let mut run = run;
    for attempt in &blocked[..3] {
        run.see(attempt);
    }
    assert_eq!(run.decisions(TASK).len(), 3);
}

#[test]
fn a_word_of_the_user_starts_a_cycle_over() {
    let mut attempts = in_turn("ABABAB");
    attempts.insert(3, json!({"user": "do B first"}));
    let run = play(Config::default(), &attempts);
    assert_eq!(run.decisions(TASK), []);
}

#[test]
fn observe_mode_reports_a_cycle_and_changes_nothing() {
    let run = play(config(json!({"task": {"mode": "observe"}})), &in_turn("ABABABAB"));
    assert_eq!(run.findings(TASK).len(), 2);
    for verdict in &run.verdicts {
        assert!(verdict.decisions.iter().all(|decision| !decision.enforced));
        assert!(verdict.tasks.is_empty() && verdict.context.is_empty() && verdict.advice.is_empty());
        assert!(verdict.events.iter().all(|event| event.name() != "loop_detected"));
    }
}

#[test]
fn the_documents_have_no_cycles_of_tasks_unless_they_are_set() {
    let attempts = in_turn("ABABABABABAB");
    assert!(play(config_of(Profile::Documents, json!({})), &attempts).findings(TASK).is_empty());
    let set = config_of(Profile::Documents, json!({"task": {"cycle_tasks": 3}}));
    assert_eq!(play(set, &attempts).decisions(TASK), [(4, Warn), (8, Escalate)]);
}

#[test]
fn without_escalation_the_agent_is_warned_again() {
    let milder = config(json!({"policy": {"ladder": {"escalate": false}}}));
    assert_eq!(play(milder, &in_turn("ABABABAB")).decisions(TASK), [(4, Warn), (8, Warn)]);
}

#[test]
fn one_task_and_wrong_numbers_are_refused() {
    let problems = |patch: Value| {
        let settings = crate::steps::settings_of(Profile::Auto, json!({"task": patch}));
        Config::new(settings).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(problems(json!({"cycle_tasks": 1})).contains("one task is not a cycle"));
    for patch in [json!({"cycle_tasks": 7}), json!({"cycle_rounds": 1}), json!({"cycle_rounds": 5})] {
        assert!(problems(patch.clone()).contains("out of range"), "{patch}");
    }
    assert_eq!(problems(json!({"cycle_tasks": 0})), "");
}

#[test]
fn a_restored_guard_continues_a_cycle() {
    let attempts = in_turn("ABABABAB");
    let mut guard = Guard::new(Config::default()).for_run("r");
    let mut decided = Vec::new();
    for attempt in &attempts {
        let verdict = guard.observe(&step(attempt));
        decided.extend(verdict.decisions.iter().map(|decision| (verdict.turn, decision.intervention)));
        let stored = serde_json::to_string(&guard.snapshot()).unwrap();
        guard = Guard::restore(Config::default(), serde_json::from_str(&stored).unwrap()).unwrap();
    }
    assert_eq!(decided, [(4, Warn), (8, Escalate)]);
}
