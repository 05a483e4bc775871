//! The `loopbreak` binary: argument parsing and output, nothing else.

mod analyze;
mod args;
mod config;
mod error;
mod exit;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Analyze(args) => analyze::run(&args),
        Command::Config(args) => config::run(&args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            error.print();
            ExitCode::from(error.code)
        }
    }
}
