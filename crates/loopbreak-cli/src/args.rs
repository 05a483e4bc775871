//! The command line: every command, option and example.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};

use crate::value_parsers::profile;

/// A circuit breaker for autonomous agents
///
/// Loopbreak watches what an agent does, reports when it is stuck and why, and breaks the loop.
#[derive(Debug, Parser)]
#[command(
    name = "loopbreak",
    version,
    long_version = env!("LOOPBREAK_LONG_VERSION"),
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  loopbreak analyze                     Find loops in the logs of your agents
  loopbreak analyze logs/               Find loops in the logs in a folder
  loopbreak hook install claude-code    Guard Claude Code in this project
  loopbreak watch logs/                 Report loops while agents run
  loopbreak run --prompt-file PROMPT.md -- claude -p
                                        Run an agent repeatedly, with limits
  loopbreak analyze --help              Show the options of a command

Exit codes:
  0 success, 1 failure, 2 wrong usage or configuration, 10 loop found,
  11 limit reached, 12 too many errors, 13 a human is needed, 130 interrupted"
)]
pub(crate) struct CliArgs {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
    /// When to use colours; `NO_COLOR` and `CLICOLOR_FORCE` count with auto
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto", hide_default_value = true)]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Find loops in past logs
    ///
    /// Replays each run as if Loopbreak had watched it. Reports the verdict, the periods without progress,
    /// what Loopbreak would have done and why, the steps it would have saved, and the progress it would have
    /// cost. Only an intervention that ends a run or hands it to a human saves steps. The replay continues
    /// after a stop, as if nobody had acted on it.
    Analyze(crate::analyze::AnalyzeArgs),
    /// Guard an agent while it works, through its hooks
    ///
    /// Warns the agent when it repeats itself. Refuses a call that continues a known loop, and asks a human
    /// if the agent insists. `loopbreak status` and `loopbreak log` show what was recorded.
    Hook(crate::hook::HookArgs),
    /// Follow logs and report loops as they happen
    ///
    /// Checks every step as soon as it is written and prints one line per intervention. Runs a command or
    /// calls a webhook when a run should be stopped or needs a human. Handles rotation, truncation and new
    /// files. Continues until interrupted.
    Watch(crate::watch::WatchArgs),
    /// Run an agent repeatedly, guarded against loops, limits and errors
    ///
    /// Each iteration starts the command with the prompt on its standard input, passes its output through and
    /// checks it for loops. Advice goes into the next prompt. If advice does not help, the run ends with an
    /// exit code that says why.
    Run(Box<crate::run::RunArgs>),
    /// Serve agents and orchestrators over MCP
    ///
    /// An agent or its orchestrator reports its steps and asks for advice through tools. The runs are stored
    /// together with those of the hooks and `loopbreak run`, so a restarted server continues where it was.
    Mcp(crate::mcp::McpArgs),
    /// Serve agents of many machines over HTTP
    ///
    /// Agents and programs send their steps and get verdicts back. All runs, and the loops over all of them, can be seen and
    /// decided about in one place.
    Serve(Box<crate::serve::ServeArgs>),
    /// Make, list and revoke tokens of the service
    Token(crate::token::TokenArgs),
    /// Merge reports of several machines into one
    ///
    /// Reads reports of `loopbreak analyze --json` and prints one with all their runs, and totals over all of them.
    Merge(crate::merge::MergeArgs),
    /// Delete what the service stores of a run
    Forget(crate::forget::ForgetArgs),
    /// Judge steps from standard input, one JSON object per line
    ///
    /// The guard for any language, without a server: a program writes each step of its agent as a line of JSON and
    /// reads the verdict as a line of JSON, with the keys of the MCP tools.
    Guard(crate::guard::GuardArgs),
    /// Wait until a command succeeds, in one call
    ///
    /// Runs a command again and again until it succeeds, its output has a text, or its output changes. An agent that
    /// polls spends a turn per try; this is one.
    Wait(crate::wait::WaitArgs),
    /// Print a line about a session, for the status line of Claude Code
    ///
    /// Says which call is being repeated, and how many loops were found and calls refused. Prints nothing as long as
    /// nothing loops.
    Statusline(crate::statusline::StatuslineArgs),
    /// Show the guard at work on a coding agent that gets stuck
    ///
    /// Plays a recorded agent through the real hooks: its calls, the advice, the refusal, and what the rest of the
    /// recording costs. Needs no set-up and no network.
    Demo(crate::demo::DemoArgs),
    /// Show the runs that are currently guarded
    Status(crate::status::StatusArgs),
    /// Show what happened in a guarded run
    Log(crate::log::LogArgs),
    /// Allow a call that was refused
    ///
    /// Allows it in its session, starting with the next call. With --save, allows it in all sessions of the
    /// project.
    Allow(crate::allow::AllowArgs),
    /// Pause the agent of a run
    ///
    /// Stops the process group of the agent (SIGSTOP), if it is certain that the group holds nothing but the agent. Otherwise
    /// nothing happens, and the reason is printed.
    Pause(crate::pause::PauseArgs),
    /// Resume an agent that was paused
    ///
    /// Lets the process group of the agent continue (SIGCONT), after the same checks.
    Resume(crate::resume::ResumeArgs),
    /// Show and change the tasks of a roadmap
    ///
    /// Shows the tasks of `loopbreak run --roadmap`: status, attempts and dependencies. People and agents can
    /// change them while the run continues.
    Tasks(crate::tasks::TasksArgs),
    /// Measure precision, recall and savings on labelled runs
    ///
    /// Replays each run and compares the verdict with its label. Other rules can be measured on the same
    /// runs. Without labels, reports only signals and savings.
    Eval(crate::eval::EvalArgs),
    /// Search for better thresholds on past runs
    ///
    /// Replays all runs with many settings and reports the best ones, measured on held-out runs. With labels,
    /// the best settings find the most positive runs with few false alarms. Without labels, they save the
    /// most steps without losing more progress than the current settings.
    Tune(crate::tune::TuneArgs),
    /// Create, check and explain the configuration
    Config(crate::config::ConfigArgs),
    /// List the supported log formats
    Formats(crate::formats::FormatsArgs),
    /// Convert logs of any format to native steps
    ///
    /// Writes one step per line. The converted log gives the same analysis as the original.
    Convert(crate::convert::ConvertArgs),
    /// Show steps as the detectors see them
    ///
    /// Prints for each step the call in its common spelling, its kind and target, what counts as failed and why, the
    /// fingerprints of action and outcome with the texts that are compared, and the signature of the output. Nothing is
    /// judged. Secrets are masked.
    ExplainStep(crate::explain_step::ExplainStepArgs),
    /// Play a text adventure with an agent, a critic and Loopbreak
    ///
    /// Each turn the player proposes a command, the critic scores it, and Loopbreak adjusts the score by what
    /// happened so far. A command with a low score is refused, with the reasons. The game is a Z-machine
    /// story file, or a program that speaks the world protocol. The player is a model, a program, a built-in
    /// player, or you.
    Play(Box<crate::play::PlayArgs>),
    /// Play many games with and without Loopbreak, compare the results
    ///
    /// Built-in players, most of which get stuck, play a story on all cores. In the games without Loopbreak,
    /// it only observes, so each player makes the moves it would make alone. Reports scores, wasted turns,
    /// loops left, games ended, and games ended that would still have scored. The JSON and HTML output
    /// include 95 % intervals.
    Arena(crate::arena::ArenaArgs),
    /// Print shell completions
    Completions(crate::completions::CompletionsArgs),
    /// Print or write the manual pages
    Man(crate::man::ManArgs),
}

/// Options that select the configuration, shared by all commands that use it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ConfigOptions {
    /// Read this configuration file instead of searching for one
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) config: Option<PathBuf>,
    /// Start from this profile: auto, coding, tasks, iterations, game, documents
    #[arg(long, value_name = "NAME", value_parser = profile(), hide_possible_values = true, help_heading = "Configuration")]
    pub(crate) profile: Option<String>,
    /// Set one option, such as `stagnation.max_turns=30`; can be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    pub(crate) set: Vec<String>,
}

impl ConfigOptions {
    /// Returns these options as arguments for another command.
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

/// The mildest verdict that makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Fail if the agent should have been warned
    Warn,
    /// Fail only if Loopbreak should have intervened
    Stop,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_definition_is_valid() {
        super::CliArgs::command().debug_assert();
    }

    #[test]
    fn examples_fit_into_a_terminal_of_80_columns() {
        let mut wide = Vec::new();
        let mut commands = vec![super::CliArgs::command()];
        while let Some(command) = commands.pop() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines = help.lines().filter(|line| line.chars().count() > 80);
            wide.extend(lines.map(|line| format!("{}: {line}", command.get_name())));
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(wide.is_empty(), "{wide:#?}");
    }
}
