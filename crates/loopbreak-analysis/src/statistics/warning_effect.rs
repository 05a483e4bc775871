//! The effect of a warning: the agent left the loop, or continued it.
//!
//! In a replay the agent did not see the warning. A loop that continued was a true one; for a loop that the agent left
//! anyway, the warning was not necessary.

use std::ops::Deref;

use loopbreak::evidence::EvidenceKey;
use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Severity, Step, Verdict};
use serde::{Deserialize, Serialize};

use crate::named_fields;
use crate::report::MOST_LISTED;

/// Minimum number of steps of the agent for which a warning is followed; two rounds for loops with longer rounds.
pub const FOLLOWED_STEPS: u64 = 5;
/// Minimum number of last steps that must be free of the loop; one round for loops with longer rounds.
pub const FREE_STEPS: u64 = 3;

/// The agent's reaction to a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WarningEffect {
    /// The agent left the loop within the steps that were followed.
    ChangedCourse,
    /// The agent was still in the loop at their end.
    WentOn,
    /// The run ended before that.
    Ended,
}

impl WarningEffect {
    /// Returns the name that all output uses.
    pub fn as_str(self) -> &'static str {
        match self {
            WarningEffect::ChangedCourse => "changed_course",
            WarningEffect::WentOn => "went_on",
            WarningEffect::Ended => "ended",
        }
    }
}

/// A finding and its effect.
#[derive(Clone, Debug, Serialize)]
pub struct FindingReport {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// The effect; absent for a hint, a limit or a task, which an agent cannot leave by changing course.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<WarningEffect>,
    /// Number of further steps of the loop before it was left; 0 for immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_after: Option<u64>,
    /// The line of the log, if known.
    #[serde(skip)]
    pub line: Option<u64>,
}

impl Deref for FindingReport {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        &self.finding
    }
}

/// Number of loops by effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EffectCounts {
    /// The agent left the loop.
    pub changed_course: u64,
    /// The loop continued.
    pub went_on: u64,
    /// The run ended before that.
    pub ended: u64,
}

impl EffectCounts {
    /// Counts the first warning of each loop. Further warnings of the same loop are not counted.
    pub fn from_findings(findings: &[FindingReport]) -> Self {
        Self::count_where(findings, |_| true)
    }

    /// Counts the first warnings of one detector.
    pub fn for_detector(findings: &[FindingReport], detector: DetectorName) -> Self {
        Self::count_where(findings, |finding| finding.detector == detector)
    }

    fn count_where(findings: &[FindingReport], counts: impl Fn(&FindingReport) -> bool) -> Self {
        let mut effects = EffectCounts::default();
        let mut seen: Vec<LoopId> = Vec::new();
        for finding in findings.iter().filter(|finding| finding.enforced && counts(finding)) {
            let Some(effect) = finding.effect else { continue };
            if !seen.contains(&finding.loop_id) {
                seen.push(finding.loop_id);
                effects.count(effect);
            }
        }
        effects
    }

    fn count(&mut self, effect: WarningEffect) {
        *match effect {
            WarningEffect::ChangedCourse => &mut self.changed_course,
            WarningEffect::WentOn => &mut self.went_on,
            WarningEffect::Ended => &mut self.ended,
        } += 1;
    }

    /// Adds the counts of another run.
    pub fn merge(&mut self, other: &EffectCounts) {
        self.changed_course += other.changed_course;
        self.went_on += other.went_on;
        self.ended += other.ended;
    }

    /// Returns the number of loops, and the number of those that could be decided.
    pub fn totals(&self) -> (u64, u64) {
        let told = self.changed_course + self.went_on;
        (told + self.ended, told)
    }
}

/// Follows the warnings of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WarningFollower {
    #[serde(with = "named_fields")]
    findings: Vec<FollowedFinding>,
    /// Number of further findings.
    unlisted: u64,
    /// Warnings that are not decided yet: at most those of the last few steps.
    open: Vec<OpenWarning>,
}

/// A finding of a run that continues. Unlike its report, it is stored with its line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FollowedFinding {
    finding: Finding,
    effect: Option<WarningEffect>,
    left_after: Option<u64>,
    line: Option<u64>,
}

impl From<FollowedFinding> for FindingReport {
    fn from(followed: FollowedFinding) -> Self {
        let FollowedFinding { finding, effect, left_after, line } = followed;
        FindingReport { finding, effect, left_after, line }
    }
}

/// A warning that is not decided yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OpenWarning {
    finding: usize,
    /// Number of steps it is followed for, and number of last steps that must be free of the loop.
    followed: u64,
    free: u64,
    /// Number of steps of the agent since then.
    steps: u64,
    /// The last of them that belonged to the loop.
    last: u64,
}

