//! Verdicts and rulings are read back from their JSON without a difference.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]
#![expect(
    clippy::disallowed_methods,
    reason = "the engine reads no file, but this test reads the golden logs"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use loopbreak::event::{
    CampingDetected, EscalationOption, EscalationRequest, Event, GuardTripped, LocationPenaltyApplied,
    LoopBreakWarning, LoopDetected, LoopPenaltyApplied, LoopRecovery, OscillationDetected, ProgressCheck,
    ProgressDetected, RunId, SafetyGuard, ScoreChange, StuckTermination,
};
use loopbreak::evidence::{Evidence, EvidenceKey, EvidenceValue};
use loopbreak::verdict::{
    Advice, Audience, ContextEntry, ContextEntryType, ContextTopic, Decision, Finding, Intervention, LoopId,
    ProposalHint, Ruling, RunStop, ScoreAdjustment, Severity, StepProgress, TaskUpdate, TaskUpdateStatus,
    Verdict,
};
use loopbreak::{Config, DetectorName, Guard, Pattern, Profile, Series, Settings, Step, series::RunSummary};
use proptest::prelude::*;
use proptest::{collection::vec, option, sample::select};
use serde_json::{Value, json};

use crate::steps::{config, step};

/// Reads a value back from its JSON, and checks that the JSON stays the same.
pub(crate) fn read_back<T>(value: &T) -> T
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let json = serde_json::to_string(value).unwrap();
    let again: T = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error} in {json}"));
    assert_eq!(serde_json::to_string(&again).unwrap(), json);
    again
}

/// The runs of the golden logs, by file and name.
fn golden_runs() -> BTreeMap<(String, String), Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopbreak-cli/tests/fixtures/golden/logs");
    let mut runs: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let run = serde_json::from_str::<Value>(line).unwrap()["run"].to_string();
            runs.entry((path.display().to_string(), run)).or_default().push(line.to_owned());
        }
    }
    runs
}

#[test]
fn verdicts_of_every_detector_are_read_back() {
    let mut found: BTreeSet<DetectorName> = BTreeSet::new();
    let settings =
        [Settings::default(), Settings::from(Profile::Documents), Settings::from(Profile::Iterations)];
    let limits = config(json!({"budget": {"max_iterations": 20, "max_cost": 0.5}, "errors": {"hard_at": 3}}));
    let configs = settings.map(|settings| Config::new(settings).unwrap()).into_iter().chain([limits]);
    let mut runs = golden_runs();
    runs.extend(runs_of_rare_detectors());
    for config in configs {
        for ((_, name), lines) in &runs {
            let mut guard = Guard::new(config.clone()).for_run(name);
            for line in lines {
                let verdict = guard.observe(&Step::from_json(line).unwrap());
                assert_eq!(read_back(&verdict), verdict);
                for finding in &verdict.findings {
                    assert!(
                        !finding.reason().is_empty() && finding.evidence.get(EvidenceKey::REASON).is_some()
                    );
                    found.insert(finding.detector);
                }
            }
        }
    }
    found.extend(restarted_runs());
    // A detector that is added later is tested in its folder, and the property test reads any verdict back.
    assert_eq!(found.len(), 18, "{found:?}");
}

/// Runs of the detectors that find nothing in the golden logs.
fn runs_of_rare_detectors() -> [((String, String), Vec<String>); 2] {
    let refused = ["open", "pull", "pry", "kick", "lift", "break", "shake", "push", "move"];
    let refused =
        refused.map(|verb| json!({"action": format!("{verb} grating"), "outcome": "You can't do that."}));
    let chant = json!({"say": format!("The appeal was brought before the {}", "court ".repeat(2000))});
    let lines = |records: &[Value]| records.iter().map(ToString::to_string).collect();
    let name = |name: &str| (String::new(), name.to_owned());
    [(name("failing target"), lines(&refused)), (name("chant"), lines(&[chant]))]
}

/// Concludes runs that fail right after the same prompt. Returns the detectors that found something.
fn restarted_runs() -> Vec<DetectorName> {
    let config = Config::default();
    let mut series = Series::new(config.clone());
    let mut found = Vec::new();
    for number in 0..5 {
        let mut summary = RunSummary::new(&config, format!("r{number}"));
        summary.observe(&step(&json!({"user": "Fix the failing tests of the parser."})));
        let verdict = series.conclude(&summary);
        assert_eq!(read_back(&verdict), verdict);
        found.extend(verdict.findings.iter().map(|finding| finding.detector));
    }
    found
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", any::<String>()]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -5.0..5.0,
        any::<f64>().prop_filter("JSON has only finite numbers", |number| number.is_finite())
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![select(Pattern::ALL), "[a-z][a-z_]{0,20}".prop_map(|name| name.parse().unwrap())]
}

