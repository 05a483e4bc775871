//! Profiles: named sets of defaults.

use serde::{Deserialize, Serialize};

use super::{AdviceSettings, Mode, OnLoop, PolicySettings, ReportSettings, Settings, TimeSpan};
use crate::detect::budget::BudgetSettings;
use crate::detect::cycle::CycleSettings;
use crate::detect::drift::DriftSettings;
use crate::detect::errors::ErrorsSettings;
use crate::detect::failing_target::FailingTargetSettings;
use crate::detect::poll::PollSettings;
use crate::detect::recurrence::RecurrenceSettings;
use crate::detect::stagnation::Patience;
use crate::fingerprint::ActionSettings;

/// A named set of defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Every detector on, each acting where its facet is there.
    #[default]
    Auto,
    /// An agent in a text game: places, score, objectives.
    Game,
    /// A coding agent: tool calls, no places.
    Coding,
    /// An orchestrator that works through tasks.
    Tasks,
    /// A loop of whole iterations: 10 of them, 15 minutes, 3 errors.
    Iterations,
    /// What the five documents describe, and nothing else, now and later.
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

    /// The name in configuration files.
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
    /// The defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        let mut settings = Settings::plain(profile);
        match profile {
            Profile::Auto => settings.stagnation.patience = Patience::Exploring,
            Profile::Game => {
                settings.stagnation.patience = Patience::Exploring;
                settings.report.calls_per_step = 4;
            }
            Profile::Tasks => {}
            Profile::Coding => {
                settings.revisit.mode = Mode::Off;
                settings.oscillation.mode = Mode::Off;
                settings.camping.mode = Mode::Off;
                settings.novelty.mode = Mode::Off;
            }
            Profile::Iterations => {
                settings.budget.max_iterations = 10;
                settings.budget.max_runtime = TimeSpan::from_minutes(15);
                settings.errors.hard_at = 3;
                settings.policy.on_loop = OnLoop::Stop;
            }
            Profile::Documents => {
                settings.policy.spare_only_way = false;
                settings.cycle.mode = Mode::Off;
                settings.recurrence.mode = Mode::Off;
                settings.drift.mode = Mode::Off;
                settings.failing_target.mode = Mode::Off;
                settings.poll.mode = Mode::Off;
                settings.chant.mode = Mode::Off;
                settings.noop.mode = Mode::Off;
                settings.restart.mode = Mode::Off;
                settings.errors.hard_at = 3;
                settings.policy.repeat_advice = true;
                settings.report.calls_per_step = 4;
            }
        }
        settings
    }

    /// Every detector at its own default.
    fn plain(profile: Profile) -> Self {
        Settings {
            profile,
            mode: Mode::Enforce,
            stagnation: crate::detect::stagnation::StagnationSettings::default(),
            revisit: crate::detect::revisit::RevisitSettings::default(),
            oscillation: crate::detect::oscillation::OscillationSettings::default(),
            camping: crate::detect::camping::CampingSettings::default(),
            novelty: crate::detect::novelty::NoveltySettings::default(),
            task: crate::detect::task::TaskSettings::default(),
            signature: crate::detect::signature::SignatureSettings::default(),
            similarity: crate::detect::similarity::SimilaritySettings::default(),
            budget: BudgetSettings::default(),
            errors: ErrorsSettings::default(),
            cycle: CycleSettings::default(),
            recurrence: RecurrenceSettings::default(),
            drift: DriftSettings::default(),
            failing_target: FailingTargetSettings::default(),
            poll: PollSettings::default(),
            chant: crate::detect::chant::ChantSettings::default(),
            noop: crate::detect::noop::NoopSettings::default(),
            restart: crate::detect::restart::RestartSettings::default(),
            actions: ActionSettings::default(),
            policy: PolicySettings::default(),
            advice: AdviceSettings::default(),
            report: ReportSettings::default(),
            allow: Vec::new(),
        }
    }
}
