//! `task`: repeated attempts at a task without progress.
//!
//! Catches, over the last 3 attempts of equal status within an hour: `completed_task_revisit` (done, and
//! attempted again), `blocked_task_spin` (the same blockers, no new work), `no_progress_repeat` (the same
//! work). Over the order of the attempts: `task_cycle` (two or three tasks in turn, and no attempt brings anything new).
//! Must not catch: a constant blocker with growing work, changing work, changing status, attempts spread over
//! more than the window. A step that only names a task is not an attempt. An attempt has a status, blockers
//! or work. A round in which one of the tasks reports new work, new blockers or another status is not part of a cycle.
//! Origin: document 003, with its idea of loops across tasks. Mistakes 7, 8 and 9.

#[cfg(test)]
mod cycle_tests;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
pub(crate) mod texts;

use self::settings::TaskSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorReport, DetectorSubject, DetectorTexts,
    LoopFamily, Pattern, StepContext, StepDetector,
};
use crate::evidence::{Evidence, EvidenceKey};
use crate::memory::{HashKey, key_of, key_of_parts, snapshot_type};
use crate::settings::Mode;
use crate::step::Task;
use crate::tasks::{HistoryBounds, TaskCycle, TaskCycleTracker, TaskHistories, TaskHistory, TaskLoop};
use crate::verdict::Severity;

/// Number of tasks and attempts that a guard keeps. The least recently attempted task is dropped first.
const KEPT: HistoryBounds = HistoryBounds { tasks: 12, attempts: 40 };

snapshot_type! {
    /// The detector `task`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct TaskDetector {
        pub(crate) book: TaskHistories,
        #[serde(skip_serializing_if = "TaskCycleTracker::is_empty")]
        cycle: TaskCycleTracker,
    }
}

impl Detector for TaskDetector {
    type Settings = TaskSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Task;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;
}

impl StepDetector for TaskDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &TaskSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user {
            self.book.forget_reports();
            self.cycle.clear();
        }
        let Some(task) = context.step.task.as_ref().filter(|task| is_attempt(task) && !context.step.refused)
        else {
            return;
        };
        let history = self.book.record(task, context.turn, context.now, settings, KEPT);
        let single = look(history, settings, context.now);
        if let Some((found, detection, news)) = single {
            *out.add_as(detection, news) = evidence_of(history, &found, settings);
            self.cycle.record(TaskHistories::key(&task.id.as_text()), &self.book);
            return;
        }
        self.cycle.record(TaskHistories::key(&task.id.as_text()), &self.book);
        // A task that loops by itself is recovered by itself, so its part in a cycle is not reported.
        let found = self.cycle.find(&self.book, settings, context.now);
        let news = self.cycle.is_news(found.as_ref());
        if let Some(found) = found {
            *out.add_as(cycle_detection(&found), news) = cycle_evidence(&found);
        }
    }
}

/// Returns the report of a series about a task, by the same rules as the detector but without a run.
pub(crate) fn report(
    history: &mut TaskHistory,
    settings: &TaskSettings,
    now: Option<i64>,
    mode: Mode,
) -> Option<DetectorReport> {
    let (found, detection, news) = look(history, settings, now)?;
    let evidence = evidence_of(history, &found, settings);
    Some(DetectorReport {
        detector: DetectorName::Task,
        enforced: mode == Mode::Enforce,
        detection,
        news,
        evidence,
    })
}

/// Returns the report about a cycle of tasks.
pub(crate) fn cycle_report(cycle: &TaskCycle, news: bool, mode: Mode) -> DetectorReport {
    DetectorReport {
        detector: DetectorName::Task,
        enforced: mode == Mode::Enforce,
        detection: cycle_detection(cycle),
        news,
        evidence: cycle_evidence(cycle),
    }
}

fn cycle_detection(cycle: &TaskCycle) -> Detection {
    Detection {
        pattern: Pattern::TaskCycle,
        family: LoopFamily::Task,
        identity: key_of_parts(&[key_of(Pattern::TaskCycle.as_str()), cycle.identity]),
        since: cycle.since,
        severity: Some(cycle.severity),
        stage: 0,
        count: cycle.count,
        requested_intervention: None,
    }
}

/// Returns the evidence of a cycle of tasks.
pub(crate) fn cycle_evidence(cycle: &TaskCycle) -> Evidence {
    let mut evidence = Evidence::default();
    let tasks: Vec<serde_json::Value> = cycle.tasks.iter().map(|id| id.as_str().into()).collect();
    evidence
        .note(EvidenceKey::TASKS, serde_json::Value::Array(tasks))
        .note(EvidenceKey::ROUNDS, cycle.rounds);
    let key = if cycle.sent_back { EvidenceKey::SEND_BACKS } else { EvidenceKey::ATTEMPT_COUNT };
    evidence.note(key, cycle.count);
    evidence
}

/// Judges a task that was just attempted, and returns whether the finding is news. Steps and other tasks
/// between two attempts do not end the loop of a task. Only an attempt at the same task that is not part of a
/// loop ends it.
fn look(
    history: &mut TaskHistory,
    settings: &TaskSettings,
    now: Option<i64>,
) -> Option<(TaskLoop, Detection, bool)> {
    let found = history.judge(settings, now);
    let detection = found.as_ref().map(|found| detection(history, found, settings));
    let news = history.is_news(detection.as_ref().map(|detection| (detection.identity, detection.count)));
    Some((found?, detection?, news))
}

fn evidence_of(history: &TaskHistory, found: &TaskLoop, settings: &TaskSettings) -> Evidence {
    let mut evidence = Evidence::default();
    let serde_json::Value::Object(facts) = history.evidence(settings) else { return evidence };
    for (name, value) in facts {
        evidence.note(name, value);
    }
    evidence.note("attempt_count", found.attempts);
    evidence
}

/// Returns the detection for a task that loops.
fn detection(history: &TaskHistory, found: &TaskLoop, settings: &TaskSettings) -> Detection {
    // From this number of attempts the intervention changes, so the detection is news.
    let overdue = HashKey(u64::from(found.attempts >= settings.force_next_after));
    let pattern = Pattern::from(found.pattern);
    let content = history.content(found.pattern);
    Detection {
        pattern,
        family: LoopFamily::Task,
        identity: key_of_parts(&[
            key_of(&history.id),
            HashKey(history.round),
            key_of(pattern.as_str()),
            overdue,
            content,
        ]),
        since: found.since,
        severity: Some(Severity::Hard),
        stage: 0,
        count: found.attempts,
        requested_intervention: None,
    }
}

/// Returns whether a step reports an attempt, as opposed to only naming the task it belongs to.
pub(crate) fn is_attempt(task: &Task<'_>) -> bool {
    task.status.is_some() || !task.blockers.is_empty() || !task.work.is_empty()
}
