//! Finds and reads the settings.

use loopbreak::Config;

use crate::args::ConfigOptions;
use crate::error::UserError;

/// The settings that hold here: file, environment, flags.
pub(crate) fn load(_options: &ConfigOptions) -> Result<Config, UserError> {
    Ok(Config::default())
}
