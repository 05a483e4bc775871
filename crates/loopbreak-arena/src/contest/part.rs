//! The parts of Loopbreak that can be taken out, to see what each does.

use loopbreak::settings::StagnationPatience;
use loopbreak::{Config, Mode, Settings};

/// A part that can be taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
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

impl Part {
    /// All of them.
    pub const ALL: [Part; 13] = [
        Part::Stops,
        Part::Advice,
        Part::Penalties,
        Part::Revisit,
        Part::Oscillation,
        Part::Camping,
        Part::Novelty,
        Part::Cycle,
        Part::Recurrence,
        Part::Targets,
        Part::Patience,
        Part::Objectives,
        Part::DeadEnds,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Stops => "stops",
            Part::Advice => "advice",
            Part::Penalties => "penalties",
            Part::Revisit => "revisit",
            Part::Oscillation => "oscillation",
            Part::Camping => "camping",
            Part::Novelty => "novelty",
            Part::Cycle => "cycle",
            Part::Recurrence => "recurrence",
            Part::Targets => "drift, failing_target",
            Part::Patience => "patience",
            Part::Objectives => "objectives as progress",
            Part::DeadEnds => "mercy at dead ends",
        }
    }

    /// The settings without it. What was valid stays valid: nothing is switched on, and no limit is moved.
    pub fn taken_out_of(self, config: &Config) -> Settings {
        let mut settings = Settings::clone(config);
        let ladder = &mut settings.policy.ladder;
        match self {
            Part::Stops => ladder.stop = false,
            Part::Advice => (ladder.hint, ladder.warn) = (false, false),
            Part::Penalties => (ladder.penalize, ladder.reject) = (false, false),
            Part::Revisit => settings.revisit.mode = Mode::Off,
            Part::Oscillation => settings.oscillation.mode = Mode::Off,
            Part::Camping => settings.camping.mode = Mode::Off,
            Part::Novelty => settings.novelty.mode = Mode::Off,
            Part::Cycle => settings.cycle.mode = Mode::Off,
            Part::Recurrence => settings.recurrence.mode = Mode::Off,
            Part::Targets => (settings.drift.mode, settings.failing_target.mode) = (Mode::Off, Mode::Off),
            Part::Patience => settings.stagnation.patience = StagnationPatience::Fixed,
            Part::Objectives => settings.stagnation.objectives = false,
            Part::DeadEnds => settings.policy.spare_only_way = false,
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
        for part in Part::ALL {
            let rest = Config::new(part.taken_out_of(&whole)).unwrap();
            assert_ne!(*rest, *whole, "{}", part.as_str());
        }
    }
}
