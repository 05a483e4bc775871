//! Options of `stagnation`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::name_enum::name_enum;
use crate::settings::{Mode, Profile, SettingsChecks};

/// Options of the detector `stagnation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StagnationSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Stop after this many turns without progress.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub max_turns: u64,
    /// Number of turns between two checks that can stop the run.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    pub check_interval: u64,
    /// Warn after this many turns without progress. Must be below `max_turns`, unless `warnings` is false.
    #[cfg_attr(feature = "schema", schemars(range(min = 5, max = 100)))]
    pub warn_at: u64,
    /// Give warnings. If false, the run is stopped without a warning.
    pub warnings: bool,
    /// Changes of the score that count as progress.
    pub progress: ScoreProgress,
    /// Count a completed objective as progress.
    pub objectives: bool,
    /// Turns without progress that are allowed after a change of the score. 0 means `max_turns`.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub score_turns: u64,
    /// Turns without progress that are allowed after a completed objective. 0 means `max_turns`. It never shortens what an
    /// earlier progress allows.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub objective_turns: u64,
    /// Share of `score_turns` that one change of the score restores. 1 restores all of them; with 0.5, two changes are needed.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.01, max = 1)))]
    pub score_weight: f64,
    /// Share of `objective_turns` that one completed objective restores.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.01, max = 1)))]
    pub objective_weight: f64,
    /// With `exploring`, the limit moves: it grows while the run finds new things, and shrinks while it repeats known
    /// ones, but never below `max_turns`.
    pub patience: StagnationPatience,
}

name_enum! {
    /// Changes of the score that count as progress.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "kind of progress" pub enum ScoreProgress {
        /// Any change, up or down.
        #[default]
        AnyChange = "any_change",
        /// A score above the previous one.
        Increase = "increase",
        /// A score above all previous ones.
        HighWater = "high_water",
    }
}

name_enum! {
    /// Behavior of the limit of turns without progress.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "patience" pub enum StagnationPatience {
        /// The limit is always `max_turns`.
        #[default]
        Fixed = "fixed",
        /// A discovery raises the limit by a fifth of `max_turns`, to at most twice `max_turns`. A discovery is the first
        /// move from one place to another, or a reply of at least 120 bytes that was not seen before. An idle step lowers
        /// the limit by a twentieth, but never below `max_turns`. A step is idle if its reply has fewer than 60 bytes or three different actions got the same reply,
        /// unless it led to another place. The limit is also at least three times the longest gap between two progresses of
        /// this run, up to three times `max_turns`. Without replies and places, the limit does not move.
        Exploring = "exploring",
    }
}

impl Default for StagnationSettings {
    fn default() -> Self {
        StagnationSettings {
            mode: Mode::Enforce,
            max_turns: 40,
            check_interval: 10,
            warn_at: 20,
            warnings: true,
            progress: ScoreProgress::AnyChange,
            objectives: true,
            score_turns: 0,
            objective_turns: 0,
            score_weight: 1.0,
            objective_weight: 1.0,
            patience: StagnationPatience::Fixed,
        }
    }
}

impl DetectorSettings for StagnationSettings {
    fn adjust_for(&mut self, profile: Profile) {
        if matches!(profile, Profile::Auto | Profile::Game) {
            self.patience = StagnationPatience::Exploring;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("max_turns", self.max_turns, &(1..=1000));
        checks.within("check_interval", self.check_interval, &(1..=100));
        checks.that(self.max_turns >= self.check_interval, "max_turns", || {
            (
                format!(
                    "max_turns ({}) must be at least check_interval ({})",
                    self.max_turns, self.check_interval
                ),
                format!("set check_interval to {} or less, or raise max_turns", self.max_turns),
            )
        });
        for (option, turns) in [("score_turns", self.score_turns), ("objective_turns", self.objective_turns)]
        {
            checks.within(option, turns, &(0..=1000));
        }
        for (option, weight) in
            [("score_weight", self.score_weight), ("objective_weight", self.objective_weight)]
        {
            checks.within(option, weight, &(0.01..=1.0));
        }
        // Without warnings the threshold is not used.
        if !self.warnings {
            return;
        }
        checks.within("warn_at", self.warn_at, &(5..=100));
        checks.that(self.warn_at < self.max_turns, "warn_at", || {
            (
                format!("warn_at ({}) must be below max_turns ({})", self.warn_at, self.max_turns),
                "a warning must come before the stop: lower warn_at or raise max_turns".into(),
            )
        });
    }
}

/// A kind of progress, with the turns that it buys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProgressWorth {
    /// Largest number of turns that are left after it.
    pub(super) turns: u64,
    /// Share of them that it restores.
    pub(super) weight: f64,
}

impl ProgressWorth {
    /// Returns the turn at which the bought turns are used up, if this progress is made at `turn` and they were used up at
    /// `due` before.
    pub(super) fn extend(self, due: u64, turn: u64) -> u64 {
        // A weight of 1 restores everything, so nothing is lost by rounding.
        let restored = (self.weight * self.turns as f64).ceil() as u64;
        let left = due.saturating_sub(turn).saturating_add(restored).min(self.turns);
        due.max(turn.saturating_add(left))
    }
}

impl StagnationSettings {
    /// Returns the worth of a change of the score.
    pub(super) fn score_worth(&self) -> ProgressWorth {
        ProgressWorth { turns: self.turns_or_max(self.score_turns), weight: self.score_weight }
    }

    /// Returns the worth of a completed objective.
    pub(super) fn objective_worth(&self) -> ProgressWorth {
        ProgressWorth { turns: self.turns_or_max(self.objective_turns), weight: self.objective_weight }
    }

    /// Returns the worth of a progress mark.
    pub(super) fn mark_worth(&self) -> ProgressWorth {
        ProgressWorth { turns: self.max_turns, weight: 1.0 }
    }

    fn turns_or_max(&self, turns: u64) -> u64 {
        if turns == 0 { self.max_turns } else { turns }
    }

    /// Returns the number of turns without progress after which a warning is given, if `bought` turns are allowed: the same
    /// share of them as `warn_at` is of `max_turns`.
    pub(super) fn warn_after(&self, bought: u64) -> u64 {
        self.warn_at.saturating_mul(bought).div_ceil(self.max_turns.max(1)).max(1)
    }

    /// Returns the number of turns until the check that stops the run, if `allowed` turns without progress are
    /// allowed. `ends` says that this turn is that check.
    pub(super) fn turns_left(&self, turn: u64, last_progress: u64, allowed: u64, ends: bool) -> u64 {
        let mut due = last_progress.saturating_add(allowed);
        // A limit that was lowered may lie in the past. Then the next check stops the run.
        if self.patience == StagnationPatience::Exploring && !ends {
            due = due.max(turn.saturating_add(1));
        }
        due.div_ceil(self.check_interval).saturating_mul(self.check_interval).saturating_sub(turn).max(1)
    }
}
