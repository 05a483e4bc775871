//! The arguments of `loopbreak hook`.

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use loopbreak_hooks::install::SettingsScope;
use loopbreak_hooks::{HookAgent, agents};

use crate::args::ConfigOptions;
use crate::value_parsers::hook_agent;

/// Guard an agent while it works, through its hooks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook install                          Choose from the agents found
  loopbreak hook install claude-code --dry-run    Show what would change
  loopbreak hook install claude-code              Guard Claude Code here
  loopbreak hook install codex --user             Guard Codex CLI everywhere
  loopbreak hook install gemini                   Guard Gemini CLI here
  loopbreak hook doctor                           Check all installed hooks
  loopbreak hook doctor claude-code --live        Test with the agent itself
  loopbreak allow last                            Allow the last refused call
  loopbreak hook flush                            Send steps that wait
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
  loopbreak hook install                          Choose from the agents found
  loopbreak hook install --dry-run                Show what would change for all
  loopbreak hook install claude-code --dry-run    Show what would change
  loopbreak hook install claude-code              In .claude/settings.json
  loopbreak hook install claude-code --user       In ~/.claude/settings.json
  loopbreak hook install codex                    In .codex/hooks.json
  loopbreak hook install gemini                   In .gemini/settings.json

The rest of the file is left as it is. A backup of the previous version is
written to the same folder.

Without a name, the agents whose program is on the PATH, or which have a folder
in your home folder, are listed to choose from. Without a terminal, the list is
printed, nothing is changed, and the exit code is 2.")]
    Install(InstallArgs),
    /// Remove the hooks from the settings of an agent
    #[command(after_help = "\
Examples:
  loopbreak hook uninstall                        Choose from the installed ones
  loopbreak hook uninstall claude-code --dry-run  Show what would change
  loopbreak hook uninstall claude-code            In .claude/settings.json
  loopbreak hook uninstall claude-code --user     In ~/.claude/settings.json
  loopbreak hook uninstall codex                  In .codex/hooks.json

The rest of the file is left as it is. A backup of the previous version is
written to the same folder.")]
    Uninstall(InstallArgs),
    /// Check the installed hook, and test it with a simulated session
    Doctor(DoctorArgs),
    /// Send the steps that wait for the service
    #[command(after_help = "\
Examples:
  loopbreak hook flush                                       Send them now
  LOOPBREAK_SERVER=https://loops.example loopbreak hook flush

Hooks send steps to the service that LOOPBREAK_SERVER or server.url names. Steps
that could not be sent wait in the store. The next session sends them too.

Exit codes:
  0 nothing waits any more; 1 the service did not take all steps; 2 no service
  is named")]
    Flush,
}

/// Written by hand, because the agents come from a list.
impl Subcommand for HookCommand {
    fn augment_subcommands(command: Command) -> Command {
        // The commands for people come first.
        agents::ALL.iter().fold(ManageCommand::augment_subcommands(command), |command, agent| {
            let about = format!("Answer an event of {}, read from standard input", agent.title());
            let examples = format!("Examples:\n  loopbreak hook {} < event.json", agent.name());
            let answer = AnswerArgs::augment_args(Command::new(agent.name()));
            command.subcommand(answer.about(about).after_help(examples).aliases(agent.aliases()))
        })
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
    /// Agent to change; without a name, choose from those found
    #[arg(value_name = "AGENT", value_parser = hook_agent())]
    pub(crate) agent: Option<String>,
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

/// Check the installed hook, and test it with a simulated session.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook doctor                 Check every agent that is found
  loopbreak hook doctor claude-code     Check the hook of this project or, if it
                                        has none, of the user
  loopbreak hook doctor codex --user    Check the hook of the user
  loopbreak hook doctor gemini --live   Also start Gemini CLI with a scripted
                                        model, and see that its hook fires

Each check is a line: ok, warning or problem, with what to do about it. The
session is stored in a temporary folder, which is removed at the end. Commands
in settings files are compared with this program, and never run.

--live starts the agent that is on the PATH in a temporary home folder, with no
credentials, against a model on 127.0.0.1 that makes the same failing call
again and again. It takes at most 60 seconds.

Exit codes:
  0 the hook answers correctly; 1 it does not, or is not installed. A warning
  does not change the exit code")]
pub(crate) struct DoctorArgs {
    /// Agent to check; without a name, all that are found
    #[arg(value_name = "AGENT", value_parser = hook_agent())]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Also start the agent, in a temporary home folder with a scripted model
    #[arg(long)]
    pub(crate) live: bool,
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
