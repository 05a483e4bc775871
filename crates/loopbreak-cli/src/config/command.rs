//! The commands under `loopbreak config`.

use clap::{Args, Subcommand};

use super::{check, explain, init, reference, schema};
use crate::error::UserError;

/// Make, check and explain the configuration.
#[derive(Debug, Args)]
#[command(
    after_help = "Settings come from the profile, then the file, then the environment, then flags; the last \
one holds.\nThe file is the first loopbreak.toml, or pyproject.toml with [tool.loopbreak], from this folder upwards."
)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a loopbreak.toml in which every option is explained
    Init(init::InitArgs),
    /// Check the configuration and show which value holds and where it came from
    Check(check::CheckArgs),
    /// Print the JSON schema of loopbreak.toml, for editors
    Schema(schema::SchemaArgs),
    /// Explain an option, or list them all
    Explain(explain::ExplainArgs),
    /// Print the reference of all options as Markdown
    Reference(reference::ReferenceArgs),
}

/// Runs one of them.
pub(crate) fn run(args: &ConfigArgs) -> Result<u8, UserError> {
    match &args.command {
        Command::Init(args) => init::run(args),
        Command::Check(args) => check::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Reference(args) => reference::run(args),
    }
}
