//! `loopbreak hook doctor`.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use anstyle::AnsiColor;
use loopbreak::Mode;
use loopbreak_hooks::doctor::{
    CheckFinding, CheckLevel, DoctorContext, HookProgram, TrialStep, run_checks, run_trial,
};
use loopbreak_hooks::install::{FoundAgent, SettingsScope, hook_command};
use loopbreak_hooks::live_trial::{LiveTrialEnding, LiveTrialError, LiveTrialReport, run_live_trial};
use loopbreak_hooks::{HookAgent, agents, error_log};
use loopbreak_runner::InterruptFlag;
use loopbreak_store::default_path;

use super::agent_choice::find_agent;
use super::args::DoctorArgs;
use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::output::{printable, printable_lines};
use crate::{config_loading, exit, output};

/// Number of recent errors shown.
const SHOWN_ERRORS: usize = 3;
/// The longest time of a trial with the agent itself.
const LIVE_LIMIT: Duration = Duration::from_mins(1);

/// Checks one agent, or all that are found.
pub(super) fn doctor(args: &DoctorArgs) -> Result<u8, UserError> {
    // Listens before anything is started, so that an interrupt never leaves an agent behind.
    let interrupts = if args.live { Some(InterruptFlag::listen()?) } else { None };
    let code = match &args.agent {
        Some(name) => check_one(find_agent(name)?, args, interrupts.as_ref()),
        None => check_all(args, interrupts.as_ref()),
    }?;
    show_errors()?;
    Ok(code)
}