fn detector() -> impl Strategy<Value = DetectorName> {
    prop_oneof![select(DetectorName::ALL), "[a-z][a-z_]{0,20}".prop_map(|name| name.parse().unwrap())]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let key = prop_oneof![select(EvidenceKey::ALL), text().prop_map(EvidenceKey::from)];
    let value = prop_oneof![
        any::<u64>().prop_map(EvidenceValue::from),
        any::<i64>().prop_map(EvidenceValue::from),
        any::<f64>().prop_map(EvidenceValue::from),
        any::<bool>().prop_map(EvidenceValue::from),
        option::of(text()).prop_map(EvidenceValue::from),
        vec(text(), 0..3).prop_map(EvidenceValue::from),
    ];
    vec((key, value), 0..6).prop_map(Evidence::from_iter)
}

fn finding() -> impl Strategy<Value = Finding> {
    let names = (detector(), pattern(), select(Severity::ALL), option::of(select(Intervention::ALL)));
    let numbers = (any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>(), any::<u32>());
    (names, numbers, text(), evidence()).prop_map(
        |(
            (detector, pattern, severity, intervention),
            (turn, since, id, enforced, count),
            agent,
            evidence,
        )| {
            let loop_id = LoopId(id);
            Finding {
                turn,
                since,
                detector,
                pattern,
                severity,
                intervention,
                loop_id,
                agent,
                enforced,
                count,
                evidence,
            }
        },
    )
}

fn decision() -> impl Strategy<Value = Decision> {
    let names = (select(Intervention::ALL), detector(), pattern());
    (names, any::<u64>(), option::of(text()), text(), any::<bool>()).prop_map(
        |((intervention, detector, pattern), id, task, reason, enforced)| {
            let loop_id = LoopId(id);
            Decision { intervention, detector, pattern, loop_id, task, reason, enforced }
        },
    )
}

fn advice() -> impl Strategy<Value = Advice> {
    (select(Audience::ALL), detector(), text()).prop_map(|(audience, detector, text)| Advice {
        audience,
        detector,
        text,
    })
}

fn context_entry() -> impl Strategy<Value = ContextEntry> {
    let names = (select(ContextEntryType::ALL), select(ContextTopic::ALL));
    (option::of(any::<i64>()), names, text(), vec(text(), 0..3), number(), text()).prop_map(
        |(timestamp, (entry_type, topic), content, related_tasks, confidence, fact)| {
            let metadata = json!({"evidence": {"fact": fact}, "list": [1, null, 0.5]});
            ContextEntry { timestamp, entry_type, topic, content, related_tasks, confidence, metadata }
        },
    )
}

fn task_update() -> impl Strategy<Value = TaskUpdate> {
    (text(), select(TaskUpdateStatus::ALL), any::<bool>(), text())
        .prop_map(|(id, status, forced, reason)| TaskUpdate { id, status, forced, reason })
}

