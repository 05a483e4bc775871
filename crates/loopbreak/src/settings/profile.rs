//! Profiles: named sets of defaults.

use serde::{Deserialize, Serialize};

use super::{OnLoop, Settings};

/// A named set of defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// All detectors. Each one is active if the steps have the parts that it reads.
    #[default]
    Auto,
    /// An agent in a text game, with places, a score and objectives.
    Game,
    /// A coding agent, with tool calls and without places.
    Coding,
    /// An orchestrator that works on tasks.
    Tasks,
    /// A loop of whole iterations: at most 10 of them, 15 minutes, 3 errors in a row.
    Iterations,
    /// The rules of the five documents, and nothing else.
    Documents,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 6] = [
        Profile::Auto,
        Profile::Game,
        Profile::Coding,
        Profile::Tasks,
        Profile::Iterations,
        Profile::Documents,
    ];

    /// Returns the name in configuration files.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Auto => "auto",
            Profile::Game => "game",
            Profile::Coding => "coding",
            Profile::Tasks => "tasks",
            Profile::Iterations => "iterations",
            Profile::Documents => "documents",
        }
    }
}

impl Settings {
    /// Returns the defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        let mut settings = Settings::with_detector_defaults(profile);
        match profile {
            Profile::Auto | Profile::Tasks | Profile::Coding => {}
            Profile::Game => settings.report.calls_per_step = 4,
            Profile::Iterations => settings.policy.on_loop = OnLoop::Stop,
            Profile::Documents => {
                settings.policy.spare_only_way = false;
                settings.policy.repeat_advice = true;
                settings.report.calls_per_step = 4;
            }
        }
        settings
    }
}
