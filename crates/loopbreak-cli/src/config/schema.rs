//! `loopbreak config schema`: prints the JSON schema.

use clap::Args;
use loopbreak_config::schema;

use super::output;
use crate::error::UserError;
use crate::exit;

/// Print the JSON schema of loopbreak.toml, for editors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  loopbreak config schema > loopbreak.schema.json\n\n\
Then add this first line to loopbreak.toml:\n  #:schema ./loopbreak.schema.json")]
pub(crate) struct SchemaArgs {}

pub(crate) fn run(_: &SchemaArgs) -> Result<u8, UserError> {
    output::show_json(&schema())?;
    Ok(exit::DONE)
}
