//! The commands under `loopbreak hook`.

use clap::{Args, Subcommand};

use super::{Dialect, doctor, install, respond};
use crate::args::ConfigOptions;
use crate::error::UserError;

/// Guard an agent while it works, through its hooks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook install claude-code --dry-run    What would change in .claude/settings.json
  loopbreak hook install claude-code              Guard Claude Code in this project
  loopbreak hook install codex --user             Guard Codex CLI everywhere
  loopbreak hook install gemini                   Guard Gemini CLI in this project
  loopbreak hook doctor claude-code               Try what is installed on a made-up session
  loopbreak allow last                            Let the agent do what was refused
  LOOPBREAK=off claude                            Without the guard, this once

Whatever goes wrong inside a hook, the agent goes on; standard error says why.")]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer an event of Claude Code, read from standard input
    ClaudeCode(AnswerArgs),
    /// Answer an event of Codex CLI, read from standard input
    Codex(AnswerArgs),
    /// Answer an event of Gemini CLI, read from standard input
    Gemini(AnswerArgs),
    /// Write the hooks into the settings of an agent
    Install(install::InstallArgs),
    /// Take the hooks out of the settings of an agent
    Uninstall(install::InstallArgs),
    /// Run a made-up session through the installed hook and show each answer
    Doctor(doctor::DoctorArgs),
}

/// Answer an event, read from standard input.
#[derive(Debug, Args)]
struct AnswerArgs {
    #[command(flatten)]
    config: ConfigOptions,
}

/// Runs one of them.
pub(crate) fn run(args: &HookArgs) -> Result<u8, UserError> {
    match &args.command {
        Command::ClaudeCode(args) => Ok(respond(Dialect::ClaudeCode, &args.config)),
        Command::Codex(args) => Ok(respond(Dialect::Codex, &args.config)),
        Command::Gemini(args) => Ok(respond(Dialect::Gemini, &args.config)),
        Command::Install(args) => install::install(args),
        Command::Uninstall(args) => install::uninstall(args),
        Command::Doctor(args) => doctor::run(args),
    }
}
