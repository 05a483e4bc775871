//! `task`: a task attempted again and again without headway.
//!
//! Catches, over the last 3 attempts of equal status within an hour: `completed_task_revisit` (done, and attempted
//! again), `blocked_task_spin` (the same blockers, no new work), `no_progress_repeat` (the same work).
//! Must not catch: a constant blocker with growing work, changing work, changing status, attempts spread over more
//! than the window. A step that only names a task is no attempt: one has a status, blockers or work.
//! From: document 003. Mistakes 7, 8 and 9.

use serde::{Deserialize, Serialize};

use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorReport, LoopFamily, Pattern, StepContext,
};
use crate::evidence::Evidence;
use crate::memory::{key_of, key_of_parts};
use crate::settings::{Mode, SettingsChecks, TimeSpan};
use crate::step::Task;
use crate::tasks::{Book, Bounds, History, TaskLoop};
use crate::verdict::Severity;

/// A task attempted again and again without headway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TaskSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// A named set of limits; each of them can still be set by itself.
    pub preset: TaskPreset,
    /// So many attempts alike are a loop.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 20)))]
    #[serde(alias = "maxAttempts")]
    pub max_attempts: u32,
    /// Attempts count for so long.
    #[serde(alias = "attemptWindow")]
    pub attempt_window: TimeSpan,
    /// Whether the agent is given authority to remove blockers, once, before a human is called.
    #[serde(alias = "enableAutoUnblock")]
    pub auto_unblock: bool,
    /// From so many attempts without progress on, the agent is moved on to another task.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 50)))]
    #[serde(alias = "maxAttemptsBeforeForceNext")]
    pub force_next_after: u32,
}

impl Default for TaskSettings {
    fn default() -> Self {
        TaskSettings {
            mode: Mode::Enforce,
            preset: TaskPreset::Balanced,
            max_attempts: 3,
            attempt_window: TimeSpan::from_minutes(60),
            auto_unblock: true,
            force_next_after: 5,
        }
    }
}

/// A named set of limits for tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskPreset {
    /// Slow but safe: 5 attempts, moved on after 8, a human instead of authority.
    Conservative,
    /// 3 attempts, moved on after 5, authority before a human.
    #[default]
    Balanced,
    /// Fast but risky: 2 attempts, moved on after 3, authority before a human.
    Aggressive,
}

impl TaskPreset {
    /// The limits of the preset, everything else as by default.
    pub fn settings(self) -> TaskSettings {
        let (max_attempts, force_next_after, auto_unblock) = match self {
            TaskPreset::Conservative => (5, 8, false),
            TaskPreset::Balanced => (3, 5, true),
            TaskPreset::Aggressive => (2, 3, true),
        };
        TaskSettings { preset: self, max_attempts, force_next_after, auto_unblock, ..TaskSettings::default() }
    }
}

impl TaskSettings {
    pub(crate) fn check(&self, checks: &mut SettingsChecks) {
        checks.within("max_attempts", self.max_attempts, &(2..=20));
        checks.within("force_next_after", self.force_next_after, &(2..=50));
        checks.that(self.force_next_after >= self.max_attempts, "force_next_after", || {
            (
                format!("force_next_after ({}) must be at least max_attempts ({})", self.force_next_after, self.max_attempts),
                "a task is seen to loop before the agent is moved on: raise force_next_after or lower max_attempts".into(),
            )
        });
        checks.that(self.attempt_window.millis > 0, "attempt_window", || {
            ("a window of no length holds no attempts".into(), "give it a length such as \"1h\"".into())
        });
    }

    /// How many attempts of a task are worth keeping.
    pub(crate) fn capacity(&self) -> usize {
        self.max_attempts.max(self.force_next_after) as usize
    }
}

/// What a guard keeps of tasks; the least recently attempted task goes first.
const KEPT: Bounds = Bounds { tasks: 12, attempts: 40 };

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tasks {
    pub(crate) book: Book,
}

impl Detector for Tasks {
    type Settings = TaskSettings;

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
    history: &mut History,
    settings: &TaskSettings,
    now: Option<i64>,
    mode: Mode,
) -> Option<DetectorReport> {
    let (found, detection, news) = look(history, settings, now)?;
    let evidence = evidence_of(history, &found, settings);
    Some(DetectorReport {
        detector: DetectorName::Task,
        acted: mode == Mode::Enforce,
        detection,
        news,
        evidence,
    })
}

/// Judges a task that was just attempted, and says whether what is found is news. What lies between two attempts,
/// steps or other tasks, does not end the loop of a task; only an attempt of its own that is none does.
fn look(
    history: &mut History,
    settings: &TaskSettings,
    now: Option<i64>,
) -> Option<(TaskLoop, Detection, bool)> {
    let found = history.judge(settings, now);
    let detection = found.as_ref().map(|found| detection(history, found, settings));
    let news = history.is_news(detection.as_ref().map(|detection| (detection.identity, detection.count)));
    Some((found?, detection?, news))
}

fn evidence_of(history: &History, found: &TaskLoop, settings: &TaskSettings) -> Evidence {
    let mut evidence = Evidence::default();
    let serde_json::Value::Object(facts) = history.evidence(settings) else { return evidence };
    for (name, value) in facts {
        evidence.note(name, value);
    }
    evidence.note("attempt_count", found.attempts);
    evidence
}

/// What is sighted of a task that goes round in circles.
fn detection(history: &History, found: &TaskLoop, settings: &TaskSettings) -> Detection {
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
