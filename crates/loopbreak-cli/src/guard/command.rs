//! Answers the lines on standard input.

use std::io::{self, IsTerminal as _};

use loopbreak_report::outputs::VisibleJson;
use loopbreak_server::lines::{LineGuard, LineStreamError, serve_lines};
use loopbreak_server::mcp::ServeError;

use super::args::GuardArgs;
use crate::args::FailOn;
use crate::error::UserError;
use crate::store::user_store;
use crate::{config_loading, exit, output};

pub(crate) fn run(args: &GuardArgs) -> Result<u8, UserError> {
    let settings = config_loading::guarded_settings(&args.config)?;
    output::warn_about_mode(settings.mode);
    let guard = match &args.run {
        None => LineGuard::in_memory(&settings),
        Some(run) => {
            let folder = std::env::current_dir().map(|folder| folder.display().to_string());
            LineGuard::stored(settings, user_store()?, folder.unwrap_or_default(), run)
        }
    };
    let mut guard = guard.map_err(|error| match error {
        ServeError::Config(message) => UserError::usage(message),
        error => UserError::failed(error.to_string()),
    })?;
    if io::stdin().is_terminal() {
        eprint_line!("loopbreak: waiting for steps on standard input; see `loopbreak guard --help`");
    }
    let mut out = io::stdout().lock();
    let served = serve_lines(&mut guard, io::stdin().lock(), &mut VisibleJson::escaped(&mut out));
    match served {
        Err(LineStreamError::Write(error)) => output::ignore_closed_pipe(Err(error), "standard output")?,
        served => served.map_err(|error| UserError::failed(error.to_string()))?,
    }
    let fails = match args.fail_on {
        None => false,
        Some(FailOn::Warn) => guard.worst_verdict() != "clear",
        Some(FailOn::Stop) => guard.worst_verdict() == "stop",
    };
    Ok(if fails { exit::LOOP } else { exit::DONE })
}
