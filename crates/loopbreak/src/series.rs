//! The series: loops that span many runs. Tasks are attempted in several sessions, and runs are restarted
//! with the same prompt. A guard observes one run, a series observes all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::advice::{TemplateValues, reason_of};
use crate::detectors::restart::RestartDetector;
use crate::detectors::task::texts::task_loop_reason;
use crate::detectors::task::{cycle_evidence, cycle_report, is_attempt, report};
use crate::detectors::{DetectorName, DetectorReport, Pattern};
use crate::policy::{LoopLedger, PolicyInput, choose_recovery, cycle_intervention, decide, was_granted};
use crate::settings::{Config, Mode};
use crate::step::{MAIN_AGENT, Step};
pub use crate::summary::{RunSummary, SummaryState};
use crate::tasks::{HistoryBounds, SendBackHistory, TaskCycle, TaskCycleTracker, TaskHistories};
pub use crate::tasks::{TaskLoop, TaskPattern};
use crate::verdict::{Intervention, Severity, Verdict};

/// Number of tasks and attempts that a series remembers.
const KEPT: HistoryBounds = HistoryBounds { tasks: 1024, attempts: 8192 };

/// The engine for many runs of one project. Call [`Series::check`] before a task is started, and record every
/// attempt.
#[derive(Clone, Debug)]
pub struct Series {
    config: Config,
    state: SeriesState,
}

/// The state of a series, to be stored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeriesState {
    ticks: u64,
    now: Option<i64>,
    book: TaskHistories,
    #[serde(skip_serializing_if = "TaskCycleTracker::is_empty")]
    cycle: TaskCycleTracker,
    #[serde(skip_serializing_if = "SendBackHistory::is_empty")]
    send_backs: SendBackHistory,
    ledger: LoopLedger,
    restarts: RestartDetector,
}

/// The result of checking whether a task loops, in the terms of orchestrators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskCheck {
    /// True if the task loops.
    pub is_looping: bool,
    /// The pattern of the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_type: Option<Pattern>,
    /// Number of attempts within the window.
    pub attempt_count: u32,
    /// The intervention that is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Intervention>,
    /// The reason, in one sentence without a full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The facts behind it.
    pub evidence: Value,
}

/// The recent attempts at a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatus {
    /// Number of attempts within the window.
    pub attempt_count: u32,
    /// Time of the last attempt, in milliseconds.
    pub last_attempt: Option<i64>,
}

impl Series {
    /// Creates an empty series.
    pub fn new(config: Config) -> Self {
        Series { config, state: SeriesState::default() }
    }

    /// Creates a series from a stored state.
    pub fn restore(config: Config, state: SeriesState) -> Self {
        Series { config, state }
    }

    /// Returns the state of the series, to be stored.
    pub fn snapshot(&self) -> SeriesState {
        self.state.clone()
    }

    /// Observes a step of any run. Only attempts at tasks matter: they go through [`Series::record`] and then
    /// [`Series::recover`].
    pub fn observe(&mut self, run: &str, step: &Step<'_>) -> Verdict {
        match step.task.as_ref().filter(|_| self.record(step)) {
            Some(task) => self.recover(run, &task.id.as_text(), None),
            None => Verdict::default(),
        }
    }

    /// Records an attempt at a task without acting on it. [`Series::check`] returns whether a recovery is
    /// due. Returns whether the step was an attempt.
    pub fn record(&mut self, step: &Step<'_>) -> bool {
        let on = self.config.mode_of(DetectorName::Task) != Mode::Off;
        let Some(task) = step.task.as_ref().filter(|task| is_attempt(task) && !step.refused && on) else {
            return false;
        };
        let state = &mut self.state;
        state.ticks += 1;
        state.now = state.now.max(step.at.map(|at| at.0));
        let history = state.book.record(task, state.ticks, state.now, &self.config.task, KEPT);
        if history.judge(&self.config.task, state.now).is_none() {
            // The loop ended. If it returns, it is reported again.
            history.forget_report();
        }
        state.cycle.record(TaskHistories::key(&task.id.as_text()), &state.book);
        if state.cycle.find(&state.book, &self.config.task, state.now).is_none() {
            state.cycle.is_news(None);
        }
        true
    }

    /// Recovers a task as [`Series::check`] recommends. The verdict is empty if the task does not loop, or if
    /// these attempts already led to a recovery.
    pub fn recover(&mut self, run: &str, task: &str, now: Option<i64>) -> Verdict {
        let mode = self.config.mode_of(DetectorName::Task);
        let state = &mut self.state;
        let mut verdict = Verdict { turn: state.ticks, ..Verdict::default() };
        let now = now.max(state.now);
        let history = state.book.history_mut(task).filter(|_| mode != Mode::Off);
        let mut report = history.and_then(|history| report(history, &self.config.task, now, mode));
        if report.is_none()
            && mode != Mode::Off
            && let Some(cycle) = self.cycle_of(task, now)
        {
            let news = self.state.cycle.is_news(Some(&cycle));
            report = Some(cycle_report(&cycle, news, mode));
        }
        self.decide(run, report.into_iter().collect(), &mut verdict);
        verdict
    }

    /// Records that one task sent another one back, such as a review that finds faults. Tasks that keep sending each other
    /// back are a cycle: the agent is warned first, then a human is asked. An attempt that ends like this has done its work, so
    /// do not record it as an attempt.
    pub fn send_back(&mut self, run: &str, from: &str, to: &str, now: Option<i64>) -> Verdict {
        let mode = self.config.mode_of(DetectorName::Task);
        let state = &mut self.state;
        state.ticks += 1;
        state.now = state.now.max(now);
        let mut verdict = Verdict { turn: state.ticks, ..Verdict::default() };
        if mode == Mode::Off {
            return verdict;
        }
        let found = state.send_backs.record(from, to, state.ticks, &self.config.task);
        let report = found.map(|(cycle, news)| cycle_report(&cycle, news, mode));
        self.decide(run, report.into_iter().collect(), &mut verdict);
        verdict
    }

