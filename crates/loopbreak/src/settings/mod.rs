//! Settings, the profiles that set their defaults, and the checks that make them a valid configuration.

mod checks;
mod profile;
mod settings;
mod time_span;

pub use crate::detectors::budget::BudgetSettings;
pub use crate::detectors::camping::CampingSettings;
pub use crate::detectors::chant::ChantSettings;
pub use crate::detectors::cycle::CycleSettings;
pub use crate::detectors::drift::DriftSettings;
pub use crate::detectors::errors::ErrorsSettings;
pub use crate::detectors::failing_target::FailingTargetSettings;
pub use crate::detectors::noop::NoopSettings;
pub use crate::detectors::novelty::NoveltySettings;
pub use crate::detectors::oscillation::OscillationSettings;
pub use crate::detectors::poll::PollSettings;
pub use crate::detectors::recurrence::RecurrenceSettings;
pub use crate::detectors::restart::RestartSettings;
pub use crate::detectors::revisit::RevisitSettings;
pub use crate::detectors::signature::SignatureSettings;
pub use crate::detectors::similarity::SimilaritySettings;
pub use crate::detectors::stagnation::{ScoreProgress, StagnationPatience, StagnationSettings};
pub use crate::detectors::task::{TaskPreset, TaskSettings};
pub use crate::fingerprint::ActionSettings;
pub(crate) use checks::SettingsChecks;
pub use checks::{Config, SettingsProblem, SettingsProblems};
pub use profile::Profile;
pub use settings::{
    AdviceSettings, AllowRule, InterventionLadder, Mode, OnLoop, OutputScope, PolicySettings, ReportSettings,
    Settings, TemplateSet,
};
pub use time_span::{ParseTimeSpanError, TimeSpan};
