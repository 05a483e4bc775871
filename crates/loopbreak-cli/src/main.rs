//! The `loopbreak` binary: argument parsing and output, nothing else.

mod allow;
mod analyze;
mod arena;
mod args;
mod completions;
mod config;
mod convert;
mod diagnostic_printer;
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

use args::{CliArgs, CliCommand};

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
        && let Some(dialect) = agent.to_str().and_then(loopbreak_hooks::HookAgent::named)
    {
        return ExitCode::from(hook::respond(dialect, &args::ConfigOptions::default()));
    }
    let cli = match CliArgs::try_parse() {
        Ok(cli) => cli,
        // To agents, the usual exit code of a wrong command line means that every call is to be refused.
        Err(error) if hook && error.use_stderr() => {
            let _ = error.print();
            return ExitCode::from(exit::FAILED);
        }
        Err(error) => error.exit(),
    };
    let done = match cli.command {
        CliCommand::Analyze(args) => analyze::run(&args),
        CliCommand::Watch(args) => watch::run(&args),
        CliCommand::Run(args) => run::run(&args),
        CliCommand::Play(args) => play::run(&args),
        CliCommand::Arena(args) => arena::run(&args),
        CliCommand::Eval(args) => eval::run(&args),
        CliCommand::Tune(args) => tune::run(&args),
        CliCommand::Formats(args) => formats::run(&args),
        CliCommand::Convert(args) => convert::run(&args),
        CliCommand::Hook(args) => hook::run(&args),
        CliCommand::Mcp(args) => mcp::run(&args),
        CliCommand::Status(args) => status::run(&args),
        CliCommand::Log(args) => log::run(&args),
        CliCommand::Tasks(args) => tasks::run(&args),
        CliCommand::Allow(args) => allow::run(&args),
        CliCommand::Config(args) => config::run(&args),
        CliCommand::Completions(args) => completions::run(&args),
        CliCommand::Man(args) => man::run(&args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            error.print();
            ExitCode::from(error.code)
        }
    }
}