fn context(agent: &'static dyn HookAgent, args: &DoctorArgs) -> DoctorContext<'static> {
    let (scope, is_named) = args.scope.scope();
    let settings = config_loading::settings_in(&ConfigOptions::default(), Path::new("."));
    let mode = settings.map(|settings| settings.mode).map_err(|error| error.to_string());
    DoctorContext::new(agent, is_named.then_some(scope), mode)
}

/// Checks the agent that the user named, and shows each answer of the hook.
fn check_one(
    agent: &'static dyn HookAgent,
    args: &DoctorArgs,
    interrupts: Option<&InterruptFlag>,
) -> Result<u8, UserError> {
    let context = context(agent, args);
    let findings = run_checks(&context);
    show_findings(&findings)?;
    if let Some(found) = context.tested() {
        let program = HookProgram::identify(&found.command, agent);
        if let Some((fault, advice)) = program.fault(agent, found.scope_option()) {
            // The settings may come with a cloned repository, so their command is not trusted.
            return Err(UserError::failed(format!(
                "the installed command was not run: {}",
                printable(&fault)
            ))
            .hint(advice));
        }
    } else if !context.is_installed() {
        let own = hook_command(agent, context.scope.unwrap_or(SettingsScope::Project))?;
        output::print(&format!("testing what would be installed: {own}\n"))?;
    }
    let is_correct = test_answers(&context, true)?;
    let is_installed = context.is_installed();
    let verdict = match (is_correct, is_installed) {
        (true, true) => "the hook answers correctly".to_owned(),
        (true, false) => format!(
            "the hook would answer correctly: install it with `loopbreak hook install {}`",
            agent.name()
        ),
        (false, _) => {
            "the hook does not answer correctly: see the answers above, and run `loopbreak config check`"
                .to_owned()
        }
    };
    output::print(&format!("{verdict}\n"))?;
    let has_problem = findings.iter().any(|finding| finding.level >= CheckLevel::Problem);
    let mut code = if is_correct && is_installed && !has_problem { exit::DONE } else { exit::FAILED };
    if let Some(interrupts) = interrupts {
        code = code.max(test_live(agent, interrupts).map_err(|error| UserError::failed(error.to_string()))??);
    }
    Ok(code)
}

/// Checks all agents that are installed or found. An agent without hooks is named, and fails nothing.
fn check_all(args: &DoctorArgs, interrupts: Option<&InterruptFlag>) -> Result<u8, UserError> {
    let (mut code, mut is_any_installed) = (exit::DONE, false);
    for agent in agents::ALL.iter().copied() {
        let context = context(agent, args);
        if !context.is_installed() {
            if let Some(found) = FoundAgent::find(agent) {
                output::print(&format!("{}\n", agent.title()))?;
                let advice = format!("run `loopbreak hook install {}`", agent.name());
                show_findings(&[CheckFinding::warning("found, but the hooks are not installed", advice)])?;
                code = code.max(test_live_if_possible(&found, interrupts)?);
            }
            continue;
        }
        is_any_installed = true;
        output::print(&format!("{}\n", agent.title()))?;
        let findings = run_checks(&context);
        show_findings(&findings)?;
        let has_problem = findings.iter().any(|finding| finding.level >= CheckLevel::Problem);
        if has_problem || !test_answers(&context, false)? {
            code = code.max(exit::FAILED);
        }
        if let Some(found) = FoundAgent::find(agent) {
            code = code.max(test_live_if_possible(&found, interrupts)?);
        }
    }
    if !is_any_installed {
        output::print("no Loopbreak hooks found; `loopbreak hook install` lists the agents\n")?;
        code = code.max(exit::FAILED);
    }
    Ok(code)
}

/// Runs the simulated session. Returns whether the answers are correct.
fn test_answers(context: &DoctorContext<'_>, shows_steps: bool) -> Result<bool, UserError> {
    let mut shown = Ok(());
    let answers = run_trial(context.agent, &mut |step| {
        if shows_steps && shown.is_ok() {
            shown = show_step(step);
        }
    })
    .map_err(|error| UserError::failed(format!("cannot run this program: {error}")))?;
    shown?;
    let only_observes = matches!(context.mode, Ok(Mode::Observe)) && !context.is_disabled;
    let is_correct = if only_observes { answers.are_silent() } else { answers.are_correct() };
    if !shows_steps {
        let number = |call: Option<u32>| call.map_or("never".to_owned(), |call| format!("at call {call}"));
        let text = format!(
            "in a simulated session: warned {}, refused {}",
            number(answers.warned),
            number(answers.refused)
        );
        show_findings(&[if is_correct {
            CheckFinding::good(text)
        } else {
            let advice = format!("`loopbreak hook doctor {}` shows each answer", context.agent.name());
            CheckFinding::problem(text, advice)
        }])?;
    }
    Ok(is_correct)
}

fn test_live_if_possible(found: &FoundAgent, interrupts: Option<&InterruptFlag>) -> Result<u8, UserError> {
    let Some(interrupts) = interrupts.filter(|interrupts| !interrupts.is_interrupted()) else {
        return Ok(exit::DONE);
    };
    match test_live(found.agent, interrupts) {
        Ok(code) => code,
        Err(error @ (LiveTrialError::UnknownAgent(_) | LiveTrialError::NoProgram(_))) => {
            output::print(&format!("  not started: {error}\n"))?;
            Ok(exit::DONE)
        }
        Err(error) => Err(UserError::failed(error.to_string())),
    }
}

/// Runs the trial with the agent itself, and shows what happened.
fn test_live(
    agent: &'static dyn HookAgent,
    interrupts: &InterruptFlag,
) -> Result<Result<u8, UserError>, LiveTrialError> {
    let (seconds, is_terminal) = (LIVE_LIMIT.as_secs(), std::io::stderr().is_terminal());
    anstream::eprintln!("starting {} with a scripted model, for at most {seconds} s …", agent.title());
    let mut show = |requests: usize, elapsed: Duration| {
        if is_terminal {
            anstream::eprint!("\r\x1b[K{requests} requests, {} s", elapsed.as_secs());
        }
        !interrupts.is_interrupted()
    };
    let report = run_live_trial(agent, LIVE_LIMIT, &mut show);
    if is_terminal {
        anstream::eprint!("\r\x1b[K");
    }
    report.map(|report| show_report(&report))
}

fn show_report(report: &LiveTrialReport) -> Result<u8, UserError> {
    let number = |call: Option<usize>| call.map_or("never".to_owned(), |call| format!("at call {call}"));
    let text = format!(
        "live, {} ({:.0} s): {} calls, told {}, refused {}",
        report.program.display(),
        report.took.as_secs_f64(),
        report.calls,
        number(report.told),
        number(report.refused)
    );
    let Some(fault) = report.fault() else {
        show_findings(&[CheckFinding::good(text)])?;
        return Ok(exit::DONE);
    };
    show_findings(&[CheckFinding::problem(text, fault)])?;
    if report.ending == LiveTrialEnding::Interrupted {
        return Ok(exit::INTERRUPTED);
    }
    if !report.output.trim().is_empty() {
        output::print(&format!(
            "  the agent's last words:\n    {}\n",
            printable_lines(report.output.trim())
        ))?;
    }
    Ok(exit::FAILED)
}

fn show_findings(findings: &[CheckFinding]) -> Result<(), UserError> {
    for CheckFinding { level, text, advice, .. } in findings {
        let style = match level {
            CheckLevel::Good => AnsiColor::Green.on_default(),
            CheckLevel::Warning => AnsiColor::Yellow.on_default().bold(),
            _ => AnsiColor::Red.on_default().bold(),
        };
        output::print(&format!("  {style}{level:<8}{style:#} {}\n", printable(text)))?;
        if let Some(advice) = advice {
            output::print(&format!("           {}\n", printable(advice)))?;
        }
    }
    Ok(())
}

fn show_step(step: &TrialStep) -> Result<(), UserError> {
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
