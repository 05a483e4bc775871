//! Reads the events of a run and prints them.

use loopbreak_report::stored_runs::{render_event, render_event_json, render_run};
use loopbreak_store::{SelectSessionError, select_session};

use super::args::LogArgs;
use crate::error::UserError;
use crate::store::open_user_store;
use crate::{exit, output};

pub(crate) fn run(args: &LogArgs) -> Result<u8, UserError> {
    let unknown = || SelectSessionError::NotFound { name: args.run.clone() };
    let store = open_user_store()?.ok_or_else(unknown)?;
    let mut runs = select_session(store.find(&args.run)?, &args.run)?;
    runs.sort_by_key(|run| (!run.agent.is_empty(), run.id));
    let mut text = String::new();
    for run in &runs {
        if !args.json {
            text.push_str(&render_run(run));
        }
        for event in store.events(run)? {
            text.push_str(&if args.json { render_event_json(run, &event) } else { render_event(&event) });
        }
    }
    output::print(&text)?;
    Ok(exit::DONE)
}
