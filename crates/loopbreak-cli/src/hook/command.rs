//! The commands under `loopbreak hook`.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};

use loopbreak_hooks::doctor::{TrialStep, explain_other_program, is_this_program, run_trial};
use loopbreak_hooks::install::{
    InstallError, SettingsChange, SettingsScope, hook_command, installed_command,
};
use loopbreak_hooks::{HookAgent, HookEnvironment, answer, error_log};
use loopbreak_store::{default_path, now};

use super::args::{DoctorArgs, HookArgs, HookCommand, InstallArgs, ManageCommand};
use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::output::printable;
use crate::{exit, output};

/// Number of recent errors shown.
const SHOWN_ERRORS: usize = 3;

/// Runs the subcommand.
pub(crate) fn run(args: &HookArgs) -> Result<u8, UserError> {
    match &args.command {
        HookCommand::Answer(agent, args) => Ok(respond(Some(*agent), &args.config)),
        HookCommand::Manage(ManageCommand::Install(args)) => install(args),
        HookCommand::Manage(ManageCommand::Uninstall(args)) => uninstall(args),
        HookCommand::Manage(ManageCommand::Doctor(args)) => doctor(args),
    }
}

/// Answers the event on standard input. The exit code is always success: agents interpret any other code.
pub(crate) fn respond(agent: Option<&dyn HookAgent>, options: &ConfigOptions) -> u8 {
    let warn = |text: &str| anstream::eprintln!("loopbreak: hook: {text}");
    let stdin = io::stdin();
    if stdin.is_terminal() {
        warn("waiting for an event on standard input; see `loopbreak hook --help`");
    }
    let environment = HookEnvironment {
        store: default_path(|name| std::env::var_os(name)),
        disabled: std::env::var_os("LOOPBREAK").is_some_and(|mode| mode == "off"),
        clock: &now,
        load_settings: &|folder| {
            crate::config_loading::settings_in(options, folder).map_err(|error| error.to_string())
        },
        warn: &warn,
    };
    if let Some(response) = answer(agent, stdin.lock(), &environment) {
        // If the agent has closed the pipe, nobody needs the answer.
        let _ = writeln!(io::stdout(), "{response}").and_then(|()| io::stdout().flush());
    }
    exit::DONE
}

fn install(args: &InstallArgs) -> Result<u8, UserError> {
    let scope = args.scope.scope().0;
    let change = SettingsChange::install(args.agent, args.agent.settings_location().path(scope)?, scope)?;
    apply(&change, args.dry_run, "the hooks are already installed", Some(&args.agent.install_hint()))
}

fn uninstall(args: &InstallArgs) -> Result<u8, UserError> {
    let file = args.agent.settings_location().path(args.scope.scope().0)?;
    let change = SettingsChange::uninstall(args.agent, file)?;
    apply(&change, args.dry_run, "no Loopbreak hooks found", None)
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
    output::print(&format!("{name}:\n{}", change.diff()))?;
    if dry_run {
        output::print("nothing was changed (--dry-run)\n")?;
        return Ok(exit::DONE);
    }
    match change.apply()? {
        Some(backup) => output::print(&format!("written; backup: {}\n", backup.display()))?,
        None => output::print("written\n")?,
    }
    if let Some(hint) = hint {
        output::print(&format!("{hint}\n"))?;
    }
    Ok(exit::DONE)
}

fn doctor(args: &DoctorArgs) -> Result<u8, UserError> {
    let agent = args.agent;
    let (scope, is_named) = args.scope.scope();
    let location = agent.settings_location();
    let mut files = vec![location.path(scope)?];
    if !is_named {
        files.extend(location.path(SettingsScope::User).ok());
    }
    let found = files
        .iter()
        .find_map(|file| Some((file, installed_command(agent, &fs::read_to_string(file).ok()?)?)));
    let own = hook_command(agent, scope)?;
    if let Some((file, command)) = &found {
        output::print(&format!("{}: {}\n", file.display(), printable(command)))?;
        if !is_this_program(command, agent) {
            // The settings may come with a cloned repository, so their command is not trusted.
            return Err(UserError::failed(
                "the installed command was not run: it is not a plain call of this program",
            )
            .hint(explain_other_program(command, &own, agent)));
        }
    } else {
        output::print(&format!("not installed; testing {own}\n"))?;
    }
    let is_correct = run_and_show_trial(agent)?;
    let name = agent.name();
    let verdict = match (is_correct, found.is_some()) {
        (true, true) => "the hook answers correctly".to_owned(),
        (true, false) => {
            format!("the hook would answer correctly: install it with `loopbreak hook install {name}`")
        }
        (false, _) => {
            "the hook does not answer correctly: see the answers above, and run `loopbreak config check`"
                .to_owned()
        }
    };
    output::print(&format!("{verdict}\n"))?;
    show_errors()?;
    Ok(if is_correct && found.is_some() { exit::DONE } else { exit::FAILED })
}

/// Runs the simulated session and shows it. Returns whether the answers are correct.
fn run_and_show_trial(agent: &dyn HookAgent) -> Result<bool, UserError> {
    let mut shown = Ok(());
    let is_correct = run_trial(agent, &mut |step| {
        if shown.is_ok() {
            shown = show(step);
        }
    })
    .map_err(|error| UserError::failed(format!("cannot run this program: {error}")))?;
    shown.map(|()| is_correct)
}

fn show(step: &TrialStep) -> Result<(), UserError> {
    let took = step.took.as_secs_f64() * 1000.0;
    let answer =
        if step.answer.is_null() { "continues".to_owned() } else { printable(&step.answer.to_string()) };
    output::print(&format!("  {:<26} {took:5.1} ms  {answer}\n", step.event))?;
    if !step.status.success() || !step.stderr.is_empty() {
        output::print(&format!("    {}: {}\n", step.status, printable(&step.stderr)))?;
    }
    Ok(())
}

/// Prints the latest errors of hooks.
fn show_errors() -> Result<(), UserError> {
    let Some(store) = default_path(|name| std::env::var_os(name)) else { return Ok(()) };
    let errors = error_log::last_lines(&store, SHOWN_ERRORS);
    if errors.is_empty() {
        return Ok(());
    }
    output::print(&format!("latest errors ({}):\n", error_log::path(&store).display()))?;
    errors.iter().try_for_each(|line| output::print(&format!("  {}\n", printable(line))))
}

impl From<InstallError> for UserError {
    fn from(error: InstallError) -> Self {
        UserError { hint: error.hint().map(str::to_owned), ..UserError::failed(error.to_string()) }
    }
}
