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
  loopbreak hook install claude-code --dry-run    Show what would change in .claude/settings.json
  loopbreak hook install claude-code              Guard Claude Code in this project
  loopbreak hook install codex --user             Guard Codex CLI in all projects
  loopbreak hook install gemini                   Guard Gemini CLI in this project
  loopbreak hook doctor claude-code               Test the installed hook with a simulated session
  loopbreak allow last                            Allow the last refused call
  LOOPBREAK=off claude                            Start one session without the guard

If a hook fails, the agent continues and the error is printed to standard error.")]
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
    /// Add the hooks to the settings of an agent
    Install(InstallArgs),
    /// Remove the hooks from the settings of an agent
    Uninstall(InstallArgs),
    /// Test the installed hook with a simulated session and show each answer
    Doctor(DoctorArgs),
}

/// Answer an event, read from standard input.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// Add the hooks to the settings of an agent, or remove them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook install claude-code --dry-run    Show what would change without changing it
  loopbreak hook install claude-code              This project: .claude/settings.json
  loopbreak hook install claude-code --user       All projects: ~/.claude/settings.json
  loopbreak hook install codex                    This project: .codex/hooks.json
  loopbreak hook install gemini                   This project: .gemini/settings.json
  loopbreak hook uninstall claude-code            Remove the hooks

The rest of the file is left as it is. A backup of the previous version is written to the same folder.")]
pub(crate) struct InstallArgs {
    /// Agent
    #[arg(value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agent: HookAgent,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Show what would change without changing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The settings file to change.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Use the settings of the project in the current folder (default)
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Use the settings of the user, for all projects
    #[arg(long)]
    user: bool,
}

/// Test the installed hook with a simulated session and show each answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook doctor claude-code            Test the hook of this project or, if it has none, of the user
  loopbreak hook doctor codex --user           Test the hook of the user

The session is stored in a temporary folder, which is removed at the end.

Exit codes:
  0 the hook answers correctly; 1 it does not, or is not installed")]
pub(crate) struct DoctorArgs {
    /// Agent
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
