//! The series: what spans many runs. Tasks are attempted over many sessions, and runs are started again and again; only
//! here all of them are seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::detectors::restart::Restarts;
use crate::detectors::task::{is_attempt, report};
use crate::detectors::{DetectorName, DetectorReport, Pattern};
use crate::guard::MAIN_AGENT;
use crate::policy::{Circumstances, Ledger, choose, decide, reason};
use crate::settings::{Config, Mode};
use crate::step::Step;
use crate::summary::RunSummary;
use crate::tasks::{HistoryBounds, TaskHistories};
use crate::verdict::{Intervention, Verdict};

/// What a series keeps of tasks.
const KEPT: HistoryBounds = HistoryBounds { tasks: 1024, attempts: 8192 };

/// The engine over many runs of one project: asked before a task is taken up, told after it was attempted.
#[derive(Clone, Debug)]
pub struct Series {
    config: Config,
    state: SeriesState,
}

/// What a series remembers, to be put away.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeriesState {
    ticks: u64,
    now: Option<i64>,
    book: TaskHistories,
    ledger: Ledger,
    restarts: Restarts,
}

/// Whether a task goes round in circles, in the words of orchestrators.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskCheck {
    /// Whether it does.
    pub is_looping: bool,
    /// In which way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_type: Option<Pattern>,
    /// How many attempts inside the window there were.
    pub attempt_count: u32,
    /// What is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Intervention>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it rests on.
    pub evidence: Value,
}

/// How a task stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatus {
    /// How many attempts inside the window there were.
    pub attempt_count: u32,
    /// When the last one was, in milliseconds.
    pub last_attempt: Option<i64>,
}

impl Series {
    /// A series that has seen nothing yet.
    pub fn new(config: Config) -> Self {
        Series { config, state: SeriesState::default() }
    }

    /// A series that goes on where its memory was taken.
    pub fn restore(config: Config, state: SeriesState) -> Self {
        Series { config, state }
    }

    /// What the series remembers.
    pub fn snapshot(&self) -> SeriesState {
        self.state.clone()
    }

    /// Takes in a step of any run; only task attempts matter here. The same as [`Series::record`] and then
    /// [`Series::recover`] of its task.
    pub fn observe(&mut self, run: &str, step: &Step<'_>) -> Verdict {
        match step.task.as_ref().filter(|_| self.record(step)) {
            Some(task) => self.recover(run, &task.id.as_text(), None),
            None => Verdict::default(),
        }
    }

    /// Takes in an attempt at a task and does nothing about it, for whoever asks with [`Series::check`] and decides when a
    /// recovery is due. Says whether the step was an attempt.
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
            // The loop was left: should it come back, that is news.
            history.forget_report();
        }
        true
    }

    /// Does about a task what [`Series::check`] recommends. What was done about these attempts before is not done again: the
    /// verdict is empty then, and so it is where the task does not go round in circles.
    pub fn recover(&mut self, run: &str, task: &str, now: Option<i64>) -> Verdict {
        let mode = self.config.mode_of(DetectorName::Task);
        let state = &mut self.state;
        let mut verdict = Verdict { turn: state.ticks, ..Verdict::default() };
        let now = now.max(state.now);
        let history = state.book.history_mut(task).filter(|_| mode != Mode::Off);
        let report = history.and_then(|history| report(history, &self.config.task, now, mode));
        self.decide(run, report.into_iter().collect(), &mut verdict);
        verdict
    }

    /// Takes in a run that is over, and says whether runs of its prompt die young one after the other. Tell of runs in
    /// the order in which they were started.
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
        let acted = mode == Mode::Enforce;
        let reports = state.restarts.conclude(run, state.ticks, &self.config.restart, acted);
        self.decide(run.run(), reports, &mut verdict);
        verdict
    }

    fn decide(&mut self, run: &str, reports: Vec<DetectorReport>, verdict: &mut Verdict) {
        let state = &mut self.state;
        let run = Arc::from(run);
        let circumstances = Circumstances {
            run: &run,
            agent: MAIN_AGENT,
            turn: state.ticks,
            now: state.now,
            step: state.ticks,
            user_spoke: false,
            objectives: &[],
            exits: &[],
            repeated: None,
            iterations: &[],
        };
        decide(reports, &circumstances, &mut state.ledger, &mut state.book, &self.config, verdict);
    }

    /// Asks whether a task goes round in circles, before it is taken up once more. Changes nothing.
    pub fn check(&self, task: &str, now: Option<i64>) -> TaskCheck {
        let settings = &self.config.task;
        let now = now.max(self.state.now);
        let history = self.state.book.history(task);
        let attempts =
            history.map_or(0, |history| history.recent(now, settings.attempt_window.millis).count()) as u32;
        let found = history.and_then(|history| Some((history, history.judge(settings, now)?)));
        let Some((history, found)) = found.filter(|_| self.config.mode_of(DetectorName::Task) != Mode::Off)
        else {
            return TaskCheck {
                is_looping: false,
                loop_type: None,
                attempt_count: attempts,
                recommendation: None,
                reason: None,
                evidence: history.map_or(Value::Null, |history| history.evidence(settings)),
            };
        };
        TaskCheck {
            is_looping: true,
            loop_type: Some(found.pattern.into()),
            attempt_count: found.attempts,
            recommendation: choose(found.pattern, found.attempts, history, &self.state.ledger, &self.config),
            reason: Some(reason(found.pattern, found.attempts, history)),
            evidence: history.evidence(settings),
        }
    }

    /// How every task stands that was attempted lately.
    pub fn status(&self) -> BTreeMap<String, TaskStatus> {
        let window = self.config.task.attempt_window.millis;
        let status = self.state.book.iter().map(|(_, history)| {
            let attempts = history.recent(self.state.now, window).count() as u32;
            let last_attempt = history.attempts.last().and_then(|attempt| attempt.at);
            (history.id.clone(), TaskStatus { attempt_count: attempts, last_attempt })
        });
        status.collect()
    }

    /// Whether the agent was moved on from this task: it is not finished, and not to be taken up again.
    pub fn was_forced(&self, task: &str) -> bool {
        self.state.ledger.is_forced(task)
    }
}
