//! Problems with a configuration, each with the location of its cause.

mod config_problem;
mod locate;
mod render;

pub(crate) use config_problem::quote;
pub use config_problem::{ConfigError, ConfigProblem, ProblemLabel};
pub(crate) use locate::locate_problems;
