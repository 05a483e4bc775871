//! The arguments of `loopbreak hook`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use loopbreak_hooks::HookAgent;
use loopbreak_hooks::install::SettingsScope;

use crate::args::ConfigOptions;

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
    pub(crate) command: HookCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Answer an event of Claude Code, read from standard input
    ClaudeCode(AnswerArgs),
    /// Answer an event of Codex CLI, read from standard input
    Codex(AnswerArgs),
    /// Answer an event of Gemini CLI, read from standard input
    Gemini(AnswerArgs),
    /// Write the hooks into the settings of an agent
    Install(InstallArgs),
    /// Take the hooks out of the settings of an agent
    Uninstall(InstallArgs),
    /// Run a made-up session through the installed hook and show each answer
    Doctor(DoctorArgs),
}

/// Answer an event, read from standard input.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// Write the hooks into the settings of an agent, or take them out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook install claude-code --dry-run    Show what would change, and change nothing
  loopbreak hook install claude-code              This project: .claude/settings.json
  loopbreak hook install claude-code --user       All projects: ~/.claude/settings.json
  loopbreak hook install codex                    This project: .codex/hooks.json
  loopbreak hook install gemini                   This project: .gemini/settings.json
  loopbreak hook uninstall claude-code            Take the hooks out again

The rest of the file stays as it is. What was there before is kept beside it.")]
pub(crate) struct InstallArgs {
    /// Which agent
    #[arg(value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agent: HookAgent,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Whose settings.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// The settings of the project in this folder; the default
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// The settings of the user, for all projects
    #[arg(long)]
    user: bool,
}

/// Run a made-up session through the installed hook and show each answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook doctor claude-code            What is installed here, else for the user
  loopbreak hook doctor codex --user           What is installed for the user

The session is kept in a folder of its own, which is removed at the end.
Exit codes:
  0 it answers as it should, 1 it does not or is not installed")]
pub(crate) struct DoctorArgs {
    /// Which agent
    #[arg(value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agent: HookAgent,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

impl ScopeArgs {
    /// Returns the scope, and whether the user named it.
    pub(crate) fn scope(&self) -> (SettingsScope, bool) {
        match (self.user, self.project) {
            (true, _) => (SettingsScope::User, true),
            (false, named) => (SettingsScope::Project, named),
        }
    }
}

/// Parses the name of an agent. Help and completions list the agents.
fn agent_parser() -> impl TypedValueParser<Value = HookAgent> {
    let values = HookAgent::ALL.map(|agent| PossibleValue::new(agent.name()).help(agent.title()));
    PossibleValuesParser::new(values)
        .try_map(|name| HookAgent::named(&name).ok_or_else(|| format!("unknown agent {name:?}")))
}
