//! Settings: what can be set, what the profiles set, and what is a valid whole.

mod checks;
mod duration;
mod profile;
mod settings;

pub(crate) use checks::Checks;
pub use checks::{Config, Problem, Problems};
pub use duration::Duration;
pub use profile::Profile;
pub use settings::{
    AdviceSettings, AllowRule, Ladder, Mode, OnLoop, PolicySettings, ReportSettings, Scope, Settings,
    TemplateSet,
};
