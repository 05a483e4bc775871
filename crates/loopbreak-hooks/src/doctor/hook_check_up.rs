//! The check-up of one agent, or of all that are found.

use std::io;

use loopbreak::Mode;
use loopbreak::text::printable;

use super::check_finding::{CheckFinding, CheckLevel};
use super::checks::run_checks;
use super::doctor_context::DoctorContext;
use super::hook_program::HookProgram;
use super::simulated_session::run_trial;
use crate::agents;
use crate::hook_agent::HookAgent;
use crate::hook_environment::HookSettings;
use crate::install::{FoundAgent, InstallError, SettingsScope, hook_command};
use crate::live_trial::{LiveTrialEnding, LiveTrialError, LiveTrialReport};

/// A check-up of hooks: the checks, a simulated session and, if wanted, a trial with the agent itself.
pub struct HookCheckUp<'c, E> {
    /// The scope that the user asked about, or both.
    pub scope: Option<SettingsScope>,
    /// Loads the settings of the current folder.
    pub load_settings: &'c dyn Fn() -> Result<HookSettings, String>,
    /// Starts the trials with the agents themselves; `None` without such trials.
    pub live: Option<&'c dyn LiveTrialStarter>,
    /// Shows the next lines of the result. An error ends the check-up.
    pub show: &'c dyn Fn(&str) -> Result<(), E>,
}

/// Starts trials with the agents themselves.
pub trait LiveTrialStarter {
    /// Returns whether the user wants no more trials.
    fn is_interrupted(&self) -> bool;

    /// Runs a trial.
    fn start(&self, agent: &'static dyn HookAgent) -> Result<LiveTrialReport, LiveTrialError>;
}

/// The result of a check-up, the worst one last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CheckUpOutcome {
    /// The hooks are installed and answer correctly.
    Correct,
    /// A hook does not answer correctly, or none is installed.
    Faulty,
    /// The user interrupted a trial.
    Interrupted,
}

