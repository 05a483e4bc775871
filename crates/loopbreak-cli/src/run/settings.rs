//! The settings of a run: those of the configuration, overridden by the options of the command.

use std::path::Path;

use loopbreak::Config;
use loopbreak_runner::{RunDefaults, RunLimits};

use super::args::{OnLoopArg, RunArgs};
use crate::config_loading;
use crate::error::UserError;

/// Loads the settings of a run, which has a roadmap with `tasks` tasks.
pub(super) fn load(args: &RunArgs, tasks: Option<usize>) -> Result<Config, UserError> {
    let limits = RunLimits {
        max_iterations: args.max_iterations,
        max_runtime: args.max_runtime,
        max_cost: args.max_cost,
        max_errors: args.max_errors,
        on_loop: args.on_loop.map(OnLoopArg::setting),
    };
    let mut options = args.config.clone();
    // They come last and override all others.
    options.set.extend(limits.assignments());
    // Problems are reported when the settings are loaded.
    if let Some(loaded) = config_loading::try_load(&options, Path::new("."))? {
        let defaults = RunDefaults::new(&loaded, tasks);
        options.profile = defaults.profile.map(|profile| profile.as_str().to_owned()).or(options.profile);
        options.set.extend(defaults.assignments);
    }
    config_loading::load(&options)
}