/// One event of each kind.
#[expect(clippy::too_many_lines, reason = "a list of all events")]
fn events() -> impl Strategy<Value = Vec<Event>> {
    let texts = (text(), text(), option::of(text()), option::of(text()), vec(text(), 0..3));
    let numbers = (any::<u64>(), any::<u64>(), any::<u32>(), number(), number(), option::of(any::<u64>()));
    let names = (pattern(), select(Intervention::ALL), select(SafetyGuard::ALL), any::<bool>(), evidence());
    (texts, numbers, names).prop_map(|(texts, numbers, names)| {
        let (run, reason, task_id, signature, blockers) = texts;
        let (turn, turns_stuck, count, score, other, last) = numbers;
        let (pattern, intervention, guard, flag, evidence) = names;
        let episode_id: RunId = run.as_str().into();
        vec![
            ScoreChange {
                episode_id: episode_id.clone(),
                turn,
                old_score: score,
                new_score: other,
                was_stuck_for: turns_stuck,
            }
            .into(),
            ProgressCheck {
                episode_id: episode_id.clone(),
                turn,
                score_progress: flag,
                objective_progress: !flag,
                progress_made: flag,
                last_score_change_turn: last,
                last_objective_completion_turn: None,
                turns_stuck,
                turns_allowed: last,
            }
            .into(),
            ProgressDetected {
                episode_id: episode_id.clone(),
                turn,
                score_progress: flag,
                objective_progress: !flag,
                last_score_change_turn: None,
                last_objective_completion_turn: last,
                turns_stuck_before_reset: turns_stuck,
            }
            .into(),
            LoopBreakWarning {
                episode_id: episode_id.clone(),
                turn,
                turns_stuck,
                last_score_change_turn: last,
                last_objective_completion_turn: last,
                score_progress: flag,
                objective_progress: !flag,
            }
            .into(),
            StuckTermination {
                episode_id: episode_id.clone(),
                turn,
                turns_stuck,
                score: Some(score),
                max_turns_stuck: turns_stuck,
                ending: RunStop::ENDING,
                termination_reason: pattern,
            }
            .into(),
            LocationPenaltyApplied {
                episode_id: episode_id.clone(),
                turn,
                location_id: json!(count),
                location_name: reason.clone(),
                recent_visits: count,
                base_score: score,
                adjusted_score: other,
                penalty: other,
            }
            .into(),
            LoopPenaltyApplied {
                episode_id: episode_id.clone(),
                turn,
                action: run.clone(),
                base_score: score,
                adjusted_score: other,
                reason: reason.clone(),
            }
            .into(),
            OscillationDetected {
                episode_id: episode_id.clone(),
                turn,
                detected: true,
                pattern_ids: vec![json!(count), json!(run)],
                pattern_names: blockers.clone(),
                recent_locations: vec![json!(run)],
            }
            .into(),
            CampingDetected {
                episode_id: episode_id.clone(),
                turn,
                detected: true,
                camped_location_id: json!(run),
                camped_location_name: reason.clone(),
                visit_count: count,
                window_size: count,
            }
            .into(),
            LoopDetected {
                episode_id: episode_id.clone(),
                turn,
                is_looping: true,
                loop_type: pattern,
                task_id: task_id.clone(),
                attempt_count: count,
                blockers,
                signature: signature.clone(),
                recommendation: intervention,
                reason: reason.clone(),
                evidence,
            }
            .into(),
            LoopRecovery {
                episode_id: episode_id.clone(),
                turn,
                task_id: run.clone(),
                recovery: intervention,
                loop_type: pattern,
                attempt_count: count,
                reason: reason.clone(),
            }
            .into(),
            EscalationRequest {
                episode_id: episode_id.clone(),
                turn,
                pattern,
                task_id,
                signature,
                reason,
                options: EscalationOption::ALL.to_vec(),
            }
            .into(),
            GuardTripped { episode_id, turn, guard, pattern, first: flag, limit: Some(score), value: None }
                .into(),
        ]
    })
}

fn ruling() -> impl Strategy<Value = Ruling> {
    let adjustment = (detector(), number(), text(), number(), any::<bool>()).prop_map(
        |(detector, amount, reason, score, enforced)| ScoreAdjustment {
            detector,
            amount,
            reason,
            score,
            enforced,
        },
    );
    let hint = (detector(), pattern(), evidence()).prop_map(|(detector, pattern, evidence)| ProposalHint {
        detector,
        pattern,
        evidence,
    });
    let lists = (vec(adjustment, 0..3), vec(hint, 0..3), vec(advice(), 0..2), events());
    let numbers = (any::<u64>(), number(), number(), number(), number(), any::<bool>());
    (lists, numbers, option::of(select(Intervention::ALL))).prop_map(
        |(
            (adjustments, hints, advice, events),
            (turn, base, raw, score, accept_at, accepted),
            intervention,
        )| {
            Ruling {
                turn,
                base,
                adjustments,
                raw,
                score,
                accept_at,
                accepted,
                intervention,
                hints,
                advice,
                events,
            }
        },
    )
}

fn verdict() -> impl Strategy<Value = Verdict> {
    let head = (any::<u64>(), any::<bool>(), vec(any::<u64>(), 0..3), any::<[bool; 3]>());
    let lists = (
        vec(finding(), 0..3),
        vec(decision(), 0..3),
        vec(advice(), 0..3),
        vec(context_entry(), 0..3),
        vec(task_update(), 0..3),
        events(),
    );
    let stop = option::of((pattern(), detector()));
    (head, lists, option::of(ruling()), stop).prop_map(
        |(
            (turn, renumbered, loops, [score, objective, mark]),
            (findings, decisions, advice, context, tasks, events),
            ruling,
            stop,
        )| Verdict {
            turn,
            renumbered,
            findings,
            sighted: loops.into_iter().map(LoopId).collect(),
            decisions,
            advice,
            context,
            tasks,
            ruling,
            events,
            stop: stop.map(|(reason, detector)| RunStop { reason, detector, ending: RunStop::ENDING }),
            stop_due: stop.map(|(reason, detector)| RunStop { reason, detector, ending: RunStop::ENDING }),
            rewind_to: mark.then_some(turn),
            holdout: score,
            progress: StepProgress { score, objective, mark },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_verdict_is_read_back(verdict in verdict()) {
        prop_assert_eq!(&read_back(&verdict), &verdict);
    }
}