/// The reason why a check-up ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckUpError {
    /// The installed command is not one of this program, and was not run.
    #[error("the installed command was not run: {fault}")]
    NotRun {
        /// The reason.
        fault: String,
        /// Instructions for the user.
        advice: String,
    },
    /// The command that would be installed is unknown.
    #[error(transparent)]
    NotInstallable(#[from] InstallError),
    /// The simulated session failed.
    #[error("cannot run this program: {0}")]
    Simulation(io::Error),
    /// The trial with the agent itself cannot be made.
    #[error(transparent)]
    LiveTrial(#[from] LiveTrialError),
}

impl CheckUpError {
    /// Returns a hint for the user.
    pub fn hint(&self) -> Option<&str> {
        match self {
            CheckUpError::NotRun { advice, .. } => Some(advice),
            CheckUpError::NotInstallable(error) => error.hint(),
            _ => None,
        }
    }
}

impl<E: From<CheckUpError>> HookCheckUp<'_, E> {
    /// Checks the agent that the user named, and shows each answer of the hook.
    pub fn check_agent(&self, agent: &'static dyn HookAgent) -> Result<CheckUpOutcome, E> {
        let context = self.context(agent);
        let is_installed = context.is_installed();
        let has_problem = self.show_checks(&context)?;
        if let Some(found) = context.tested() {
            let program = HookProgram::identify(&found.command, agent);
            if let Some((fault, advice)) = program.fault(agent, found.scope_option()) {
                // The settings may come with a cloned repository, so their command is not trusted.
                return Err(CheckUpError::NotRun { fault: printable(&fault), advice }.into());
            }
        } else if !is_installed {
            let scope = context.scope.unwrap_or(SettingsScope::Project);
            let own = hook_command(agent, scope).map_err(CheckUpError::from)?;
            (self.show)(&format!("testing what would be installed: {}\n", printable(&own)))?;
        }
        let program = std::env::current_exe().map_err(CheckUpError::Simulation)?;
        let running = format!("running {} hook {}", program.display(), agent.name());
        (self.show)(&format!("{}\n", printable(&running)))?;
        let is_correct = self.test_answers(&context, true)?;
        (self.show)(&format!("{}\n", verdict(agent, is_correct, is_installed)))?;
        let is_faulty = !is_correct || !is_installed || has_problem;
        let outcome = if is_faulty { CheckUpOutcome::Faulty } else { CheckUpOutcome::Correct };
        let Some(live) = self.live else { return Ok(outcome) };
        Ok(outcome.max(self.show_report(&live.start(agent).map_err(CheckUpError::from)?)?))
    }

    /// Checks all agents that are installed or found. An agent without hooks is named, and fails nothing.
    pub fn check_all(&self) -> Result<CheckUpOutcome, E> {
        let (mut outcome, mut is_any_installed) = (CheckUpOutcome::Correct, false);
        for agent in agents::ALL.iter().copied() {
            let context = self.context(agent);
            let is_installed = context.is_installed();
            if is_installed {
                is_any_installed = true;
                (self.show)(&format!("{}\n", agent.title()))?;
                if self.show_checks(&context)? || !self.test_answers(&context, false)? {
                    outcome = outcome.max(CheckUpOutcome::Faulty);
                }
            }
            let Some(found) = FoundAgent::find(agent) else { continue };
            if !is_installed {
                let advice = format!("run `loopbreak hook install {}`", agent.name());
                let finding = CheckFinding::warning("found, but the hooks are not installed", advice);
                (self.show)(&format!("{}\n{}", agent.title(), finding.render()))?;
            }
            outcome = outcome.max(self.test_live_if_possible(&found)?);
        }
        if !is_any_installed {
            (self.show)("no Loopbreak hooks found; `loopbreak hook install` lists the agents\n")?;
            outcome = outcome.max(CheckUpOutcome::Faulty);
        }
        Ok(outcome)
    }

    fn context(&self, agent: &'static dyn HookAgent) -> DoctorContext<'static> {
        DoctorContext::new(agent, self.scope, (self.load_settings)())
    }

    /// Runs and shows the checks. Returns whether one of them found a problem.
    fn show_checks(&self, context: &DoctorContext<'_>) -> Result<bool, E> {
        let findings = run_checks(context);
        (self.show)(&findings.iter().map(CheckFinding::render).collect::<String>())?;
        Ok(findings.iter().any(|finding| finding.level >= CheckLevel::Problem))
    }

    /// Runs the simulated session. Returns whether the answers are correct.
    fn test_answers(&self, context: &DoctorContext<'_>, shows_steps: bool) -> Result<bool, E> {
        let mut shown = Ok(());
        let answers = run_trial(context.agent, &mut |step| {
            if shows_steps && shown.is_ok() {
                shown = (self.show)(&step.render());
            }
        })
        .map_err(CheckUpError::Simulation)?;
        shown?;
        let only_observes = matches!(context.mode, Ok(Mode::Observe)) && !context.is_disabled;
        let is_correct = if only_observes { answers.are_silent() } else { answers.are_correct() };
        if !shows_steps {
            let text = format!("in a simulated session: {answers}");
            let finding = if is_correct {
                CheckFinding::good(text)
            } else {
                let advice = format!("`loopbreak hook doctor {}` shows each answer", context.agent.name());
                CheckFinding::problem(text, advice)
            };
            (self.show)(&finding.render())?;
        }
        Ok(is_correct)
    }

    fn test_live_if_possible(&self, found: &FoundAgent) -> Result<CheckUpOutcome, E> {
        let Some(live) = self.live.filter(|live| !live.is_interrupted()) else {
            return Ok(CheckUpOutcome::Correct);
        };
        match live.start(found.agent) {
            Ok(report) => self.show_report(&report),
            Err(error @ (LiveTrialError::UnknownAgent(_) | LiveTrialError::NoProgram(_))) => {
                (self.show)(&format!("  not started: {error}\n"))?;
                Ok(CheckUpOutcome::Correct)
            }
            Err(error) => Err(CheckUpError::from(error).into()),
        }
    }

    fn show_report(&self, report: &LiveTrialReport) -> Result<CheckUpOutcome, E> {
        (self.show)(&report.render())?;
        Ok(match report.ending {
            _ if report.fault().is_none() => CheckUpOutcome::Correct,
            LiveTrialEnding::Interrupted => CheckUpOutcome::Interrupted,
            _ => CheckUpOutcome::Faulty,
        })
    }
}

/// Returns the last line about the simulated session.
fn verdict(agent: &dyn HookAgent, is_correct: bool, is_installed: bool) -> String {
    match (is_correct, is_installed) {
        (true, true) => "the hook answers correctly".to_owned(),
        (true, false) => {
            let install = format!("loopbreak hook install {}", agent.name());
            format!("the hook would answer correctly: install it with `{install}`")
        }
        (false, _) => {
            "the hook does not answer correctly: see the answers above, and run `loopbreak config check`"
                .to_owned()
        }
    }
}
