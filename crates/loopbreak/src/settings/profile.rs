//! Profiles: named sets of defaults.

use serde::{Deserialize, Serialize};

use super::{AdviceSettings, Mode, OnLoop, PolicySettings, ReportSettings, Settings, TimeSpan};
use crate::detectors::budget::BudgetSettings;
use crate::detectors::cycle::CycleSettings;
use crate::detectors::drift::DriftSettings;
use crate::detectors::errors::ErrorsSettings;
use crate::detectors::failing_target::FailingTargetSettings;
use crate::detectors::poll::PollSettings;
use crate::detectors::recurrence::RecurrenceSettings;
use crate::detectors::stagnation::StagnationPatience;
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
            Profile::Auto => settings.stagnation.patience = StagnationPatience::Exploring,
            Profile::Game => {
                settings.stagnation.patience = StagnationPatience::Exploring;
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
            stagnation: crate::detectors::stagnation::StagnationSettings::default(),
            revisit: crate::detectors::revisit::RevisitSettings::default(),
            oscillation: crate::detectors::oscillation::OscillationSettings::default(),
            camping: crate::detectors::camping::CampingSettings::default(),
            novelty: crate::detectors::novelty::NoveltySettings::default(),
            task: crate::detectors::task::TaskSettings::default(),
            signature: crate::detectors::signature::SignatureSettings::default(),
            similarity: crate::detectors::similarity::SimilaritySettings::default(),
            budget: BudgetSettings::default(),
            errors: ErrorsSettings::default(),
            cycle: CycleSettings::default(),
            recurrence: RecurrenceSettings::default(),
            drift: DriftSettings::default(),
            failing_target: FailingTargetSettings::default(),
            poll: PollSettings::default(),
            chant: crate::detectors::chant::ChantSettings::default(),
            noop: crate::detectors::noop::NoopSettings::default(),
            restart: crate::detectors::restart::RestartSettings::default(),
            actions: ActionSettings::default(),
            policy: PolicySettings::default(),
            advice: AdviceSettings::default(),
            report: ReportSettings::default(),
            allow: Vec::new(),
        }
    }
}
