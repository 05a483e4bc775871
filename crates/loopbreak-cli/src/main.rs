//! The `loopbreak` binary: argument parsing and output, nothing else.

/// Prints a line to standard error. If it is closed, nobody needs the line.
macro_rules! eprint_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stderr(), $($text)*);
    }};
}

mod advice_choice;
mod allow;
mod analyze;
mod arena;
mod args;
mod command_line;
mod completions;
mod config;
mod config_loading;
mod convert;
mod demo;
mod error;
mod eval;
mod explain_step;
mod forget;
mod formats;
mod games;
mod guard;
mod guardian;
mod hook;
mod labels;
mod log;
mod man;
mod mcp;
mod merge;
mod output;
mod pause;
mod play;
mod progress_bar;
mod resume;
mod run;
mod serve;
mod server_connection;
mod service_store_option;
mod status;
mod statusline;
mod store;
mod tasks;
mod token;
mod trust_list;
mod tune;
mod value_parsers;
mod wait;
mod watch;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use loopbreak_hooks::HookAgent;
// All commands name their exit codes as `crate::exit`.
use loopbreak_report::exit;

use args::CliCommand;

/// The threads of an analysis allocate and free many small strings, for which the allocator of musl makes them wait for
/// each other. Other platforms keep their own allocator: a hook is a process of a few milliseconds, and mimalloc takes a
/// part of that to set itself up.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A hook starts twice per tool call, usually with only the name of the agent or nothing. It skips the argument
    // parser, which takes time to set up for all commands.
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next();
    // Started with each command of `run` and `wait`, and by nobody else.
    if command.as_ref().is_some_and(|command| command == guardian::ARGUMENT) && arguments.len() == 0 {
        return ExitCode::from(guardian::guard());
    }
    let hook = command.is_some_and(|command| command == "hook");
    if hook && let (agent, None) = (arguments.next(), arguments.next()) {
        let known = agent.as_ref().and_then(|agent| agent.to_str()?.parse::<&dyn HookAgent>().ok());
        // A person who types no name sees the help.
        if known.is_some() || agent.is_none() && !std::io::stdin().is_terminal() {
            return ExitCode::from(hook::respond(known, &args::ConfigOptions::default()));
        }
    }
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let is_for_people =
        ["install", "uninstall", "doctor", "flush"].map(Some).contains(&arguments.get(1).map(String::as_str));
    let cli = match command_line::parse(&arguments) {
        Ok(cli) => cli,
        // Agents would refuse every call on the usual exit code for wrong usage.
        Err(error) if hook && error.use_stderr() && !is_for_people => {
            let _ = error.print();
            return ExitCode::from(exit::FAILED);
        }
        Err(error) => {
            // A closed pipe is not an error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::DONE });
        }
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
        CliCommand::ExplainStep(args) => explain_step::run(&args),
        CliCommand::Hook(args) => hook::run(&args),
        CliCommand::Mcp(args) => mcp::run(&args),
        CliCommand::Serve(args) => serve::run(&args),
        CliCommand::Token(args) => token::run(&args),
        CliCommand::Merge(args) => merge::run(&args),
        CliCommand::Forget(args) => forget::run(&args),
        CliCommand::Guard(args) => guard::run(&args),
        CliCommand::Wait(args) => wait::run(&args),
        CliCommand::Statusline(args) => Ok(statusline::run(&args)),
        CliCommand::Demo(args) => demo::run(&args),
        CliCommand::Status(args) => status::run(&args),
        CliCommand::Log(args) => log::run(&args),
        CliCommand::Tasks(args) => tasks::run(&args),
        CliCommand::Allow(args) => allow::run(&args),
        CliCommand::Pause(args) => pause::run(&args),
        CliCommand::Resume(args) => resume::run(&args),
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
