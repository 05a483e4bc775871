//! What the agent did after a warning: whether it went on with the loop or changed course.
//!
//! In a replay nobody read the warning, so this says what the agent did by itself. A loop that goes on regardless was a
//! true one; one that the agent leaves anyway need not have been warned of.

use std::ops::Deref;

use loopbreak::evidence::EvidenceKey;
use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Severity, Step, Verdict};
use serde::Serialize;

use crate::pack::{one_of, packed};
use crate::report::MOST_LISTED;

/// For how many steps of the agent a warning is followed, at least; two rounds of a loop whose rounds are longer.
pub const FOLLOWED_STEPS: u64 = 5;
/// How many of the last of them have to be free of the loop, at least; one round of a loop whose rounds are longer.
pub const FREE_STEPS: u64 = 3;

/// What the agent did after a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It left the loop within the steps that were followed.
    ChangedCourse,
    /// It was still in the loop at the end of them.
    WentOn,
    /// The run ended before it could be told.
    Ended,
}

impl Effect {
    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::ChangedCourse => "changed_course",
            Effect::WentOn => "went_on",
            Effect::Ended => "ended",
        }
    }
}

/// A finding, and what came after it.
#[derive(Clone, Debug, Serialize)]
pub struct FindingReport {
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// What the agent did after it; nothing for a hint, a limit or a task, where there is no course to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// After how many more steps of the loop it was left: 0 is at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_after: Option<u64>,
    /// The line of the log that it was found at, where that is known.
    #[serde(skip)]
    pub line: Option<u64>,
}

impl Deref for FindingReport {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        &self.finding
    }
}

/// How often which effect was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effects {
    /// The agent left the loop.
    pub changed_course: u64,
    /// It went on with it.
    pub went_on: u64,
    /// The run ended before it could be told.
    pub ended: u64,
}

impl Effects {
    /// Counts the first warning of each loop: a loop that goes on is warned of again, and is no second one for it.
    pub fn of(findings: &[FindingReport]) -> Self {
        Self::by(findings, |_| true)
    }

    /// The same for one detector's findings.
    pub fn of_detector(findings: &[FindingReport], detector: DetectorName) -> Self {
        Self::by(findings, |finding| finding.detector == detector)
    }

    fn by(findings: &[FindingReport], meant: impl Fn(&FindingReport) -> bool) -> Self {
        let mut effects = Effects::default();
        let mut seen: Vec<LoopId> = Vec::new();
        for finding in findings.iter().filter(|finding| finding.enforced && meant(finding)) {
            let Some(effect) = finding.effect else { continue };
            if !seen.contains(&finding.loop_id) {
                seen.push(finding.loop_id);
                effects.count(effect);
            }
        }
        effects
    }

    fn count(&mut self, effect: Effect) {
        *match effect {
            Effect::ChangedCourse => &mut self.changed_course,
            Effect::WentOn => &mut self.went_on,
            Effect::Ended => &mut self.ended,
        } += 1;
    }

    /// Adds those of another run.
    pub fn join(&mut self, other: &Effects) {
        self.changed_course += other.changed_course;
        self.went_on += other.went_on;
        self.ended += other.ended;
    }

    /// How many there are, and how many of them could be told.
    pub fn told(&self) -> (u64, u64) {
        let told = self.changed_course + self.went_on;
        (told + self.ended, told)
    }
}

/// Follows the warnings of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    findings: Vec<FindingReport>,
    /// How many more there were.
    unlisted: u64,
    /// The warnings that are not judged yet: never more than were given in the last few steps.
    open: Vec<Open>,
}

/// A warning that is not judged yet.
#[derive(Clone, Debug)]
struct Open {
    finding: usize,
    /// How many steps it is followed for, and how many of the last have to be free of the loop.
    followed: u64,
    free: u64,
    /// How many steps of the agent there were since.
    steps: u64,
    /// The last of them that belonged to the loop.
    last: u64,
}

one_of! {
    Effect: [Effect::ChangedCourse, Effect::WentOn, Effect::Ended];
}

packed! {
    FindingReport { finding, effect, left_after, line }
    Followed { findings, unlisted, open }
    Open { finding, followed, free, steps, last }
}

