use serde_json::{Value, json};

use super::*;
use crate::detectors::CustomName;
use crate::settings::{AllowRule, Config, Mode, Settings};
use crate::snapshot::SNAPSHOT_BYTES;
use crate::step::{Action, Step};
use crate::verdict::{Intervention, Severity, Verdict};
use crate::{DetectorName, Guard, Pattern, Proposal};

const NAME: CustomName = CustomName::from_static("deploys");
const LOOP: CustomName = CustomName::from_static("deploy_loop");

/// Warns of the third deployment and reports the sixth as hard. A test run resets the count.
#[derive(Clone, Debug, Default)]
struct DeployDetector {
    deploys: u32,
    since: u64,
    /// Bytes of padding in the state.
    padding: usize,
}

impl CustomDetector for DeployDetector {
    fn name(&self) -> CustomName {
        NAME
    }

    fn observe(&mut self, context: &CustomContext<'_>, findings: &mut CustomFindings<'_>) {
        match context.step().action.as_ref().map(|action| &*action.name) {
            Some("test") => self.deploys = 0,
            Some("deploy") => {
                if self.deploys == 0 {
                    self.since = context.turn();
                }
                self.deploys += 1;
            }
            _ => return,
        }
        let severity = match self.deploys {
            0..3 => return,
            3..6 => Severity::Warn,
            _ => Severity::Hard,
        };
        let reason = format!("{} deployments without a test run", self.deploys);
        findings.add(CustomFinding::new(LOOP, severity, reason).since(self.since).count(self.deploys));
    }

    fn weigh(&self, action: &Action<'_>, _: u64, review: &mut CustomReview<'_>) {
        if &*action.name == "deploy" && self.deploys >= 5 {
            review.object(Severity::Hard, "would be another deployment without a test run");
        }
    }

    fn snapshot(&self) -> Value {
        json!({"deploys": self.deploys, "since": self.since, "padding": "x".repeat(self.padding)})
    }

    fn restore(&mut self, state: &Value) {
        self.deploys = state["deploys"].as_u64().unwrap_or_default() as u32;
        self.since = state["since"].as_u64().unwrap_or_default();
    }
}

fn guard(mode: Mode) -> Guard {
    let config = Config::new(Settings { mode, ..Settings::default() }).unwrap();
    Guard::new(config).with_detector(Box::new(DeployDetector::default())).unwrap()
}

/// Observes a call. Its argument differs from call to call, so that no other detector sees a loop.
fn call(guard: &mut Guard, name: &'static str) -> Verdict {
    let args = json!({"build": guard.turn()});
    guard.observe(&Step { action: Some(Action::new(name).with_args(&args)), ..Step::default() })
}

/// Returns the turns and severities at which the detector reported.
fn reported(guard: &mut Guard, calls: usize) -> Vec<(u64, Severity)> {
    let findings = (0..calls).flat_map(|_| call(guard, "deploy").findings).collect::<Vec<_>>();
    let own = findings.into_iter().filter(|finding| finding.detector == DetectorName::Custom(NAME));
    own.map(|finding| (finding.turn, finding.severity)).collect()
}

#[test]
fn a_loop_is_reported_when_it_is_new_and_when_it_gets_worse() {
    assert_eq!(reported(&mut guard(Mode::Enforce), 9), [(3, Severity::Warn), (6, Severity::Hard)]);
}

#[test]
fn the_policy_decides_about_the_findings() {
    let mut guard = guard(Mode::Enforce);
    let verdicts: Vec<_> = (0..6).map(|_| call(&mut guard, "deploy")).collect();
    assert_eq!(verdicts[2].strongest(), Some(Intervention::Warn));
    assert!(verdicts[2].advice[0].text.contains("3 deployments without a test run"));
    assert_eq!(verdicts[5].strongest(), Some(Intervention::Escalate));
    let finding = &verdicts[5].findings[0];
    assert_eq!((finding.pattern, finding.since, finding.count), (Pattern::Custom(LOOP), 1, 6));
}

#[test]
fn a_verdict_with_custom_names_is_read_back_from_its_json() {
    let mut guard = guard(Mode::Enforce);
    for _ in 0..6 {
        let verdict = call(&mut guard, "deploy");
        let json = serde_json::to_string(&verdict).unwrap();
        assert_eq!(serde_json::from_str::<Verdict>(&json).unwrap(), verdict);
    }
}

#[test]
fn observe_mode_reports_without_acting_and_off_does_not_call_the_detector() {
    let mut observing = guard(Mode::Observe);
    let verdicts: Vec<_> = (0..3).map(|_| call(&mut observing, "deploy")).collect();
    assert!(!verdicts[2].findings[0].enforced);
    assert_eq!((verdicts[2].strongest(), verdicts[2].advice.len()), (None, 0));
    assert!(reported(&mut guard(Mode::Off), 9).is_empty());
}

