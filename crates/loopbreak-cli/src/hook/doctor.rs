//! `loopbreak hook doctor`.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use loopbreak_hooks::doctor::{
    CheckFinding, CheckUpError, CheckUpOutcome, HookCheckUp, LiveTrialStarter, check_server,
};
use loopbreak_hooks::install::find_named_agent;
use loopbreak_hooks::live_trial::{LiveTrialError, LiveTrialReport, run_live_trial};
use loopbreak_hooks::{HookAgent, HookSettings, error_log};
use loopbreak_runner::InterruptFlag;
use loopbreak_store::default_path;

use super::args::DoctorArgs;
use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::server_connection::{connect, outbox_states};
use crate::store::open_user_store;
use crate::{config_loading, exit, output};

/// Number of recent errors shown.
const SHOWN_ERRORS: usize = 3;
/// The longest time of a trial with the agent itself.
const LIVE_LIMIT: Duration = Duration::from_mins(1);

/// Checks one agent, or all that are found.
pub(super) fn doctor(args: &DoctorArgs) -> Result<u8, UserError> {
    // Listens before anything is started, so that an interrupt never leaves an agent behind.
    let live = if args.live { Some(TerminalTrial(InterruptFlag::listen()?)) } else { None };
    let (scope, is_named) = args.scope.scope();
    let check_up = HookCheckUp {
        scope: is_named.then_some(scope),
        load_settings: &load_settings,
        live: live.as_ref().map(|live| live as &dyn LiveTrialStarter),
        show: &output::print_wrapped,
    };
    let outcome = match &args.agent {
        Some(name) => check_up.check_agent(find_named_agent(name)?),
        None => check_up.check_all(),
    }?;
    show_server()?;
    if let Some(store) = default_path(|name| std::env::var_os(name)) {
        output::print(&error_log::render_last(&store, SHOWN_ERRORS))?;
    }
    Ok(match outcome {
        CheckUpOutcome::Correct => exit::DONE,
        CheckUpOutcome::Interrupted => exit::INTERRUPTED,
        _ => exit::FAILED,
    })
}

/// Shows whether the service is reached, if there is one.
fn show_server() -> Result<(), UserError> {
    let Ok(HookSettings { settings, .. }) = load_settings() else { return Ok(()) };
    let findings = match connect(&settings) {
        Ok(None) => return Ok(()),
        Ok(Some(link)) => {
            // A store that cannot be used is the finding of another check.
            let states =
                open_user_store().ok().flatten().and_then(|mut store| outbox_states(&mut *store).ok());
            let state = states.into_iter().flatten().find(|state| state.server == link.server());
            check_server(&link, state.as_ref())
        }
        Err(error) => vec![CheckFinding::warning(
            format!("the service is not asked: {error}"),
            "see LOOPBREAK_SERVER, or `server` in your own configuration",
        )],
    };
    output::print("Service\n")?;
    output::print_wrapped(&findings.iter().map(CheckFinding::render).collect::<String>())
}

fn load_settings() -> Result<HookSettings, String> {
    let guarded = config_loading::load_guarded(&ConfigOptions::default(), Path::new("."));
    let guarded = guarded.map_err(|error| error.to_string())?;
    Ok(HookSettings { notice: guarded.notice(), settings: guarded.settings })
}

/// Runs trials and shows their progress on stderr.
struct TerminalTrial(InterruptFlag);

impl LiveTrialStarter for TerminalTrial {
    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }

    fn start(&self, agent: &'static dyn HookAgent) -> Result<LiveTrialReport, LiveTrialError> {
        let (seconds, is_terminal) = (LIVE_LIMIT.as_secs(), std::io::stderr().is_terminal());
        eprint_line!("starting {} with a scripted model, for at most {seconds} s …", agent.title());
        let mut show = |requests: usize, elapsed: Duration| {
            if is_terminal {
                anstream::eprint!("\r\x1b[K{requests} requests, {} s", elapsed.as_secs());
            }
            !self.is_interrupted()
        };
        let report = run_live_trial(agent, LIVE_LIMIT, &mut show);
        if is_terminal {
            anstream::eprint!("\r\x1b[K");
        }
        report
    }
}

impl From<CheckUpError> for UserError {
    fn from(error: CheckUpError) -> Self {
        UserError { hint: error.hint().map(str::to_owned), ..UserError::failed(error.to_string()) }
    }
}
