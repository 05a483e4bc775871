//! Settings, the profiles that set their defaults, and the checks that make them a valid configuration.

mod checks;
mod profile;
mod settings;
mod time_span;

pub use crate::detect::budget::BudgetSettings;
pub use crate::detect::camping::CampingSettings;
pub use crate::detect::chant::ChantSettings;
pub use crate::detect::cycle::CycleSettings;
pub use crate::detect::drift::DriftSettings;
pub use crate::detect::errors::ErrorsSettings;
pub use crate::detect::failing_target::FailingTargetSettings;
pub use crate::detect::noop::NoopSettings;
pub use crate::detect::novelty::NoveltySettings;
pub use crate::detect::oscillation::OscillationSettings;
pub use crate::detect::poll::PollSettings;
pub use crate::detect::recurrence::RecurrenceSettings;
pub use crate::detect::restart::RestartSettings;
pub use crate::detect::revisit::RevisitSettings;
pub use crate::detect::signature::SignatureSettings;
pub use crate::detect::similarity::SimilaritySettings;
pub use crate::detect::stagnation::{Patience, ScoreProgress, StagnationSettings};
pub use crate::detect::task::{TaskPreset, TaskSettings};
pub use crate::fingerprint::ActionSettings;
pub(crate) use checks::Checks;
pub use checks::{Config, Problem, Problems};
pub use profile::Profile;
pub use settings::{
    AdviceSettings, AllowRule, Ladder, Mode, OnLoop, PolicySettings, ReportSettings, Scope, Settings,
    TemplateSet,
};
pub use time_span::{ParseTimeSpanError, TimeSpan};
