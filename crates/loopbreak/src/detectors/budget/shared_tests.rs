//! Tests of the budgets that concern several runs.

use serde_json::{Value, json};

use super::SharedSpending;
use crate::steps::{RunDriver, config};
use crate::{DetectorName, Guard, Severity, Snapshot, Step};

const BUDGET: DetectorName = DetectorName::Budget;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// 2026-11-19 10:00 UTC.
const START: i64 = 1_795_082_400_000;

fn run(budget: &Value) -> RunDriver {
    RunDriver::with(config(json!({ "budget": budget })))
}

fn see(run: &mut RunDriver, at: i64, usd: f64) {
    run.see(&json!({"at": at, "action": "a", "usage": {"cost_usd": usd}}));
}

fn reasons(run: &RunDriver) -> Vec<String> {
    run.findings(BUDGET).iter().map(|finding| finding.reason().to_owned()).collect()
}

#[test]
fn the_spending_of_other_runs_counts_and_the_words_say_which_budget_and_since_when() {
    let shared = SharedSpending {
        session: 1.5,
        hour: 3.5,
        day: 7.5,
        total: 90.5,
        session_since: Some(START),
        total_since: Some(START - 40 * DAY),
        ..SharedSpending::default()
    };
    for (budget, expected) in [
        ("max_cost_session", "max_cost_session: $2 of $2 used in this session since 2026-11-19 10:00 UTC"),
        ("max_cost_hour", "max_cost_hour: $4 of $2 used in the last hour, in all sessions"),
        ("max_cost_day", "max_cost_day: $8 of $2 used today since 2026-11-19 00:00 UTC, in all sessions"),
        ("max_cost_total", "max_cost_total: $91 of $2 used in all sessions since 2026-10-10 10:00 UTC"),
    ] {
        let mut run = run(&json!({ budget: 2.0 }));
        run.guard.share_spending(shared);
        see(&mut run, START + HOUR, 0.5);
        assert_eq!((reasons(&run), run.stops()), (vec![expected.to_owned()], vec![1]), "{budget}");
        assert_eq!(run.verdicts[0].stop.as_ref().unwrap().reason.as_str(), budget);
    }
}

#[test]
fn without_an_adapter_the_run_counts_its_own_steps_by_their_times() {
    let mut hour = run(&json!({"max_cost_hour": 1.0}));
    for quarter in 0..20 {
        see(&mut hour, START + quarter * 15 * MINUTE, 0.15);
    }
    assert!(hour.findings(BUDGET).is_empty(), "60 cents an hour: {:?}", reasons(&hour));
    see(&mut hour, START + 5 * HOUR, 0.6);
    assert_eq!(hour.stops(), [21]);
    let mut session = run(&json!({"max_cost_session": 1.0, "max_cost_total": 1.0}));
    see(&mut session, START, 1.0);
    assert_eq!(session.findings(BUDGET).len(), 2);
}

#[test]
fn a_day_begins_at_midnight_and_its_budget_is_reported_again() {
    let mut run = run(&json!({"max_cost_day": 1.0}));
    let midnight = START + 14 * HOUR;
    see(&mut run, midnight - HOUR, 0.9);
    see(&mut run, midnight - MINUTE, 0.05);
    see(&mut run, midnight, 0.5);
    assert_eq!((run.turns(BUDGET, Severity::Warn), run.stops()), (vec![1], vec![]));
    see(&mut run, midnight + MINUTE, 0.4);
    see(&mut run, midnight + 2 * MINUTE, 0.05);
    see(&mut run, midnight + 3 * MINUTE, 0.1);
    assert_eq!((run.turns(BUDGET, Severity::Warn), run.stops()), (vec![1, 4], vec![6]));
}

#[test]
fn a_budget_is_warned_of_once_per_period_and_not_at_each_call() {
    let budget =
        json!({"max_cost_hour": 100.0, "max_cost_day": 100.0, "max_cost_total": 100.0, "warn_at": 0.1});
    let mut run = run(&budget);
    for step in 0..50 {
        see(&mut run, START + step * 1000, 1.0);
    }
    // At a tenth, each of the three, and no more when the share is twice or four times as large.
    assert_eq!(run.turns(BUDGET, Severity::Warn), [10, 10, 10]);
    assert!(run.stops().is_empty());
    // An hour after the warning, and in the same day.
    for step in 0..9 {
        see(&mut run, START + 50_000 + (step + 1) * 10 * MINUTE, 3.0);
    }
    let warned = &run.turns(BUDGET, Severity::Warn)[3..];
    assert_eq!(warned.len(), 1, "{warned:?} {:?}", reasons(&run));
}

