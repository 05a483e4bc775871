//! The arguments of `loopbreak hook`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use loopbreak_hooks::install::SettingsScope;
use loopbreak_hooks::{HookAgent, agents};

use crate::args::ConfigOptions;

/// Guard an agent while it works, through its hooks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook install claude-code --dry-run    Show what would change
  loopbreak hook install claude-code              Guard Claude Code here
  loopbreak hook install codex --user             Guard Codex CLI everywhere
  loopbreak hook install gemini                   Guard Gemini CLI here
  loopbreak hook doctor claude-code               Test with a simulated session
  loopbreak allow last                            Allow the last refused call
  LOOPBREAK=off claude                            One session without the guard

Without a name, an event on standard input is answered in the form of the agent
that sent it. If a hook fails, the agent continues and the error is printed to
standard error.")]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    pub(crate) command: HookCommand,
}

/// The subcommands: one per agent, which the agent calls, and those for people.
#[derive(Debug)]
pub(crate) enum HookCommand {
    Answer(&'static dyn HookAgent, AnswerArgs),
    Manage(ManageCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ManageCommand {
    /// Add the hooks to the settings of an agent
    #[command(after_help = "\
Examples:
  loopbreak hook install claude-code --dry-run    Show what would change
  loopbreak hook install claude-code              In .claude/settings.json
  loopbreak hook install claude-code --user       In ~/.claude/settings.json
  loopbreak hook install codex                    In .codex/hooks.json
  loopbreak hook install gemini                   In .gemini/settings.json

The rest of the file is left as it is. A backup of the previous version is
written to the same folder.")]
    Install(InstallArgs),
    /// Remove the hooks from the settings of an agent
    #[command(after_help = "\
Examples:
  loopbreak hook uninstall claude-code --dry-run  Show what would change
  loopbreak hook uninstall claude-code            In .claude/settings.json
  loopbreak hook uninstall claude-code --user     In ~/.claude/settings.json
  loopbreak hook uninstall codex                  In .codex/hooks.json

The rest of the file is left as it is. A backup of the previous version is
written to the same folder.")]
    Uninstall(InstallArgs),
    /// Test the installed hook with a simulated session and show each answer
    Doctor(DoctorArgs),
}

/// Written by hand, because the agents come from a list.
impl Subcommand for HookCommand {
    fn augment_subcommands(command: Command) -> Command {
        let with_agents = agents::ALL.iter().fold(command, |command, agent| {
            let about = format!("Answer an event of {}, read from standard input", agent.title());
            command.subcommand(AnswerArgs::augment_args(Command::new(agent.name())).about(about))
        });
        ManageCommand::augment_subcommands(with_agents)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        HookCommand::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name.parse::<&dyn HookAgent>().is_ok() || ManageCommand::has_subcommand(name)
    }
}

impl FromArgMatches for HookCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if let Some((name, matches)) = matches.subcommand()
            && let Ok(agent) = name.parse()
        {
            return Ok(HookCommand::Answer(agent, AnswerArgs::from_arg_matches(matches)?));
        }
        ManageCommand::from_arg_matches(matches).map(HookCommand::Manage)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = HookCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Answer an event, read from standard input.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// Options of `install` and `uninstall`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Agent to change
    #[arg(value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agent: &'static dyn HookAgent,
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
  loopbreak hook doctor claude-code     Test the hook of this project or, if it
                                        has none, of the user
  loopbreak hook doctor codex --user    Test the hook of the user

The session is stored in a temporary folder, which is removed at the end.

Exit codes:
  0 the hook answers correctly; 1 it does not, or is not installed")]
pub(crate) struct DoctorArgs {
    /// Agent to test
    #[arg(value_name = "AGENT", value_parser = agent_parser())]
    pub(crate) agent: &'static dyn HookAgent,
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
fn agent_parser() -> impl TypedValueParser<Value = &'static dyn HookAgent> {
    let values = agents::ALL.iter().map(|agent| PossibleValue::new(agent.name()).help(agent.title()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<&dyn HookAgent>())
}
