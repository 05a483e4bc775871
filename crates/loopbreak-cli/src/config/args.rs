//! The subcommands of `loopbreak config`, and their options.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::ConfigOptions;
use crate::value_parsers::{config_key, profile};

/// Create, check and explain the configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config init --profile coding            Write loopbreak.toml
  loopbreak config check                            Show the effective values
  loopbreak config explain                          List all options
  loopbreak config explain stagnation.max_turns     Explain one option

  loopbreak config trust                            Trust the file found here

Settings come from the profile, your own file, the file of the project, the
environment and flags; each overrides the one before. Your own file is
~/.config/loopbreak/loopbreak.toml. That of the project is the nearest
loopbreak.toml, or pyproject.toml with [tool.loopbreak], in this folder or its
parents.")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Write a loopbreak.toml that describes every option
    Init(InitArgs),
    /// Check the configuration and show the effective values and their origin
    Check(CheckArgs),
    /// Print the effective value of an option
    Get(GetArgs),
    /// Print the JSON schema of loopbreak.toml, for editors
    Schema(SchemaArgs),
    /// Explain an option, or list all options
    Explain(ExplainArgs),
    /// Trust the configuration file of a project, or list the trusted files
    Trust(TrustArgs),
    /// Take the trust in a configuration file back
    Untrust(UntrustArgs),
    /// Print the reference of all options as Markdown
    Reference(ReferenceArgs),
}

/// Write a loopbreak.toml with the options that people change most, or with every option.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config init                             Write ./loopbreak.toml
  loopbreak config init --all                       With every option
  loopbreak config init --profile coding            List its defaults
  loopbreak config init --force ../agent/loopbreak.toml")]
pub(super) struct InitArgs {
    /// File to write, or folder for loopbreak.toml [default: the current folder]
    pub(super) path: Option<PathBuf>,
    /// Select this profile and list its defaults: auto, coding, tasks, iterations, game, documents
    #[arg(long, value_name = "NAME", value_parser = profile(), hide_possible_values = true)]
    pub(super) profile: Option<String>,
    /// List every option, not only those that people change most
    #[arg(long)]
    pub(super) all: bool,
    /// Overwrite an existing file
    #[arg(long)]
    pub(super) force: bool,
}

/// Check the configuration and show the effective values and their origin.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config check                            The file of this folder
  loopbreak config check ../other/pyproject.toml    Another file
  loopbreak config check --profile coding --set stagnation.max_turns=60

Exit codes:
  0 the configuration is valid; 2 it has a problem")]
pub(super) struct CheckArgs {
    /// File to check, or folder to search from [default: the current folder]
    #[arg(conflicts_with = "config")]
    pub(super) path: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) options: ConfigOptions,
}

/// Print the JSON schema of loopbreak.toml, for editors.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config schema > loopbreak.schema.json

Then add this first line to loopbreak.toml:
  #:schema ./loopbreak.schema.json")]
pub(super) struct SchemaArgs {}

/// Explain an option, or list all options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config explain                          List all options
  loopbreak config explain stagnation               The options of a table
  loopbreak config explain stagnation.max_turns     One option
  loopbreak config explain max_turns_stuck          A legacy key
  loopbreak config explain advice.texts             The texts of advice")]
pub(super) struct ExplainArgs {
    /// Option, table, legacy key or environment variable [default: list all options]
    #[arg(value_parser = config_key(), hide_possible_values = true)]
    pub(super) key: Option<String>,
}

/// Print the effective value of an option.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config get stagnation.max_turns         Text as text, others as JSON
  loopbreak config get mode --profile coding")]
pub(super) struct GetArgs {
    /// Option, such as `stagnation.max_turns`
    #[arg(value_parser = config_key(), hide_possible_values = true)]
    pub(super) key: String,
    #[command(flatten)]
    pub(super) options: ConfigOptions,
}

/// Trust the configuration file of a project, or list the trusted files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config trust                 Trust the file of this folder
  loopbreak config trust ../app          Trust the file of another folder
  loopbreak config trust --yes           Do not ask
  loopbreak config trust --list          Show the files that you have trusted

Where Loopbreak guards an agent that can write files (hooks, mcp, watch), the
file of a project may make the guard stricter. It may switch it off, allow
calls, or change its texts only if you have trusted it. This command shows what
the file would do and asks. A file is trusted with its present content: if it
is changed, it has to be trusted again. Your own file in
~/.config/loopbreak/loopbreak.toml needs no trust.

Exit codes:
  0 the file is trusted; 1 it is not; 2 the file has a problem, or nobody was
  there to confirm")]
pub(super) struct TrustArgs {
    /// File, or folder to search from [default: the current folder]
    #[arg(value_name = "FOLDER|FILE")]
    pub(super) path: Option<PathBuf>,
    /// Trust the file without asking
    #[arg(short, long)]
    pub(super) yes: bool,
    /// List the trusted files
    #[arg(long, conflicts_with_all = ["path", "yes"])]
    pub(super) list: bool,
}

/// Take the trust in a configuration file back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config untrust               The file of this folder
  loopbreak config untrust ../app/loopbreak.toml

Exit codes:
  0 the file is not trusted any more; 1 it was not trusted")]
pub(super) struct UntrustArgs {
    /// File, or folder to search from [default: the current folder]
    #[arg(value_name = "FOLDER|FILE")]
    pub(super) path: Option<PathBuf>,
}

/// Print the reference of all options as Markdown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak config reference > configuration.md")]
pub(super) struct ReferenceArgs {}
