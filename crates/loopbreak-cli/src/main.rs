//! The `loopbreak` binary: argument parsing and output, nothing else.

mod analyze;
mod args;
mod completions;
mod config;
mod convert;
mod error;
mod eval;
mod formats;
mod man;
mod output;
mod reference;
mod tune;
mod watch;

use std::process::ExitCode;

use clap::Parser as _;
// All commands name their exit codes as `crate::exit`.
use loopbreak_report::exit;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Analyze(args) => analyze::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Formats(args) => formats::run(&args),
        Command::Convert(args) => convert::run(&args),
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
