//! `task`: a task attempted again and again without headway.
//!
//! Catches, over the last 3 attempts of equal status within an hour: `completed_task_revisit` (done, and attempted
//! again), `blocked_task_spin` (the same blockers, no new work), `no_progress_repeat` (the same work).
//! Must not catch: a constant blocker with growing work, changing work, changing status, attempts spread over more
//! than the window. A step that only names a task is no attempt: one has a status, blockers or work.
//! From: document 003. Mistakes 7, 8 and 9.

pub(crate) mod settings;
pub(crate) mod texts;

use serde::{Deserialize, Serialize};

use self::settings::TaskSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorReport, DetectorSubject, DetectorTexts,
    LoopFamily, Pattern, StepContext, StepDetector,
};
use crate::evidence::Evidence;
use crate::memory::{key_of, key_of_parts};
use crate::settings::Mode;
use crate::step::Task;
use crate::tasks::{HistoryBounds, TaskHistories, TaskHistory, TaskLoop};
use crate::verdict::Severity;

/// What a guard keeps of tasks; the least recently attempted task goes first.
const KEPT: HistoryBounds = HistoryBounds { tasks: 12, attempts: 40 };

/// The detector `task`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TaskDetector {
    pub(crate) book: TaskHistories,
}

impl Detector for TaskDetector {
    type Settings = TaskSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Task;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;
}

impl StepDetector for TaskDetector {
    fn bytes(&self, digits: usize) -> usize {
        10 + self.book.bytes(digits)
    }

    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &TaskSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.user.is_some() {
            self.book.forget_reports();
        }
        let Some(task) = context.step.task.as_ref().filter(|task| is_attempt(task) && !context.step.refused)
        else {
            return;
        };
        let history = self.book.record(task, context.turn, context.now, settings, KEPT);
        if let Some((found, detection, news)) = look(history, settings, context.now) {
            *out.add_as(detection, news) = evidence_of(history, &found, settings);
        }
    }
}

/// What a series reports of a task: the same as the detector, without a run around it.
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

/// Judges a task that was just attempted, and says whether what is found is news. What lies between two attempts,
/// steps or other tasks, does not end the loop of a task; only an attempt of its own that is none does.
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

/// What is sighted of a task that goes round in circles.
fn detection(history: &TaskHistory, found: &TaskLoop, settings: &TaskSettings) -> Detection {
    // From here on something else is done about it, so it is news.
    let overdue = u64::from(found.attempts >= settings.force_next_after);
    let pattern = Pattern::from(found.pattern);
    let content = history.content(found.pattern);
    Detection {
        pattern,
        family: LoopFamily::Task,
        identity: key_of_parts(&[
            key_of(&history.id),
            history.round,
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

/// Whether a step reports an attempt, or only says what task it belongs to.
pub(crate) fn is_attempt(task: &Task<'_>) -> bool {
    task.status.is_some() || !task.blockers.is_empty() || !task.work.is_empty()
}