#[test]
fn a_restored_guard_continues_with_the_state_of_the_detector() {
    for stop_after in 0..9 {
        let mut whole = guard(Mode::Enforce);
        let mut expected = reported(&mut whole, 9);
        expected.retain(|(turn, _)| *turn > stop_after);
        let mut first = guard(Mode::Enforce);
        reported(&mut first, stop_after as usize);
        let json = serde_json::to_string(&first.snapshot()).unwrap();
        let restored = Guard::restore(Config::default(), serde_json::from_str(&json).unwrap()).unwrap();
        let mut restored = restored.with_detector(Box::new(DeployDetector::default())).unwrap();
        assert_eq!(reported(&mut restored, 9 - stop_after as usize), expected, "restored after {stop_after}");
    }
}

#[test]
fn a_guard_restored_without_the_detector_ignores_its_state() {
    let mut first = guard(Mode::Enforce);
    reported(&mut first, 5);
    let mut restored = Guard::restore(Config::default(), first.into_snapshot()).unwrap();
    assert!(call(&mut restored, "deploy").findings.is_empty());
    assert!(!serde_json::to_string(&restored.snapshot()).unwrap().contains("deploys"));
}

#[test]
fn a_snapshot_without_custom_detectors_has_no_part_for_them() {
    let snapshot = serde_json::to_value(Guard::new(Config::default()).snapshot()).unwrap();
    assert!(snapshot.get("custom").is_none());
}

#[test]
fn a_state_that_is_too_large_is_not_stored() {
    let mut guard = Guard::new(Config::default());
    for name in ["a", "b", "c", "d"] {
        let detector = NamedDetector(CustomName::new(name).unwrap());
        guard = guard.with_detector(Box::new(detector)).unwrap();
    }
    for number in 0..2000 {
        let line = format!(r#"{{"place":"a room with a long name, number {number}"}}"#);
        guard.observe(&Step::from_json(&line).unwrap());
    }
    assert!(serde_json::to_string(&guard.snapshot()).unwrap().len() <= SNAPSHOT_BYTES);
    let too_large = DeployDetector { padding: CUSTOM_STATE_BYTES, ..DeployDetector::default() };
    let guard = Guard::new(Config::default()).with_detector(Box::new(too_large)).unwrap();
    let snapshot = serde_json::to_value(guard.snapshot()).unwrap();
    assert_eq!(snapshot["custom"][0]["state"], Value::Null);
}

/// A detector that finds nothing and has the largest state that fits.
#[derive(Clone, Debug)]
struct NamedDetector(CustomName);

impl CustomDetector for NamedDetector {
    fn name(&self) -> CustomName {
        self.0
    }

    fn observe(&mut self, _: &CustomContext<'_>, _: &mut CustomFindings<'_>) {}

    fn snapshot(&self) -> Value {
        Value::from("x".repeat(CUSTOM_STATE_BYTES - 2))
    }
}

#[test]
fn a_name_can_be_used_once_and_a_guard_has_a_limited_number_of_detectors() {
    let add = |guard: Guard, name: &str| {
        guard.with_detector(Box::new(NamedDetector(CustomName::new(name).unwrap())))
    };
    let guard = Guard::new(Config::default());
    let cycle = CustomName::from_static("cycle");
    assert_eq!(add(guard.clone(), "cycle").unwrap_err(), AddDetectorError::NameTaken(cycle));
    let guard = ["a", "b", "c", "d"].into_iter().try_fold(guard, add).unwrap();
    assert_eq!(
        add(guard.clone(), "a").unwrap_err(),
        AddDetectorError::NameTaken(CustomName::from_static("a"))
    );
    assert_eq!(add(guard, "e").unwrap_err(), AddDetectorError::TooMany);
}

#[test]
fn an_objection_refuses_a_proposal_unless_a_rule_allows_it() {
    let proposal = Proposal { action: Action::new("deploy"), ..Proposal::default() };
    let mut strict = guard(Mode::Enforce);
    reported(&mut strict, 4);
    assert!(strict.weigh(&proposal).accepted);
    reported(&mut strict, 1);
    let ruling = strict.weigh(&proposal);
    assert!(!ruling.accepted);
    assert_eq!(ruling.adjustments[0].detector, DetectorName::Custom(NAME));

    let allow = vec![AllowRule { tool: Some("deploy".into()), args: None }];
    let config = Config::new(Settings { allow, ..Settings::default() }).unwrap();
    let mut lenient = Guard::new(config).with_detector(Box::new(DeployDetector::default())).unwrap();
    reported(&mut lenient, 5);
    assert!(lenient.weigh(&proposal).accepted);
}

#[test]
fn a_cloned_guard_has_a_state_of_its_own() {
    let mut original = guard(Mode::Enforce);
    reported(&mut original, 2);
    let mut copy = original.clone();
    assert_eq!(reported(&mut copy, 1), [(3, Severity::Warn)]);
    assert_eq!(reported(&mut original, 1), [(3, Severity::Warn)]);
}
