//! The subcommands of `loopbreak config`.

use clap::{Args, Subcommand};

use super::{check, explain, init, reference, schema};
use crate::error::UserError;

/// Create, check and explain the configuration.
#[derive(Debug, Args)]
#[command(
    after_help = "Settings come from the profile, the file, the environment and flags; each overrides the one before.\n\
The file is the nearest loopbreak.toml, or pyproject.toml with [tool.loopbreak], in this folder or its parents."
)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Write a loopbreak.toml that describes every option
    Init(init::InitArgs),
    /// Check the configuration and show the effective values and their origin
    Check(check::CheckArgs),
    /// Print the JSON schema of loopbreak.toml, for editors
    Schema(schema::SchemaArgs),
    /// Explain an option, or list all options
    Explain(explain::ExplainArgs),
    /// Print the reference of all options as Markdown
    Reference(reference::ReferenceArgs),
}

/// Runs the subcommand.
pub(crate) fn run(args: &ConfigArgs) -> Result<u8, UserError> {
    match &args.command {
        ConfigCommand::Init(args) => init::run(args),
        ConfigCommand::Check(args) => check::run(args),
        ConfigCommand::Schema(args) => schema::run(args),
        ConfigCommand::Explain(args) => explain::run(args),
        ConfigCommand::Reference(args) => reference::run(args),
    }
}
