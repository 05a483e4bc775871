//! Stories and settings of the commands that play games.

use std::path::Path;
use std::sync::Arc;

use loopbreak_arena::stories::{self, SPILLWAY_NAME};
use loopbreak_arena::zmachine::StoryFile;

use crate::args::ConfigOptions;
use crate::config_loading;
use crate::error::UserError;

/// Returns the options with the profile `game`, unless another one is configured.
pub(crate) fn with_game_profile(options: &ConfigOptions) -> Result<ConfigOptions, UserError> {
    let mut options = options.clone();
    // Problems are reported when the settings are loaded.
    if let Some(loaded) = config_loading::try_load(&options, Path::new("."))?
        && !loaded.origin("profile").is_set()
    {
        options.profile = Some("game".to_owned());
    }
    Ok(options)
}

/// Opens the story with this name or in this file.
pub(crate) fn open_story(path: &Path) -> Result<Arc<StoryFile>, UserError> {
    stories::open(path).map_err(|error| {
        UserError::usage(format!("{}: {error}", path.display()))
            .hint(format!("use a Z-machine story file of version 3 (.z3), or `{SPILLWAY_NAME}`"))
    })
}

/// Returns an error if the file is the story.
pub(crate) fn refuse_to_overwrite_story(option: &str, path: &Path, story: &Path) -> Result<(), UserError> {
    let real = path.canonicalize().ok();
    if real.is_some() && real == story.canonicalize().ok() {
        let message = format!("{option} {} would overwrite the story", path.display());
        return Err(UserError::usage(message).hint("choose another output file"));
    }
    Ok(())
}
