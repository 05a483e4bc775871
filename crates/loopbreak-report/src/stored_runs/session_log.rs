//! The log of a session: of its main agent, then of its subagents.

use loopbreak_config::nearest_name;
use loopbreak_store::{Run, RunStatus, SelectSessionError, Store, StoreError, select_session};

use super::run_log::{render_event_json, render_run_log};
use crate::text::TextStyle;

/// Number of latest runs that are searched for a similar name.
const SEARCHED_RUNS: usize = 1000;
/// Name of the session that had the last event.
const LAST: &str = "last";

/// Returns the runs of the session with this name, of the only one that starts with it, or of the `last` one: the main agent,
/// then the subagents. If there is none, the error names the nearest session.
pub fn find_session(store: &dyn Store, name: &str) -> Result<Vec<Run>, SelectSessionError> {
    let mut found = select_session(store.find(name)?, name);
    if let Err(SelectSessionError::NotFound { nearest, .. }) = &mut found {
        let known = store.runs(i64::MIN, SEARCHED_RUNS)?;
        if let Some(last) = known.first().filter(|_| name == LAST) {
            found = select_session(store.find(&last.session)?, &last.session);
        } else {
            *nearest = nearest_session(name, &known).map(str::to_owned);
        }
    }
    let mut runs = found?;
    runs.sort_by_key(|run| (!run.agent.is_empty(), run.id));
    Ok(runs)
}

/// Returns the session whose name, or the start of it, is most similar to a name.
fn nearest_session<'r>(name: &str, known: &'r [Run]) -> Option<&'r str> {
    let start = |session: &'r str| -> &'r str {
        let end = session.char_indices().nth(name.chars().count()).map_or(session.len(), |(end, _)| end);
        &session[..end]
    };
    let sessions = || known.iter().map(|run| run.session.as_str());
    let nearest = nearest_name(name, sessions().flat_map(|session| [session, start(session)]))?;
    sessions().find(|session| *session == nearest || start(session) == nearest)
}

/// Renders the log of a session for people. `warn` is called if the state of a run cannot be read.
pub fn render_session_log(
    store: &dyn Store,
    runs: Vec<Run>,
    now: i64,
    style: &TextStyle,
    warn: &dyn Fn(&str),
) -> Result<String, StoreError> {
    let mut text = String::new();
    for run in runs {
        let events = store.events(&run)?;
        let status = RunStatus::load(store, run, now, warn)?;
        text.push_str(&render_run_log(&status, &events, now, style));
    }
    Ok(text)
}

/// Renders the events of a session, one line of JSON each.
pub fn render_session_json(store: &dyn Store, runs: &[Run]) -> Result<String, StoreError> {
    let mut text = String::new();
    for run in runs {
        text.extend(store.events(run)?.iter().map(|event| render_event_json(run, event)));
    }
    Ok(text)
}
