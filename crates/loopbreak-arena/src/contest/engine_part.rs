//! The parts of Loopbreak that can be taken out, to see what each does.

use loopbreak::settings::StagnationPatience;
use loopbreak::{Config, Mode, Settings};

/// A part that can be taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnginePart {
    /// Ending a run.
    Stops,
    /// Hints and warnings.
    Advice,
    /// Lowering the worth of proposals, and refusing them.
    Penalties,
    /// `revisit`.
    Revisit,
    /// `oscillation`.
    Oscillation,
    /// `camping`.
    Camping,
    /// `novelty`.
    Novelty,
    /// `cycle`.
    Cycle,
    /// `recurrence`.
    Recurrence,
    /// `drift` and `failing_target`.
    Targets,
    /// The deadline that moves.
    Patience,
    /// Objectives as progress.
    Objectives,
    /// The mercy at dead ends.
    DeadEnds,
}

impl EnginePart {
    /// All of them.
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

    /// Its name.
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

    /// The settings without it. What was valid stays valid: nothing is switched on, and no limit is moved.
    pub fn taken_out_of(self, config: &Config) -> Settings {
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
                (settings.drift.mode, settings.failing_target.mode) = (Mode::Off, Mode::Off)
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
    fn every_part_can_be_taken_out_and_makes_a_difference() {
        let whole = Config::of(Profile::Game);
        for part in EnginePart::ALL {
            let rest = Config::new(part.taken_out_of(&whole)).unwrap();
            assert_ne!(*rest, *whole, "{}", part.as_str());
        }
    }
}
