//! Each detector is silent if its facet is absent, reports if it is present, and can be switched off alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{settings_of, step};
use loopbreak::{Config, DetectorName, Guard, Mode, Settings};
use serde_json::{Value, json};

/// Returns a run in which every detector finds something.
fn everything() -> Vec<Value> {
    let mut steps = Vec::new();
    for turn in 0..60 {
        let (way, place) = if turn % 2 == 0 { ("north", "B") } else { ("south", "A") };
        steps.push(json!({
            "action": way, "critic": {"score": 0.9}, "place": place, "score": 1,
            "task": {"id": "T1", "status": "blocked", "blockers": ["x"]},
        }));
        steps.push(json!({"outcome": {"text": "Fixed auth.ts - added null check", "error": true}}));
    }
    // The same question in other words, and waiting without a result.
    for word in ["old", "great", "huge", "tall", "grey", "high"] {
        let query = format!("how to open the {word} dam gate");
        steps.push(json!({"action": {"name": "search", "args": {"query": query}}}));
    }
    steps.extend(vec![json!({"action": "wait"}); 12]);
    // The same call with the same outcome.
    steps.extend(vec![
        json!({"action": {"name": "read", "args": {"path": "manual.txt"}}, "outcome": "a b"});
        9
    ]);
    // One target that fails, whatever is tried.
    for deed in ["edit_file", "write_file", "patch_file", "delete_file", "move_file"] {
        let outcome = json!({"text": format!("{deed} went wrong"), "error": true});
        steps.push(json!({"action": {"name": deed, "args": {"path": "gate.toml"}}, "outcome": outcome}));
    }
    // The same message repeatedly, while nothing is done.
    steps.extend(vec![json!({"say": "I will look at the gate of the dam again and then decide."}); 13]);
    steps
}

fn settings() -> Settings {
    settings_of(
        loopbreak::Profile::Auto,
        json!({"budget": {"max_iterations": 100}, "camping": {"window": 12}}),
    )
}

fn speakers(settings: Settings, steps: &[Value]) -> Vec<DetectorName> {
    let mut guard = Guard::new(Config::new(settings).unwrap());
    let found = steps.iter().flat_map(|record| guard.observe(&step(record)).findings);
    let mut names: Vec<_> = found.map(|finding| finding.detector).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the detectors that find something in the run. A detector that is added later has a run of its own, in the
/// tests of its folder.
fn of_guards() -> Vec<DetectorName> {
    speakers(settings(), &everything())
}

#[test]
fn every_detector_reports_if_every_facet_is_present() {
    let found = of_guards();
    assert_eq!(found.len(), 17, "{found:?}");
}

#[test]
fn each_detector_can_be_switched_off_alone() {
    for off in DetectorName::ALL {
        let mut expected = of_guards();
        expected.retain(|name| name != off);
        assert_eq!(speakers(settings().with_mode(*off, Mode::Off), &everything()), expected, "{off} off");
    }
}

#[test]
fn the_profile_documents_enables_only_detectors_of_the_documents() {
    use DetectorName as D;
    let settings = settings_of(
        loopbreak::Profile::Documents,
        json!({"budget": {"max_iterations": 100}, "camping": {"window": 12}}),
    );
    let described = [
        D::Stagnation,
        D::Revisit,
        D::Oscillation,
        D::Camping,
        D::Novelty,
        D::Task,
        D::Signature,
        D::Similarity,
        D::Budget,
        D::Errors,
    ];
    assert_eq!(speakers(settings, &everything()), described);
}

/// Returns all findings without the parts that the policy adds.
fn findings(settings: Settings, of: impl Fn(DetectorName) -> bool) -> Vec<Value> {
    let mut guard = Guard::new(Config::new(settings).unwrap());
    let all = everything().into_iter().flat_map(|record| guard.observe(&step(&record)).findings);
    all.filter(|finding| of(finding.detector))
        .map(|finding| {
            let mut finding = crate::steps::written(&finding);
            finding.as_object_mut().unwrap().retain(|key, _| key != "loop" && key != "intervention");
            finding
        })
        .collect()
}

#[test]
fn switching_a_detector_off_changes_no_finding_of_another() {
    for off in DetectorName::ALL {
        let without = findings(settings().with_mode(*off, Mode::Off), |_| true);
        assert_eq!(findings(settings(), |name| name != *off), without, "{off} off");
    }
}

#[test]
fn each_detector_is_silent_if_its_facet_is_absent() {
    use DetectorName as D;
    for (facet, silent) in [
        ("place", &[D::Revisit, D::Oscillation, D::Camping][..]),
        ("score", &[D::Stagnation]),
        ("task", &[D::Task]),
        ("outcome", &[D::Signature, D::Similarity, D::Errors, D::FailingTarget]),
        ("action", &[D::Novelty, D::Cycle, D::Recurrence, D::Drift, D::Poll, D::FailingTarget]),
        ("critic", &[D::Novelty]),
        ("say", &[D::Chant, D::Noop]),
    ] {
        let mut steps = everything();
        for step in &mut steps {
            step.as_object_mut().unwrap().remove(facet);
        }
        let speakers = speakers(settings(), &steps);
        for name in &of_guards() {
            assert_eq!(speakers.contains(name), !silent.contains(name), "{name} without {facet}");
        }
    }
    let speakers = speakers(Settings::default(), &everything());
    assert!(!speakers.contains(&D::Budget), "no limit is set");
}

#[test]
fn empty_records_find_nothing() {
    assert!(speakers(Settings::default(), &vec![json!({}); 300]).is_empty());
    assert!(
        speakers(Settings::default(), &vec![json!({"say": "hm", "usage": {"cost_usd": 1.0}}); 5]).is_empty()
    );
}

#[test]
fn an_absent_turn_is_the_previous_one_plus_1_starting_at_1() {
    let mut guard = Guard::new(Config::default());
    let mut turn = |record: Value| {
        let verdict = guard.observe(&step(&record));
        (verdict.turn, verdict.renumbered)
    };
    assert_eq!(turn(json!({})), (1, false));
    assert_eq!(turn(json!({})), (2, false));
    assert_eq!(turn(json!({"turn": 10})), (10, false));
    assert_eq!(turn(json!({})), (11, false));
    assert_eq!(turn(json!({"turn": 5})), (12, true), "turns do not go back");
    assert_eq!(turn(json!({"turn": 13, "refused": true})), (13, false));
    assert_eq!(turn(json!({"turn": 13})), (13, false), "a refused proposal is not a turn");
}
