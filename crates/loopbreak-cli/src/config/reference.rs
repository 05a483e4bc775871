//! `loopbreak config reference`: prints the reference page.

use clap::Args;
use loopbreak_config::reference::reference_page;

use super::output;
use crate::error::UserError;
use crate::exit;

/// Print the reference of all options as Markdown.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  loopbreak config reference > configuration.md")]
pub(crate) struct ReferenceArgs {}

pub(crate) fn run(_: &ReferenceArgs) -> Result<u8, UserError> {
    output::show(&reference_page())?;
    Ok(exit::DONE)
}
