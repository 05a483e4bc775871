//! Reads the events of a run and prints them.

use loopbreak_report::stored_runs::{find_session, render_session_json, render_session_log};
use loopbreak_store::now;

use super::args::LogArgs;
use crate::error::UserError;
use crate::store::{open_user_store, warn};
use crate::{exit, output};

pub(crate) fn run(args: &LogArgs) -> Result<u8, UserError> {
    let nothing_stored = || {
        UserError::usage("no runs are stored yet")
            .hint("a run is stored when a hook, `loopbreak mcp` or `loopbreak run` sees its first step")
    };
    let store = open_user_store()?.ok_or_else(nothing_stored)?;
    let runs = find_session(&*store, &args.run)?;
    output::print(&if args.json {
        render_session_json(&*store, &runs)?
    } else {
        render_session_log(&*store, runs, now(), &output::text_style(), &warn)?
    })?;
    Ok(exit::DONE)
}
