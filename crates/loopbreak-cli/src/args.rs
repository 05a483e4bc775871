//! The command line: every command, option and example.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A circuit breaker for autonomous agents
///
/// Loopbreak watches what an agent does, says when it is stuck and why, and breaks the loop.
#[derive(Debug, Parser)]
#[command(
    name = "loopbreak",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  loopbreak analyze                      Where were the agents on this machine stuck?
  loopbreak analyze logs/                Where were my agents stuck, and what did it cost?
  loopbreak analyze --json run.jsonl     The same as data
  loopbreak watch logs/                  Tell me at once when a run is stuck
  loopbreak play                         Watch a game, with Loopbreak in the loop
  loopbreak analyze --help               More about a command

Exit codes:
  0 done, 1 failed, 2 used or configured wrongly, 10 loop found, 11 limit reached,
  12 too many errors, 13 a human is needed, 130 interrupted"
)]
pub(crate) struct CliArgs {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Look through past logs: where agents were stuck, and where Loopbreak would have stepped in
    ///
    /// Replays each run as if Loopbreak had watched it, and tells the verdict, the stretches without progress, what would have
    /// been done and why, the steps that would have been saved, and the progress that would have been destroyed. Only what ends
    /// a run or hands it to a human saves steps. The replay goes on after a stop, as if nobody had acted.
    Analyze(crate::analyze::AnalyzeArgs),
    /// Follow growing logs, and say at once when a run is stuck
    ///
    /// Shows every step to the guard of its run as it is written, prints what would be done as it comes, one line each, and
    /// runs a command or calls a webhook when a run should be stopped or needs a human. Files may be rotated, emptied and
    /// replaced, new ones may come to be. It goes on until it is interrupted.
    Watch(crate::watch::WatchArgs),
    /// Run an agent again and again, with guards against loops, limits and errors
    ///
    /// Each round starts the command with the prompt on its standard input, passes its output through, and shows it to the
    /// guard. What the guard has to say goes into the next prompt; where nothing helps, the loop ends with an exit code that
    /// says why.
    Run(Box<crate::run::RunArgs>),
    /// Play a text adventure, with an agent, a critic and Loopbreak in the loop
    ///
    /// Each turn the player proposes a command, the critic scores it, and Loopbreak says what it is worth in the light of all
    /// that came before; what is worth too little is refused, with the reasons. The game is a story file for the Z-machine, or
    /// any program that speaks the protocol of worlds; the player a model, a program, a built-in one, or you.
    Play(Box<crate::play::PlayArgs>),
    /// Play many games with Loopbreak and the same games without: does it help, and what does it spoil?
    ///
    /// Built-in players, most of which get stuck, play a story on all cores. Without means that Loopbreak only observes, so
    /// that a player makes the moves it would make alone. Tells scores, wasted turns, loops left, games ended, and those ended
    /// although they would still have scored, with 95 % intervals in the data and on the page.
    Arena(crate::arena::ArenaArgs),
    /// Compare with labelled runs: precision, recall and savings, beside rules of others
    ///
    /// Replays each run and compares what Loopbreak says with what is known of the run. Without labels it tells only the
    /// signals and the savings.
    Eval(crate::eval::EvalArgs),
    /// Search thresholds on past runs, judged by runs that were held out
    ///
    /// Replays all runs with other settings, again and again, and tells which would have served best: the most positive runs
    /// warned of with few false alarms or, without labels, the most steps saved with no more progress destroyed than now.
    Tune(crate::tune::TuneArgs),
    /// List the log formats that are read
    Formats(crate::formats::FormatsArgs),
    /// Write logs of any format as native steps
    ///
    /// One step a line. The analysis of what is written is that of the logs themselves.
    Convert(crate::convert::ConvertArgs),
    /// Guard an agent while it works, through its hooks
    ///
    /// The agent is told when it goes round in circles. A call that goes on with a known loop is refused; if the agent
    /// insists, a human is asked. What an agent did is kept, so that `loopbreak status` and `loopbreak log` can tell.
    Hook(crate::hook::HookArgs),
    /// Serve agents and orchestrators over MCP: steps, tasks, loops and what to do about them
    ///
    /// An agent or its orchestrator tells what it does and asks what to do, through tools. All is kept in the same place as
    /// what hooks and the runner see, so a server that is started again goes on where it was.
    Mcp(crate::mcp::McpArgs),
    /// Show the runs that are guarded now
    Status(crate::status::StatusArgs),
    /// Show what happened in a run that was guarded
    Log(crate::log::LogArgs),
    /// Show and change the tasks of a roadmap
    ///
    /// The tasks that `loopbreak run --roadmap` works through: how they stand, what was tried, what waits for what. People and
    /// agents change them while the run goes on.
    Tasks(crate::tasks::TasksArgs),
    /// Allow a call that was refused
    ///
    /// In that session, from the next call on; with --save in all sessions of the project.
    Allow(crate::allow::AllowArgs),
    /// Make, check and explain the configuration
    Config(crate::config::ConfigArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write all of them
    Man(ManArgs),
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
    /// Set one option, as in `stagnation.max_turns=30`; may be given again
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    pub(crate) set: Vec<String>,
}

impl ConfigOptions {
    /// The same options as arguments of another command.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut add = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        if let Some(config) = &self.config {
            add("--config", config.display().to_string());
        }
        if let Some(profile) = &self.profile {
            add("--profile", profile.clone());
        }
        for set in &self.set {
            add("--set", set.clone());
        }
        arguments
    }
}

/// From which verdict on the exit code says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The agent should have been warned
    Warn,
    /// Loopbreak should have stepped in
    Stop,
}

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak completions bash > ~/.local/share/bash-completion/completions/loopbreak
  loopbreak completions zsh > ~/.zfunc/_loopbreak
  loopbreak completions fish > ~/.config/fish/completions/loopbreak.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write all of them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak man | man -l -            Read the page
  loopbreak man --out man/man1        Write loopbreak.1 and a page for each command
  loopbreak man --markdown            A reference of all commands and options")]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this folder, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print all commands and options as Markdown
    #[arg(long, conflicts_with = "out")]
    pub(crate) markdown: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::CliArgs::command().debug_assert();
    }
}