#[test]
fn one_expensive_call_is_not_a_high_cost_per_minute() {
    let limit = json!({"max_cost_per_minute": 1.0});
    let mut one = run(&limit);
    see(&mut one, START, 500.0);
    for step in 1..30 {
        see(&mut one, START + step * MINUTE, 0.0);
    }
    assert!(one.findings(BUDGET).is_empty(), "{:?}", reasons(&one));
    // Two expensive ones within ten minutes, and cheap work for an hour.
    let mut two = run(&limit);
    see(&mut two, START, 9.0);
    see(&mut two, START + MINUTE, 9.0);
    assert!(two.findings(BUDGET).is_empty());
    let mut slow = run(&limit);
    for step in 0..120 {
        see(&mut slow, START + step * MINUTE, 0.7);
    }
    assert!(slow.findings(BUDGET).is_empty(), "{:?}", reasons(&slow));
    let mut fast = run(&limit);
    for step in 0..10 {
        see(&mut fast, START + step * MINUTE, 1.25);
    }
    assert_eq!((fast.turns(BUDGET, Severity::Warn), fast.stops()), (vec![7], vec![8]));
    assert_eq!(
        reasons(&fast)[1],
        "max_cost_per_minute: $1 of $1 used a minute in the last 10 minutes, in all sessions"
    );
}

#[test]
fn a_clock_that_jumps_neither_adds_nor_hides_a_cost() {
    let mut run = run(&json!({"max_cost_hour": 1.0, "max_cost_day": 1.0}));
    see(&mut run, START, 0.5);
    see(&mut run, START - 3 * DAY, 0.2);
    assert!(run.findings(BUDGET).is_empty());
    see(&mut run, START + MINUTE, 0.2);
    assert_eq!(run.turns(BUDGET, Severity::Warn), [3, 3], "{:?}", reasons(&run));
    // A jump ahead begins another hour and another day.
    see(&mut run, START + 400 * DAY, 0.5);
    assert!(run.stops().is_empty(), "{:?}", reasons(&run));
    let mut extreme = run_with_day();
    for at in [i64::MIN, i64::MAX, 0, i64::MAX, -1] {
        see(&mut extreme, at, 0.1);
    }
}

fn run_with_day() -> RunDriver {
    run(&json!({"max_cost_hour": 9.0, "max_cost_day": 9.0, "max_cost_per_minute": 9.0}))
}

#[test]
fn sums_that_are_not_numbers_are_not_used() {
    let mut run = run(&json!({"max_cost_session": 1.0, "max_cost_total": 1.0}));
    let shared = SharedSpending { session: f64::NAN, total: f64::INFINITY, ..SharedSpending::default() };
    run.guard.share_spending(shared);
    see(&mut run, START, 0.5);
    assert!(run.findings(BUDGET).is_empty());
    see(&mut run, START, 0.5);
    assert_eq!(run.findings(BUDGET).len(), 2);
}

#[test]
fn steps_without_a_time_know_no_hour_and_no_day() {
    let mut run = run(&json!({"max_cost_hour": 1.0, "max_cost_day": 1.0, "max_cost_session": 9.0}));
    for _ in 0..8 {
        run.see(&json!({"usage": {"cost_usd": 1.0}}));
    }
    assert_eq!(reasons(&run), ["max_cost_session: $8 of $9 used in this session"]);
}

#[test]
fn the_sums_given_for_a_step_grow_with_the_steps_after_it() {
    let mut run = run(&json!({"max_cost_total": 10.0}));
    run.guard.share_spending(SharedSpending { total: 9.0, ..SharedSpending::default() });
    see(&mut run, START, 0.25);
    see(&mut run, START, 0.25);
    see(&mut run, START, 0.5);
    assert_eq!(run.stops(), [3]);
}

/// Golden files and stores hold snapshots of runs without such a limit.
#[test]
fn a_run_without_such_a_limit_keeps_no_times() {
    let steps = |guard: &mut Guard| {
        for at in 0..5 {
            let line = json!({"at": START + at * MINUTE, "usage": {"cost_usd": 1.0}}).to_string();
            guard.observe(&Step::from_json(&line).unwrap());
        }
    };
    let snapshot = |budget: Value| {
        let mut guard = Guard::new(config(json!({ "budget": budget })));
        steps(&mut guard);
        guard.snapshot().to_json().unwrap().get().to_owned()
    };
    let plain = snapshot(json!({"max_cost": 100.0}));
    assert!(!plain.contains("cost_since") && !plain.contains("minutes"), "{plain}");
    let kept = snapshot(json!({"max_cost_hour": 100.0}));
    assert!(kept.contains("cost_since") && kept.contains("minutes"));
    let limits = config(json!({"budget": {"max_cost_hour": 6.0}}));
    let restored = Snapshot::from_json(kept.as_bytes()).unwrap();
    let mut guard = Guard::restore(limits, restored).unwrap();
    let line = json!({"at": START + 5 * MINUTE, "usage": {"cost_usd": 1.0}}).to_string();
    assert!(guard.observe(&Step::from_json(&line).unwrap()).stop.is_some(), "the earlier steps count");
}
