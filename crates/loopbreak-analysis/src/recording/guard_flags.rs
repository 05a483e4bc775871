//! Warnings and interventions along a run, as flags.

use loopbreak::detectors::CustomName;
use loopbreak::{
    Decision, DetectorName, Finding, Intervention, Pattern, Severity, Verdict, verdict::Audience,
};
use serde::{Deserialize, Serialize};

use super::finding_facts::finding_facts;
use super::visible_text::visible_text;
use crate::named_fields;
use crate::report::RunEnding;
use crate::statistics::{FindingReport, WarningEffect};

/// Maximum number of flags per kind, and in total.
const OF_A_KIND: usize = 16;
const FLAGS: usize = 200;
/// Maximum length of a text, in bytes.
const REASON: usize = 240;
const ADVICE: usize = 600;

/// A warning or an intervention.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuardFlag {
    #[serde(rename = "t")]
    turn: u64,
    /// The number of its step among all records.
    #[serde(rename = "n")]
    number: u64,
    #[serde(rename = "s")]
    severity: Severity,
    /// The intervention that would have been made.
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    intervention: Option<Intervention>,
    #[serde(rename = "d")]
    detector: DetectorName,
    #[serde(rename = "p")]
    pattern: Pattern,
    #[serde(rename = "y")]
    reason: String,
    /// It is only observed.
    #[serde(rename = "b", default, skip_serializing_if = "std::ops::Not::not")]
    observed: bool,
    /// The run would have ended here.
    #[serde(rename = "z", default, skip_serializing_if = "std::ops::Not::not")]
    pub ends: bool,
    /// The evidence, as names and values.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(String, String)>,
    /// The advice that the agent would have received.
    #[serde(rename = "a", default, skip_serializing_if = "String::is_empty")]
    advice: String,
    /// The agent's reaction.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    effect: Option<WarningEffect>,
}

/// The pattern that the page shows for a proposal that would have been refused.
const REFUSED_PROPOSAL: Pattern = Pattern::Custom(CustomName::from_static("refused_proposal"));

/// Flags of one kind are similar.
type FlagKind = (DetectorName, Pattern, Option<Intervention>);

/// All flags of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct GuardFlags {
    #[serde(with = "named_fields")]
    all: Vec<GuardFlag>,
    kinds: Vec<(FlagKind, usize)>,
    /// Detectors whose advice is already kept. Further advice of the same detector is similar.
    advised: Vec<DetectorName>,
    ended: bool,
    pub(super) left_out: u64,
}

/// The flags of one step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepFlags {
    pub(super) any: bool,
    /// The run would have ended here.
    pub(super) ends: bool,
}

impl GuardFlags {
    pub(super) fn add(&mut self, verdict: &Verdict, number: u64) -> StepFlags {
        let mut flagged = StepFlags::default();
        let mut told: Vec<(DetectorName, Pattern)> = Vec::new();
        for finding in verdict.findings.iter().filter(|finding| finding.severity >= Severity::Warn) {
            let key = (finding.detector, finding.pattern);
            told.push(key);
            let act = verdict.decisions.iter().find(|act| (act.detector, act.pattern) == key);
            let ends = !self.ended && RunEnding::from_finding(finding).is_some();
            self.ended |= ends;
            flagged.any = true;
            flagged.ends |= ends;
            let advice = self.advice(finding.detector, verdict);
            self.put(GuardFlag {
                turn: verdict.turn,
                number,
                severity: finding.severity,
                intervention: act.map(|act| act.intervention).or(finding.intervention),
                detector: finding.detector,
                pattern: finding.pattern,
                reason: visible_text(&reason(finding, act), REASON),
                observed: !finding.enforced,
                ends,
                facts: finding_facts(finding),
                advice,
                effect: None,
            });
        }
        for act in verdict.decisions.iter().filter(|act| act.intervention != Intervention::Hint) {
            if !told.contains(&(act.detector, act.pattern)) {
                told.push((act.detector, act.pattern));
                flagged.any = true;
                let hard = act.intervention.overrides_agent();
                let advice = self.advice(act.detector, verdict);
                self.put(GuardFlag {
                    turn: verdict.turn,
                    number,
                    severity: if hard { Severity::Hard } else { Severity::Warn },
                    intervention: Some(act.intervention),
                    detector: act.detector,
                    pattern: act.pattern,
                    reason: visible_text(&act.reason, REASON),
                    observed: !act.enforced,
                    ends: false,
                    facts: Vec::new(),
                    advice,
                    effect: None,
                });
            }
        }
        flagged.any |= self.refused(verdict, number);
        flagged
    }

    /// Adds a flag for a proposal that would have been refused.
    fn refused(&mut self, verdict: &Verdict, number: u64) -> bool {
        let refused = |ruling: &&loopbreak::Ruling| ruling.intervention == Some(Intervention::Reject);
        let Some(ruling) = verdict.ruling.as_ref().filter(refused) else { return false };
        let lowered = ruling.adjustments.iter().filter(|adjustment| adjustment.enforced);
        let Some(most) = lowered.min_by(|a, b| a.amount.total_cmp(&b.amount)) else { return false };
        self.put(GuardFlag {
            turn: verdict.turn,
            number,
            severity: Severity::Warn,
            intervention: Some(Intervention::Reject),
            detector: most.detector,
            pattern: REFUSED_PROPOSAL,
            reason: visible_text(&most.reason, REASON),
            observed: false,
            ends: false,
            facts: Vec::new(),
            advice: String::new(),
            effect: None,
        });
        true
    }

    /// Returns the advice for the agent, the first time.
    fn advice(&mut self, detector: DetectorName, verdict: &Verdict) -> String {
        let mut words = verdict
            .advice
            .iter()
            .filter(|advice| advice.detector == detector && matches!(advice.audience, Audience::Agent));
        match words.next() {
            Some(advice) if !self.advised.contains(&detector) => {
                self.advised.push(detector);
                visible_text(&advice.text, ADVICE)
            }
            _ => String::new(),
        }
    }

    fn put(&mut self, flag: GuardFlag) {
        let kind = (flag.detector, flag.pattern, flag.intervention);
        let at = self.kinds.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            self.kinds.push((kind, 0));
            self.kinds.len() - 1
        });
        let count = &mut self.kinds[at].1;
        if flag.ends || (*count < OF_A_KIND && self.all.len() < FLAGS) {
            *count += 1;
            self.all.push(flag);
        } else {
            self.left_out += 1;
        }
    }

    /// Returns all flags in order, each with its effect.
    pub(super) fn finish(mut self, findings: &[FindingReport]) -> (Vec<GuardFlag>, u64) {
        for flag in &mut self.all {
            let from = findings.partition_point(|finding| finding.turn < flag.turn);
            let same = findings[from..]
                .iter()
                .take_while(|finding| finding.turn == flag.turn)
                .find(|finding| (finding.detector, finding.pattern) == (flag.detector, flag.pattern));
            flag.effect = same.and_then(|finding| finding.effect);
        }
        (self.all, self.left_out)
    }
}

fn reason(finding: &Finding, act: Option<&Decision>) -> String {
    let of_act = act.map(|act| act.reason.as_str()).filter(|reason| !reason.is_empty());
    of_act.unwrap_or_else(|| finding.reason()).to_owned()
}