impl Followed {
    /// Takes in a step, what the guard said of it, and the line it was read from.
    pub(crate) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, line: Option<u64>) {
        let agent = step.agent.as_deref().unwrap_or(loopbreak::MAIN_AGENT);
        let findings = &mut self.findings;
        self.open.retain_mut(|open| {
            let finding = &mut findings[open.finding];
            let sighted = verdict.sighted.contains(&finding.loop_id);
            // Others of the run have courses of their own. What only the run as a whole can be in, anyone shows.
            if finding.agent != agent && !sighted {
                return true;
            }
            open.steps += 1;
            if sighted {
                open.last = open.steps;
            }
            let (effect, left_after) = if open.last > open.followed - open.free {
                (Effect::WentOn, None)
            } else if open.steps >= open.followed {
                (Effect::ChangedCourse, Some(open.last))
            } else {
                return true;
            };
            (finding.effect, finding.left_after) = (Some(effect), left_after);
            false
        });
        for finding in &verdict.findings {
            // A run may have no end, and a report of it has to have one.
            if self.findings.len() >= MOST_LISTED {
                self.unlisted += 1;
                continue;
            }
            if is_followed(finding) {
                self.open.push(Open::new(finding, self.findings.len()));
            }
            let finding = finding.clone();
            self.findings.push(FindingReport { finding, effect: None, left_after: None, line });
        }
    }

    /// The findings in their order, and how many more there were.
    pub(crate) fn finish(mut self) -> (Vec<FindingReport>, u64) {
        for open in &self.open {
            self.findings[open.finding].effect = Some(Effect::Ended);
        }
        (self.findings, self.unlisted)
    }
}

impl Open {
    fn new(finding: &Finding, at: usize) -> Self {
        let period = finding.evidence.number(EvidenceKey::PERIOD).unwrap_or(1);
        Open {
            finding: at,
            followed: FOLLOWED_STEPS.max(2 * period),
            free: FREE_STEPS.max(period),
            steps: 0,
            last: 0,
        }
    }
}

/// A limit is reached whatever the agent does, and a task is taken from it or not: neither is a course.
fn is_followed(finding: &Finding) -> bool {
    finding.severity >= Severity::Warn
        && !matches!(finding.detector, DetectorName::Budget | DetectorName::Task)
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard};

    use super::*;

    /// A run that does the same four times, which is warned of, then one of these letters a step.
    fn after_the_warning(then: &str) -> Vec<FindingReport> {
        let mut guard = Guard::new(Config::default());
        let mut followed = Followed::default();
        for letter in "aaaa".chars().chain(then.chars()) {
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

    fn first(then: &str) -> (Option<Effect>, Option<u64>) {
        let findings = after_the_warning(then);
        let warned = findings.iter().find(|finding| finding.detector == DetectorName::Cycle).unwrap();
        assert_eq!(warned.turn, 4);
        (warned.effect, warned.left_after)
    }

    #[test]
    fn an_agent_that_goes_on_is_seen_as_soon_as_it_cannot_have_left_in_time() {
        assert_eq!(first("aaaaaa"), (Some(Effect::WentOn), None));
        assert_eq!(first("aaa"), (Some(Effect::WentOn), None));
        assert_eq!(first("xaaaa"), (Some(Effect::WentOn), None));
    }

    #[test]
    fn an_agent_that_leaves_says_after_how_many_more_steps() {
        assert_eq!(first("bcdef"), (Some(Effect::ChangedCourse), Some(0)));
        assert_eq!(first("aabcd"), (Some(Effect::ChangedCourse), Some(2)));
        assert_eq!(
            first("bcdefaaaaaa"),
            (Some(Effect::ChangedCourse), Some(0)),
            "what comes later is another story"
        );
    }

    #[test]
    fn a_run_that_ends_too_soon_says_nothing() {
        assert_eq!(first(""), (Some(Effect::Ended), None));
        assert_eq!(first("aa"), (Some(Effect::Ended), None));
        assert_eq!(first("bcde"), (Some(Effect::Ended), None));
    }

    #[test]
    fn the_steps_of_other_agents_are_no_change_of_course() {
        assert_eq!(first("BCDEFG"), (Some(Effect::Ended), None));
        assert_eq!(first("BCaDEaFGaHI"), (Some(Effect::WentOn), None));
    }

    #[test]
    fn a_loop_counts_once_however_often_it_is_warned_of() {
        let findings = after_the_warning(&"a".repeat(30));
        assert!(findings.iter().filter(|finding| finding.effect.is_some()).count() > 2);
        assert_eq!(Effects::of(&findings), Effects { went_on: 1, ..Effects::default() });
        assert_eq!(Effects::of_detector(&findings, DetectorName::Poll), Effects::default());
    }

    #[test]
    fn a_limit_is_no_course() {
        let mut settings = loopbreak::Settings::default();
        settings.budget.max_iterations = 10;
        let mut guard = Guard::new(Config::new(settings).unwrap());
        let mut followed = Followed::default();
        for number in 0..20 {
            let line = format!(r#"{{"action":"{number}","outcome":"came to {number}"}}"#);
            let step = Step::from_json(&line).unwrap();
            followed.add(&step, &guard.observe(&step), None);
        }
        let findings = followed.finish().0;
        assert!(!findings.is_empty() && findings.iter().all(|finding| finding.effect.is_none()));
    }
}
