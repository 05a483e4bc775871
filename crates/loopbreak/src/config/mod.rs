//! Settings: what can be set, what the profiles set, where settings come from, and what is a valid whole.

mod assign;
mod checks;
mod duration;
mod environment;
mod file;
mod flags;
mod kind;
mod layers;
mod legacy;
mod locate;
mod located;
mod nearest;
mod options;
mod origin;
mod profile;
mod schema;
mod settings;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use crate::detect::budget::BudgetSettings;
pub use crate::detect::camping::CampingSettings;
pub use crate::detect::chant::ChantSettings;
pub use crate::detect::cycle::CycleSettings;
pub use crate::detect::drift::DriftSettings;
pub use crate::detect::errors::ErrorsSettings;
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
pub use duration::Duration;
pub use file::has_tables;
pub use kind::{Choice, Kind, Range};
pub use layers::{Effective, Layers, Loaded};
pub use legacy::{DOCUMENTS_KEYS, DocumentsKey, Meaning};
pub use located::{ConfigError, Located, Mark};
pub use nearest::nearest;
pub use options::{OptionInfo, TableInfo, find_option, options, tables};
pub use origin::{Origin, Shape, Source, Spot};
pub use profile::Profile;
pub use schema::schema;
pub use settings::{
    AdviceSettings, AllowRule, Ladder, Mode, OnLoop, PolicySettings, ReportSettings, Scope, Settings,
    TemplateSet,
};
