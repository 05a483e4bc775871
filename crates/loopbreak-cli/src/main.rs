//! The `loopbreak` binary: argument parsing and output, nothing else.

mod allow;
mod analyze;
mod arena;
mod args;
mod completions;
mod config;
mod convert;
mod diagnostics;
mod duration;
mod error;
mod eval;
mod formats;
mod hook;
mod labels;
mod log;
mod man;
mod mcp;
mod output;
mod play;
mod progress_bar;
mod reference;
mod run;
mod status;
mod store;
mod tasks;
mod tune;
mod watch;

use std::process::ExitCode;

use clap::Parser as _;
// All commands name their exit codes as `crate::exit`.
use loopbreak_report::exit;

use args::{Cli, Command};

/// The threads of an analysis make and drop small texts all the time. The allocators of some systems let them wait for
/// each other then.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A hook is started twice for each call of a tool, and most often with nothing but the agent's name: it does not
    // wait until all commands of the program are made known to the parser.
    let mut arguments = std::env::args_os().skip(1);
    let hook = arguments.next().is_some_and(|command| command == "hook");
    if hook
        && let (Some(agent), None) = (arguments.next(), arguments.next())
        && let Some(dialect) = agent.to_str().and_then(loopbreak_hooks::Dialect::named)
    {
        return ExitCode::from(hook::respond(dialect, &args::ConfigOptions::default()));
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // To agents, the usual exit code of a wrong command line means that every call is to be refused.
        Err(error) if hook && error.use_stderr() => {
            let _ = error.print();
            return ExitCode::from(exit::FAILED);
        }
        Err(error) => error.exit(),
    };
    let done = match cli.command {
        Command::Analyze(args) => analyze::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Formats(args) => formats::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Tasks(args) => tasks::run(&args),
        Command::Allow(args) => allow::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            error.print();
            ExitCode::from(error.code)
        }
    }
}