    /// Returns the cycle that a task is part of, if the last attempts form one.
    fn cycle_of(&self, task: &str, now: Option<i64>) -> Option<TaskCycle> {
        let state = &self.state;
        let id = state.book.history(task).map(|history| history.id.to_string())?;
        let cycle = state.cycle.find(&state.book, &self.config.task, now);
        cycle.filter(|cycle| cycle.tasks.contains(&id))
    }

    /// Records a run that has ended. Reports runs with the same prompt that end early one after the other.
    /// Pass runs in the order in which they were started.
    pub fn conclude(&mut self, run: &RunSummary) -> Verdict {
        let mut verdict = Verdict::default();
        let mode = self.config.mode_of(DetectorName::Restart);
        if mode == Mode::Off {
            return verdict;
        }
        let state = &mut self.state;
        state.ticks += 1;
        state.now = state.now.max(run.started());
        verdict.turn = state.ticks;
        let enforced = mode == Mode::Enforce;
        let reports = state.restarts.conclude(run, state.ticks, &self.config.restart, enforced);
        self.decide(run.run(), reports, &mut verdict);
        verdict
    }

    fn decide(&mut self, run: &str, reports: Vec<DetectorReport>, verdict: &mut Verdict) {
        let state = &mut self.state;
        let run = Arc::from(run);
        let input = PolicyInput {
            run: &run,
            agent: MAIN_AGENT,
            turn: state.ticks,
            now: state.now,
            step: state.ticks,
            user_spoke: false,
            objectives: Vec::new(),
            exits: Vec::new(),
            repeated: None,
            iterations: Vec::new(),
        };
        decide(reports, &input, &mut state.ledger, &mut state.book, &self.config, verdict);
    }

    /// Forgets the attempts at a task that somebody reopened: they no longer count against it. What was granted or forced stays
    /// known.
    pub fn clear_attempts(&mut self, task: &str) {
        self.state.book.clear(task);
    }

    /// Returns whether a task loops. Call it before the task is started again. Changes nothing.
    pub fn check(&self, task: &str, now: Option<i64>) -> TaskCheck {
        let settings = &self.config.task;
        let now = now.max(self.state.now);
        let history = self.state.book.history(task);
        let attempts =
            history.map_or(0, |history| history.recent(now, settings.attempt_window.millis).count()) as u32;
        let is_on = self.config.mode_of(DetectorName::Task) != Mode::Off;
        let found = history.and_then(|history| Some((history, history.judge(settings, now)?)));
        let Some((history, found)) = found.filter(|_| is_on) else {
            let healthy = TaskCheck {
                is_looping: false,
                loop_type: None,
                attempt_count: attempts,
                recommendation: None,
                reason: None,
                evidence: history.map_or(Value::Null, |history| history.evidence(settings)),
            };
            return match self.cycle_of(task, now).filter(|_| is_on) {
                Some(cycle) => self.check_of_cycle(&cycle, healthy),
                None => healthy,
            };
        };
        TaskCheck {
            is_looping: true,
            loop_type: Some(found.pattern.into()),
            attempt_count: found.attempts,
            recommendation: choose_recovery(
                found.pattern,
                found.attempts,
                history,
                &self.state.ledger,
                &self.config,
            ),
            reason: Some(task_loop_reason(
                found.pattern,
                found.attempts,
                was_granted(history, &self.state.ledger),
                history,
            )),
            evidence: history.evidence(settings),
        }
    }

    /// Returns the check of a task that is part of a cycle. A warning that was already given does not hold the task back:
    /// otherwise a caller that skips looping tasks would never attempt it again.
    fn check_of_cycle(&self, cycle: &TaskCycle, healthy: TaskCheck) -> TaskCheck {
        if cycle.severity < Severity::Hard && !self.state.cycle.would_be_news(cycle) {
            return healthy;
        }
        let facts = cycle_evidence(cycle);
        let reason = reason_of(DetectorName::Task, Pattern::TaskCycle, &TemplateValues::from(&facts));
        let mut evidence = healthy.evidence;
        if let (Value::Object(all), Ok(Value::Object(facts))) = (&mut evidence, serde_json::to_value(&facts))
        {
            all.extend(facts);
        }
        TaskCheck {
            is_looping: true,
            loop_type: Some(Pattern::TaskCycle),
            recommendation: cycle_intervention(cycle.severity, self.config.policy.ladder),
            reason: Some(reason),
            evidence,
            ..healthy
        }
    }

    /// Returns the recent attempts at every task.
    pub fn status(&self) -> BTreeMap<String, TaskStatus> {
        let window = self.config.task.attempt_window.millis;
        let status = self.state.book.iter().map(|(_, history)| {
            let attempts = history.recent(self.state.now, window).count() as u32;
            let last_attempt = history.attempts.last().and_then(|attempt| attempt.at);
            (history.id.to_string(), TaskStatus { attempt_count: attempts, last_attempt })
        });
        status.collect()
    }

    /// Returns whether the agent was moved away from this task. The task is not finished, and must not be
    /// started again.
    pub fn was_forced(&self, task: &str) -> bool {
        self.state.ledger.is_forced(task)
    }
}
