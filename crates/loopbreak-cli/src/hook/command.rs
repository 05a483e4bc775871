//! The commands under `loopbreak hook`.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc;
use std::time::Duration;

use loopbreak_hooks::doctor::HookProgram;
use loopbreak_hooks::install::{AgentChoice, InstallError, SettingsChange, find_named_agent};
use loopbreak_hooks::{
    HookAgent, HookEnvironment, HookLimit, HookSettings, MESSAGE_TIME, WHOLE_TIME, answer,
};
use loopbreak_runner::PARENT_RUN_VARIABLE;
use loopbreak_store::{default_path, now};

use super::agent_choice::choose;
use super::args::{HookArgs, HookCommand, InstallArgs, ManageCommand};
use super::doctor::doctor;
use super::flush::flush;
use crate::args::ConfigOptions;
use crate::config_loading::{HOOK_TIMEOUT_VARIABLE, load_guarded, user_config};
use crate::error::UserError;
use crate::server_connection::connect;
use crate::{exit, output};

/// Bounds of the time limit of hooks, in milliseconds. Agents give up after ten seconds.
const SHORTEST_MS: u64 = 100;
const LONGEST_MS: u64 = 9_000;

/// Runs the subcommand.
pub(crate) fn run(args: &HookArgs) -> Result<u8, UserError> {
    match &args.command {
        HookCommand::Answer(agent, args) => Ok(respond(Some(*agent), &args.config)),
        HookCommand::Manage(ManageCommand::Install(args)) => install(args),
        HookCommand::Manage(ManageCommand::Uninstall(args)) => uninstall(args),
        HookCommand::Manage(ManageCommand::Doctor(args)) => doctor(args),
        HookCommand::Manage(ManageCommand::Flush) => flush(),
    }
}

/// Answers the event on standard input. The exit code is always success: agents interpret any other code.
pub(crate) fn respond(agent: Option<&dyn HookAgent>, options: &ConfigOptions) -> u8 {
    let warn = |text: &str| eprint_line!("loopbreak: hook: {text}");
    let stdin = io::stdin();
    let is_terminal = stdin.is_terminal();
    if is_terminal {
        warn("waiting for an event on standard input; see `loopbreak hook --help`");
    }
    let environment = HookEnvironment {
        store: default_path(|name| std::env::var_os(name)),
        disabled: std::env::var_os("LOOPBREAK").is_some_and(|mode| mode == "off"),
        // A person may type as long as they like.
        limit: (!is_terminal).then(|| HookLimit { time: time_limit(), end_process: end_successfully }),
        clock: &now,
        find_agent: Some(loopbreak_process::find_agent),
        user_config: user_config(),
        parent_run: std::env::var(PARENT_RUN_VARIABLE).ok().filter(|run| !run.is_empty()),
        load_settings: &|folder| {
            let guarded = load_guarded(options, folder).map_err(|error| error.to_string())?;
            Ok(HookSettings { notice: guarded.notice(), settings: guarded.settings })
        },
        connect: Some(&connect),
        warn: &warn,
    };
    if let Some(response) = answer(agent, stdin.lock(), &environment) {
        // If the agent has closed the pipe, nobody needs the answer.
        let _ = writeln!(io::stdout(), "{response}").and_then(|()| io::stdout().flush());
    }
    exit::DONE
}

/// Returns the time after which a hook lets the agent continue.
fn time_limit() -> Duration {
    let set = std::env::var(HOOK_TIMEOUT_VARIABLE).ok().and_then(|time| time.parse().ok());
    set.map_or(WHOLE_TIME, |time: u64| Duration::from_millis(time.clamp(SHORTEST_MS, LONGEST_MS)))
}

/// Ends the process as if the event had no answer.
fn end_successfully(message: &str) {
    let message = format!("loopbreak: hook: {message}");
    let (done, printed) = mpsc::channel();
    // Nobody may be reading standard error: that must not keep the process from ending.
    std::thread::spawn(move || {
        eprint_line!("{message}");
        done.send(())
    });
    let _ = printed.recv_timeout(MESSAGE_TIME);
    std::process::exit(i32::from(exit::DONE))
}

fn install(args: &InstallArgs) -> Result<u8, UserError> {
    let scope = args.scope.scope().0;
    for_each_agent(
        args,
        || Ok(AgentChoice::to_install(scope)?),
        |agent| {
            let change = SettingsChange::install(agent, agent.settings_location().path(scope)?, scope)?;
            let code =
                apply(&change, args.dry_run, "the hooks are already installed", Some(&agent.install_hint()))?;
            if let Some(fault) = HookProgram::installation_fault(agent, scope) {
                output::print_warning(&output::printable(&fault));
            }
            Ok(code)
        },
    )
}

fn uninstall(args: &InstallArgs) -> Result<u8, UserError> {
    let scope = args.scope.scope().0;
    for_each_agent(
        args,
        || Ok(AgentChoice::to_uninstall(scope)),
        |agent| {
            let change = SettingsChange::uninstall(agent, agent.settings_location().path(scope)?)?;
            apply(&change, args.dry_run, "no Loopbreak hooks found", None)
        },
    )
}

/// Changes the agent that the user named, or those that they choose. An error with one of several agents does not
/// keep the others from being changed.
fn for_each_agent(
    args: &InstallArgs,
    list: impl FnOnce() -> Result<AgentChoice, UserError>,
    change: impl Fn(&'static dyn HookAgent) -> Result<u8, UserError>,
) -> Result<u8, UserError> {
    if let Some(name) = &args.agent {
        return change(find_named_agent(name)?);
    }
    let mut code = exit::DONE;
    for agent in choose(&list()?, args)? {
        code = code.max(change(agent).unwrap_or_else(|error| {
            error.print();
            error.code
        }));
    }
    Ok(code)
}

/// Writes a change and prints it. `if_empty` is printed if nothing changes, and `hint` after a change.
fn apply(
    change: &SettingsChange,
    dry_run: bool,
    if_empty: &str,
    hint: Option<&str>,
) -> Result<u8, UserError> {
    let name = change.path().display();
    if change.is_empty() {
        output::print(&format!("{name}: {if_empty}\n"))?;
        return Ok(exit::DONE);
    }
    match change.summary().filter(|_| !dry_run) {
        // The file itself shows as much as a hundred added lines.
        Some(summary) => output::print(&format!("{name}: {summary}\n"))?,
        None => output::print(&format!("{name}:\n{}", change.diff()))?,
    }
    if let Some(note) = change.note() {
        output::print(&format!("note: {}\n", output::printable(&note)))?;
    }
    if dry_run {
        output::print("nothing was changed (--dry-run)\n")?;
        return Ok(exit::DONE);
    }
    match change.apply()? {
        Some(backup) => output::print(&format!("written; backup: {}\n", backup.display()))?,
        None if change.path().exists() => output::print("written\n")?,
        None => {}
    }
    if let Some(hint) = hint {
        output::print_wrapped(&format!("{hint}\n"))?;
    }
    Ok(exit::DONE)
}

impl From<InstallError> for UserError {
    fn from(error: InstallError) -> Self {
        UserError { hint: error.hint().map(str::to_owned), ..UserError::failed(error.to_string()) }
    }
}
