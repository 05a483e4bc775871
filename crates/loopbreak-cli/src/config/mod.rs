//! `loopbreak config`, and the way from files, environment and flags to settings.

mod load;

use clap::Args;

use crate::error::UserError;

pub(crate) use load::load;

/// Make, check and explain the configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {}

pub(crate) fn run(_args: &ConfigArgs) -> Result<u8, UserError> {
    Ok(crate::exit::DONE)
}
