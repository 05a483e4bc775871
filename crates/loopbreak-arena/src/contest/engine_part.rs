//! The parts of Loopbreak that a contest can remove, to measure their effect.

use loopbreak::settings::StagnationPatience;
use loopbreak::{Config, Mode, Settings};

/// A part that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnginePart {
    /// Stopping a run.
    Stops,
    /// Hints and warnings.
    Advice,
    /// Lowering the scores of proposals, and refusing them.
    Penalties,
    /// The detector `revisit`.
    Revisit,
    /// The detector `oscillation`.
    Oscillation,
    /// The detector `camping`.
    Camping,
    /// The detector `novelty`.
    Novelty,
    /// The detector `cycle`.
    Cycle,
    /// The detector `recurrence`.
    Recurrence,
    /// The detectors `drift` and `failing_target`.
    Targets,
    /// The adaptive patience of `stagnation`.
    Patience,
    /// Completed objectives as progress.
    Objectives,
    /// The exception for places with a single exit.
    DeadEnds,
}

impl EnginePart {
    /// All parts.
    pub const ALL: [EnginePart; 13] = [
        EnginePart::Stops,
        EnginePart::Advice,
        EnginePart::Penalties,
        EnginePart::Revisit,
        EnginePart::Oscillation,
        EnginePart::Camping,
        EnginePart::Novelty,
        EnginePart::Cycle,
        EnginePart::Recurrence,
        EnginePart::Targets,
        EnginePart::Patience,
        EnginePart::Objectives,
        EnginePart::DeadEnds,
    ];

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            EnginePart::Stops => "stops",
            EnginePart::Advice => "advice",
            EnginePart::Penalties => "penalties",
            EnginePart::Revisit => "revisit",
            EnginePart::Oscillation => "oscillation",
            EnginePart::Camping => "camping",
            EnginePart::Novelty => "novelty",
            EnginePart::Cycle => "cycle",
            EnginePart::Recurrence => "recurrence",
            EnginePart::Targets => "drift, failing_target",
            EnginePart::Patience => "patience",
            EnginePart::Objectives => "objectives as progress",
            EnginePart::DeadEnds => "mercy at dead ends",
        }
    }

    /// Returns the settings without this part. Valid settings stay valid: nothing is switched on, and no limit is
    /// changed.
    pub fn removed_from(self, config: &Config) -> Settings {
        let mut settings = Settings::clone(config);
        let ladder = &mut settings.policy.ladder;
        match self {
            EnginePart::Stops => ladder.stop = false,
            EnginePart::Advice => (ladder.hint, ladder.warn) = (false, false),
            EnginePart::Penalties => (ladder.penalize, ladder.reject) = (false, false),
            EnginePart::Revisit => settings.revisit.mode = Mode::Off,
            EnginePart::Oscillation => settings.oscillation.mode = Mode::Off,
            EnginePart::Camping => settings.camping.mode = Mode::Off,
            EnginePart::Novelty => settings.novelty.mode = Mode::Off,
            EnginePart::Cycle => settings.cycle.mode = Mode::Off,
            EnginePart::Recurrence => settings.recurrence.mode = Mode::Off,
            EnginePart::Targets => {
                (settings.drift.mode, settings.failing_target.mode) = (Mode::Off, Mode::Off);
            }
            EnginePart::Patience => settings.stagnation.patience = StagnationPatience::Fixed,
            EnginePart::Objectives => settings.stagnation.objectives = false,
            EnginePart::DeadEnds => settings.policy.spare_only_way = false,
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopbreak::Profile;

    #[test]
    fn removing_a_part_changes_the_settings() {
        let whole = Config::from(Profile::Game);
        for part in EnginePart::ALL {
            let rest = Config::new(part.removed_from(&whole)).unwrap();
            assert_ne!(*rest, *whole, "{}", part.as_str());
        }
    }
}
