//! Snapshots: versions, and the snapshot of version 1, which must stay readable.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, step, written};
use loopbreak::snapshot::SNAPSHOT_VERSION;
use loopbreak::{Config, Guard, Profile, Settings, Snapshot, snapshot::SnapshotError};
use serde_json::{Value, json};

/// Returns a step of the run whose snapshot after 30 steps is `fixtures/snapshot-v1.json`.
fn story(number: u64) -> Value {
    let (way, place) = if number.is_multiple_of(2) { ("north", "B") } else { ("south", "A") };
    json!({
        "run": "ep-7", "at": 1_762_248_924_000_u64 + number * 1000, "action": way, "critic": {"score": 0.75},
        "place": {"name": place, "exits": ["north", "south", "east"]}, "score": 10,
        "objectives": {"active": ["open the dam"], "completed": if number == 3 { vec!["find the wrench"] } else { vec![] }},
        "task": {"id": "T1", "status": "blocked", "blockers": ["no token"], "work": ["read config"], "session": "s1"},
        "usage": {"cost_usd": 0.25},
    })
}

fn output() -> Value {
    json!({"outcome": {"text": "Fixed auth.ts - added null check", "error": true}})
}

fn play(guard: &mut Guard, numbers: std::ops::Range<u64>) -> Vec<Value> {
    numbers
        .flat_map(|number| [story(number), output()])
        .map(|record| written(&guard.observe(&step(&record))))
        .collect()
}

const FIXTURE: &str = include_str!("fixtures/snapshot-v1.json");

#[test]
fn a_snapshot_of_version_1_stays_readable() {
    let snapshot: Snapshot = serde_json::from_str(FIXTURE).unwrap();
    // The discoveries of `patience` are newer than the snapshot too.
    let mut settings = Settings::default();
    settings.stagnation.patience = Settings::from(Profile::Documents).stagnation.patience;
    let config = Config::new(settings).unwrap();
    let mut restored = Guard::restore(config.clone(), snapshot).unwrap();
    assert_eq!(restored.turn(), 30);
    let mut lived = Guard::new(config);
    play(&mut lived, 0..15);
    // Detectors that are newer than the snapshot have no state in it. The loop of a finding and its
    // intervention depend on them as well.
    let documents = |verdicts: Vec<Value>| -> Vec<Value> {
        let findings =
            verdicts.into_iter().flat_map(|verdict| verdict["findings"].as_array().unwrap().clone());
        findings
            .filter(|finding| VERSION_1.contains(&finding["detector"].as_str().unwrap()))
            .map(|mut finding| {
                finding.as_object_mut().unwrap().retain(|key, _| key != "loop" && key != "intervention");
                finding
            })
            .collect()
    };
    let (restored, lived) = (documents(play(&mut restored, 15..40)), documents(play(&mut lived, 15..40)));
    assert!(restored.iter().any(|finding| finding["severity"] == "hard"), "there is a finding to compare");
    assert_eq!(restored, lived, "it continues as if it had never been stored");
}

/// The detectors whose state a snapshot of version 1 contains.
const VERSION_1: [&str; 10] = [
    "stagnation",
    "revisit",
    "oscillation",
    "camping",
    "novelty",
    "task",
    "signature",
    "similarity",
    "budget",
    "errors",
];

#[test]
fn a_snapshot_of_a_later_version_is_refused() {
    let mut snapshot: Value = serde_json::from_str(FIXTURE).unwrap();
    snapshot["version"] = json!(SNAPSHOT_VERSION + 1);
    let snapshot: Snapshot = serde_json::from_value(snapshot).unwrap();
    let error = Guard::restore(Config::default(), snapshot).unwrap_err();
    assert_eq!(error, SnapshotError::TooNew { found: SNAPSHOT_VERSION + 1 });
    assert!(error.to_string().contains("update"));
}

#[test]
fn a_snapshot_contains_no_settings() {
    let mut run = RunDriver::with(crate::steps::config(json!({"stagnation": {"max_turns": 77}})));
    run.repeat(10, &story(1));
    assert!(!written(&run.guard.snapshot()).to_string().contains("max_turns"));
    let snapshot = run.guard.snapshot();
    let restored = Guard::restore(Config::default(), snapshot).unwrap();
    assert_eq!(restored.config().stagnation.max_turns, 40, "it uses the settings that it is given");
}

#[test]
fn unknown_and_missing_fields_of_a_snapshot_are_tolerated() {
    let mut snapshot: Value = serde_json::from_str(FIXTURE).unwrap();
    snapshot["state"]["mood"] = json!("blue");
    snapshot["state"].as_object_mut().unwrap().remove("objectives");
    let snapshot: Snapshot = serde_json::from_value(snapshot).unwrap();
    assert_eq!(Guard::restore(Config::default(), snapshot).unwrap().turn(), 30);
}

#[test]
fn costs_that_overflow_can_be_stored() {
    let mut run = RunDriver::new();
    for _ in 0..3 {
        let usage = Some(loopbreak::Usage { cost_usd: Some(f64::MAX), ..loopbreak::Usage::default() });
        run.guard.observe(&loopbreak::Step { usage, ..loopbreak::Step::default() });
    }
    let text = serde_json::to_string(&run.guard.snapshot()).unwrap();
    assert!(serde_json::from_str::<Snapshot>(&text).is_ok(), "{text}");
}
