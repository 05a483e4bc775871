//! Periods without progress, and the checks that would have ended the run. They are read from events because findings
//! are reported once and not at every check.

use loopbreak::event::ProgressCheck;
use loopbreak::{Config, DetectorName, Mode};
use serde::{Deserialize, Serialize};

use crate::report::StuckPeriod;

/// Tracks the progress of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StuckPeriods {
    /// The settings of stagnation; absent if it is off.
    limits: Option<StuckLimits>,
    before: u64,
    open: Option<StuckPeriod>,
    periods: Vec<StuckPeriod>,
    checkpoints: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct StuckLimits {
    max_turns: u64,
    interval: u64,
    warn_at: u64,
}

impl StuckPeriods {
    pub(crate) fn new(config: &Config) -> Self {
        let settings = &config.stagnation;
        let limits = StuckLimits {
            max_turns: settings.max_turns,
            interval: settings.check_interval.max(1),
            warn_at: settings.warn_at,
        };
        let on = config.mode_of(DetectorName::Stagnation) != Mode::Off;
        StuckPeriods {
            limits: on.then_some(limits),
            before: 0,
            open: None,
            periods: Vec::new(),
            checkpoints: Vec::new(),
        }
    }

    /// Adds the result of a progress check, and the score.
    pub(crate) fn add(&mut self, check: &ProgressCheck, score: Option<f64>) {
        let Some(limits) = self.limits else { return };
        let (turn, stuck) = (check.turn, check.turns_stuck);
        // A log may omit turns: a check is due when its turn is reached or passed.
        let due = turn / limits.interval > self.before / limits.interval;
        if due && stuck >= check.turns_allowed.unwrap_or(limits.max_turns) {
            self.checkpoints.push(turn);
        }
        let from = turn.saturating_sub(stuck) + 1;
        if self.open.is_some_and(|open| open.from != from) {
            self.close();
        }
        if stuck > 0 {
            let score = score.or(self.open.and_then(|open| open.score));
            self.open = Some(StuckPeriod { from, to: turn, turns: stuck, score });
        }
    }

    /// Adds a turn, with or without an event about it.
    pub(crate) fn pass(&mut self, turn: u64) {
        self.before = turn;
    }

    fn close(&mut self) {
        let warn_at = self.limits.map_or(u64::MAX, |limits| limits.warn_at);
        self.periods.extend(self.open.take().filter(|open| open.turns >= warn_at));
    }

    /// Returns all periods of at least `warn_at` turns, and all checks at which the limit was exceeded.
    pub(crate) fn finish(mut self) -> (Vec<StuckPeriod>, Vec<u64>) {
        self.close();
        (self.periods, self.checkpoints)
    }
}