impl WarningFollower {
    /// Adds a step, its verdict, and the line it was read from.
    pub(crate) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, line: Option<u64>) {
        let agent = step.agent.as_deref().unwrap_or(loopbreak::step::MAIN_AGENT);
        let findings = &mut self.findings;
        self.open.retain_mut(|open| {
            let followed = &mut findings[open.finding];
            let sighted = verdict.sighted.contains(&followed.finding.loop_id);
            // Other agents of the run act independently. A loop of the run as a whole can be seen at any of them.
            if followed.finding.agent != agent && !sighted {
                return true;
            }
            open.steps += 1;
            if sighted {
                open.last = open.steps;
            }
            let (effect, left_after) = if open.last > open.followed - open.free {
                (WarningEffect::WentOn, None)
            } else if open.steps >= open.followed {
                (WarningEffect::ChangedCourse, Some(open.last))
            } else {
                return true;
            };
            (followed.effect, followed.left_after) = (Some(effect), left_after);
            false
        });
        for finding in &verdict.findings {
            // A run may be endless, its report must not be.
            if self.findings.len() >= MOST_LISTED {
                self.unlisted += 1;
                continue;
            }
            if is_followed(finding) {
                self.open.push(OpenWarning::new(finding, self.findings.len()));
            }
            let finding = finding.clone();
            self.findings.push(FollowedFinding { finding, effect: None, left_after: None, line });
        }
    }

    /// Returns the findings in their order, and the number of further ones.
    pub(crate) fn finish(mut self) -> (Vec<FindingReport>, u64) {
        for open in &self.open {
            self.findings[open.finding].effect = Some(WarningEffect::Ended);
        }
        (self.findings.into_iter().map(FindingReport::from).collect(), self.unlisted)
    }
}

impl OpenWarning {
    fn new(finding: &Finding, at: usize) -> Self {
        let period = finding.evidence.number(EvidenceKey::PERIOD).unwrap_or(1);
        OpenWarning {
            finding: at,
            followed: FOLLOWED_STEPS.max(2 * period),
            free: FREE_STEPS.max(period),
            steps: 0,
            last: 0,
        }
    }
}

/// Returns whether a finding has an effect. An agent cannot leave a limit or a task by changing course.
fn is_followed(finding: &Finding) -> bool {
    finding.severity >= Severity::Warn && finding.detector.subject().can_be_left()
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard};

    use super::*;

    /// Runs three identical steps, which cause a warning, then one step per letter.
    fn after_the_warning(then: &str) -> Vec<FindingReport> {
        let mut guard = Guard::new(Config::default());
        let mut followed = WarningFollower::default();
        for letter in "aaa".chars().chain(then.chars()) {
            let agent = if letter.is_uppercase() { "other" } else { "main" };
            let line = format!(
                r#"{{"agent":"{agent}","action":"do {letter}","outcome":"{letter}{letter} came of it"}}"#
            );
            let step = Step::from_json(&line).unwrap();
            let verdict = guard.observe(&step);
            followed.add(&step, &verdict, None);
        }
        followed.finish().0
    }

    fn first(then: &str) -> (Option<WarningEffect>, Option<u64>) {
        let findings = after_the_warning(then);
        let warned = findings.iter().find(|finding| finding.detector == DetectorName::Cycle).unwrap();
        assert_eq!(warned.turn, 3);
        (warned.effect, warned.left_after)
    }

    #[test]
    fn a_continued_loop_is_decided_as_soon_as_it_cannot_be_left_in_time() {
        assert_eq!(first("aaaaaa"), (Some(WarningEffect::WentOn), None));
        assert_eq!(first("aaa"), (Some(WarningEffect::WentOn), None));
        assert_eq!(first("xaaaa"), (Some(WarningEffect::WentOn), None));
    }

    #[test]
    fn a_left_loop_has_the_number_of_further_steps() {
        assert_eq!(first("bcdef"), (Some(WarningEffect::ChangedCourse), Some(0)));
        assert_eq!(first("aabcd"), (Some(WarningEffect::ChangedCourse), Some(2)));
        assert_eq!(
            first("bcdefaaaaaa"),
            (Some(WarningEffect::ChangedCourse), Some(0)),
            "later steps do not count"
        );
    }

    #[test]
    fn a_run_that_ends_too_soon_is_undecided() {
        assert_eq!(first(""), (Some(WarningEffect::Ended), None));
        assert_eq!(first("aa"), (Some(WarningEffect::Ended), None));
        assert_eq!(first("bcde"), (Some(WarningEffect::Ended), None));
    }

    #[test]
    fn steps_of_other_agents_do_not_leave_the_loop() {
        assert_eq!(first("BCDEFG"), (Some(WarningEffect::Ended), None));
        assert_eq!(first("BCaDEaFGaHI"), (Some(WarningEffect::WentOn), None));
    }

    #[test]
    fn a_loop_with_several_warnings_counts_once() {
        let findings = after_the_warning(&"a".repeat(30));
        assert!(findings.iter().filter(|finding| finding.effect.is_some()).count() > 2);
        assert_eq!(
            EffectCounts::from_findings(&findings),
            EffectCounts { went_on: 1, ..EffectCounts::default() }
        );
        assert_eq!(EffectCounts::for_detector(&findings, DetectorName::Poll), EffectCounts::default());
    }

    #[test]
    fn a_limit_has_no_effect() {
        let mut settings = loopbreak::Settings::default();
        settings.budget.max_iterations = 10;
        let mut guard = Guard::new(Config::new(settings).unwrap());
        let mut followed = WarningFollower::default();
        for number in 0..20 {
            let line = format!(r#"{{"action":"{number}","outcome":"came to {number}"}}"#);
            let step = Step::from_json(&line).unwrap();
            followed.add(&step, &guard.observe(&step), None);
        }
        let findings = followed.finish().0;
        assert!(!findings.is_empty() && findings.iter().all(|finding| finding.effect.is_none()));
    }
}
