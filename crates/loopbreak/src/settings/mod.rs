//! Settings, the profiles that set their defaults, and the checks that make them a valid configuration.

mod advice_settings;
mod alert_rule;
mod allow_rule;
mod config;
mod declaration;
mod mode;
mod model_price;
mod output_scope;
mod policy_settings;
mod profile;
mod report_settings;
mod server_settings;
mod settings_checks;
mod settings_problem;
mod time_span;
mod tool_rule;

pub use crate::fingerprint::ActionSettings;
pub use advice_settings::{AdviceSettings, TemplateSet};
pub use alert_rule::{AlertKind, AlertRule};
pub use allow_rule::AllowRule;
pub use config::Config;
pub use declaration::Settings;
pub use mode::Mode;
pub use model_price::ModelPrice;
pub use output_scope::OutputScope;
pub use policy_settings::{InterventionLadder, OnLoop, PolicySettings};
pub use profile::Profile;
pub use report_settings::ReportSettings;
pub use server_settings::ServerSettings;
pub(crate) use settings_checks::SettingsChecks;
pub use settings_problem::{SettingsProblem, SettingsProblems};
pub use time_span::{ParseTimeSpanError, TimeSpan};
pub use tool_rule::ToolRule;

macro_rules! export_settings {
    ($(($folder:ident $($line:tt)*))*) => { $(pub use crate::detectors::$folder::settings::*;)* };
}
crate::detectors::for_each_detector!(export_settings);
