//! The settings of an episode: those of the configuration, overridden by the options of the command.

use std::path::Path;

use loopbreak::Config;

use super::args::PlayArgs;
use crate::args::ConfigOptions;
use crate::config;
use crate::error::UserError;

/// Returns the options with the profile `game`, unless another one is configured.
pub(crate) fn for_games(options: &ConfigOptions) -> Result<ConfigOptions, UserError> {
    let mut options = options.clone();
    // Problems are reported when the settings are loaded.
    if let Some(loaded) = config::try_load(&options, Path::new("."))?
        && !loaded.origin("profile").is_set()
    {
        options.profile = Some("game".to_owned());
    }
    Ok(options)
}

/// Loads the settings. The default profile is `game`. A person is advised, but not refused or stopped, unless
/// the configuration says so.
pub(super) fn load(args: &PlayArgs, person: bool) -> Result<Config, UserError> {
    let mut options = args.config.clone();
    if let Some(mode) = args.mode {
        options.set.push(format!("mode=\"{}\"", mode.as_str()));
    }
    let mut options = for_games(&options)?;
    if let Some(loaded) = config::try_load(&options, Path::new("."))? {
        let gentle = ["policy.ladder.reject", "policy.ladder.stop"];
        for key in gentle.iter().filter(|key| person && !loaded.origin(key).is_set()) {
            options.set.push(format!("{key}=false"));
        }
    }
    config::load(&options)
}
