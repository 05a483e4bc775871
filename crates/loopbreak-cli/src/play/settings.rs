//! The settings of an episode: those of the configuration, overridden by the options of the command.

use std::path::Path;

use loopbreak::Config;

use super::args::PlayArgs;
use crate::config_loading;
use crate::error::UserError;
use crate::games::with_game_profile;

/// Loads the settings. The default profile is `game`. A person is advised, but not refused or stopped, unless
/// the configuration says so.
pub(super) fn load(args: &PlayArgs, person: bool) -> Result<Config, UserError> {
    let mut options = args.config.clone();
    if let Some(mode) = args.mode {
        options.set.push(format!("mode=\"{}\"", mode.as_str()));
    }
    let mut options = with_game_profile(&options)?;
    if let Some(loaded) = config_loading::try_load(&options, Path::new("."))? {
        let forceful = ["policy.ladder.reject", "policy.ladder.stop"];
        for key in forceful.iter().filter(|key| person && !loaded.origin(key).is_set()) {
            options.set.push(format!("{key}=false"));
        }
    }
    config_loading::load(&options)
}
