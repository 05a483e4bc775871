//! The command line: every command, option and example.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A circuit breaker for autonomous agents.
#[derive(Debug, Parser)]
#[command(name = "loopbreak", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look through past logs: where agents were stuck, and where Loopbreak would have stepped in
    Analyze(AnalyzeArgs),
    /// Make, check and explain the configuration
    Config(crate::config::ConfigArgs),
}

/// Where settings come from, for every command that uses them.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ConfigOptions {
    /// Read this configuration file instead of looking for one
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) config: Option<PathBuf>,
    /// Start from this profile: auto, game, coding, tasks, iterations, documents
    #[arg(long, value_name = "NAME", help_heading = "Configuration")]
    pub(crate) profile: Option<String>,
    /// Set one option, as in stagnation.max_turns=30; may be given again
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    pub(crate) set: Vec<String>,
}

/// Look through past logs.
#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    /// Files, folders, or - for standard input
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}
