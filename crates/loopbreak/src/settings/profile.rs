//! Profiles: named sets of defaults.

use super::{OnLoop, Settings};
use crate::name_enum::name_enum;

name_enum! {
    /// A named set of defaults.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "profile" pub enum Profile {
        /// All detectors. Each one is active if the steps have the parts that it reads.
        #[default]
        Auto = "auto",
        /// An agent in a text game, with places, a score and objectives.
        Game = "game",
        /// A coding agent, with tool calls and without places.
        Coding = "coding",
        /// An orchestrator that works on tasks.
        Tasks = "tasks",
        /// A loop of whole iterations: at most 10 of them, 15 minutes, 3 errors in a row.
        Iterations = "iterations",
        /// The rules of the five documents, and nothing else.
        Documents = "documents",
    }
}

impl From<Profile> for Settings {
    /// Returns the defaults of a profile.
    fn from(profile: Profile) -> Self {
        let mut settings = Settings::with_detector_defaults(profile);
        match profile {
            Profile::Auto | Profile::Tasks | Profile::Coding => {}
            Profile::Game => settings.report.calls_per_step = 4,
            Profile::Iterations => settings.policy.on_loop = OnLoop::Stop,
            Profile::Documents => {
                settings.policy.spare_only_way = false;
                settings.policy.repeat_advice = true;
                settings.policy.insist = 0;
                settings.report.calls_per_step = 4;
            }
        }
        settings
    }
}
