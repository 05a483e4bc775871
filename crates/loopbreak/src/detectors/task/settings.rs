//! Options of `task`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::name_enum::name_enum;
use crate::settings::{Mode, Profile, SettingsChecks, TimeSpan};
use crate::verdict::Severity;

/// Options of the detector `task`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TaskSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Named set of limits. Each limit can still be set on its own.
    pub preset: TaskPreset,
    /// Number of similar attempts that count as a loop.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 20)))]
    #[serde(alias = "maxAttempts")]
    pub max_attempts: u32,
    /// Attempts that are older than this do not count.
    #[serde(alias = "attemptWindow")]
    pub attempt_window: TimeSpan,
    /// Allow the agent to remove the blockers of a task, once, before a human is asked.
    #[serde(alias = "enableAutoUnblock")]
    pub auto_unblock: bool,
    /// Include blockers that name a secret, a signature, a payment or an approval in what the agent is allowed to remove.
    /// Otherwise a human is asked about them at once.
    pub unblock_sensitive: bool,
    /// Number of attempts without progress after which the agent is moved to another task.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 50)))]
    #[serde(alias = "maxAttemptsBeforeForceNext")]
    pub force_next_after: u32,
    /// Largest number of tasks in a cycle: tasks that are attempted in turn, such as A B A B, without new work, new
    /// blockers or another status. 0 disables cycles, and those of tasks that send each other back.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 6)))]
    pub cycle_tasks: u32,
    /// Number of full rounds of a cycle of tasks that gives a warning. One more is needed where attempts report nothing but a
    /// status. After twice as many rounds a human is asked.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 4)))]
    pub cycle_rounds: u32,
}

name_enum! {
    /// A named set of limits for tasks.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "preset" pub enum TaskPreset {
        /// 5 attempts, moved on after 8. A human is asked, and the agent is not allowed to remove blockers.
        Conservative = "conservative",
        /// 3 attempts, moved on after 5. The agent may remove blockers once before a human is asked.
        #[default]
        Balanced = "balanced",
        /// 2 attempts, moved on after 3. The agent may remove blockers once before a human is asked.
        Aggressive = "aggressive",
    }
}

impl TaskPreset {
    /// The options that a preset sets.
    pub const LIMITS: [&'static str; 3] = ["max_attempts", "force_next_after", "auto_unblock"];

    /// Returns the limits of the preset. All other options have their defaults.
    pub fn settings(self) -> TaskSettings {
        let (max_attempts, force_next_after, auto_unblock) = match self {
            TaskPreset::Conservative => (5, 8, false),
            TaskPreset::Balanced => (3, 5, true),
            TaskPreset::Aggressive => (2, 3, true),
        };
        TaskSettings { preset: self, max_attempts, force_next_after, auto_unblock, ..TaskSettings::default() }
    }
}

impl Default for TaskSettings {
    fn default() -> Self {
        TaskSettings {
            mode: Mode::Enforce,
            preset: TaskPreset::Balanced,
            max_attempts: 3,
            attempt_window: TimeSpan::from_minutes(60),
            auto_unblock: true,
            unblock_sensitive: false,
            force_next_after: 5,
            cycle_tasks: 3,
            cycle_rounds: 2,
        }
    }
}

impl DetectorSettings for TaskSettings {
    fn adjust_for(&mut self, profile: Profile) {
        // The documents grant authority about a missing token.
        self.unblock_sensitive = profile == Profile::Documents;
        // For the documents, cycles of tasks are an idea for later.
        if profile == Profile::Documents {
            self.cycle_tasks = 0;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("max_attempts", self.max_attempts, &(2..=20));
        checks.within("force_next_after", self.force_next_after, &(2..=50));
        checks.that(self.force_next_after >= self.max_attempts, "force_next_after", || {
            (
                format!(
                    "force_next_after ({}) must be at least max_attempts ({})",
                    self.force_next_after, self.max_attempts
                ),
                "a task is seen to loop before the agent is moved on: raise force_next_after or lower max_attempts"
                    .into(),
            )
        });
        checks.within("cycle_tasks", self.cycle_tasks, &(0..=6));
        checks.that(self.cycle_tasks != 1, "cycle_tasks", || {
            (
                "one task is not a cycle".into(),
                "give a value from 2 to 6, or 0 to disable cycles of tasks".into(),
            )
        });
        checks.within("cycle_rounds", self.cycle_rounds, &(2..=4));
        checks.that(self.attempt_window.millis > 0, "attempt_window", || {
            ("a window of no length holds no attempts".into(), "give it a length such as \"1h\"".into())
        });
    }
}

impl TaskSettings {
    /// Returns how bad a cycle of tasks is after a number of rounds. `factor` multiplies the number of rounds that is needed.
    pub(crate) fn cycle_severity(&self, rounds: u32, factor: u32) -> Option<Severity> {
        let needed = self.cycle_rounds * factor;
        match self.cycle_tasks {
            0 => None,
            _ if rounds >= 2 * needed => Some(Severity::Hard),
            _ if rounds >= needed => Some(Severity::Warn),
            _ => None,
        }
    }

    /// Returns the number of attempts at a task that are worth keeping.
    pub(crate) fn capacity(&self) -> usize {
        self.max_attempts.max(self.force_next_after) as usize
    }
}
