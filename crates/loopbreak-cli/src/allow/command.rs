//! Finds the refused call and allows it.

use std::path::Path;

use loopbreak::settings::AllowRule;
use loopbreak_store::{AllowedEvent, Run, RunChange, RunEvent, RunState, StepEvent, Store, StoredEvent, now};

use super::args::{AllowArgs, RefusedCall};
use super::save_rule::save_rule;
use crate::error::UserError;
use crate::output::printable;
use crate::store::{open_user_store, run_name, warn};
use crate::{exit, output};

/// Number of latest runs that are searched for a refused call.
const SEARCHED_RUNS: usize = 50;

pub(crate) fn run(args: &AllowArgs) -> Result<u8, UserError> {
    let RefusedCall::Last = args.which;
    let nothing = || {
        UserError::failed("no refused call found")
            .hint("`loopbreak log RUN` shows what happened in a session")
    };
    let mut store = open_user_store()?.ok_or_else(nothing)?;
    let (run, refusal) = last_refusal(&*store, args.run.as_deref())?.ok_or_else(nothing)?;
    let rule = refusal.rule.ok_or_else(nothing)?;
    allow(&mut *store, &run, rule.clone(), refusal.action.clone())?;
    let action = printable(refusal.action.as_deref().unwrap_or_default());
    output::print(&format!("allowed in {}: {action}\n", run_name(&run)))?;
    if args.save {
        let file = save_rule(&rule, Path::new(&run.folder))?;
        output::print(&format!("and in all sessions: added [[allow]] to {}\n", file.display()))?;
    }
    Ok(exit::DONE)
}

/// Adds the rule to the state of the run.
fn allow(store: &mut dyn Store, run: &Run, rule: AllowRule, action: Option<String>) -> Result<(), UserError> {
    let transaction = store.begin(&run.key(), &run.folder, now())?;
    let mut state = RunState::parse(transaction.state(), warn);
    state.hook.allow(rule.clone());
    let state = state.into_json().map_err(|error| UserError::failed(error.to_string()))?;
    let event = RunEvent::Allowed(AllowedEvent { rule, action });
    transaction.commit(RunChange { state: Some(state), ..event.into() })?;
    Ok(())
}

/// Finds the last call that was refused or that a human was asked about, with its run.
fn last_refusal(store: &dyn Store, session: Option<&str>) -> Result<Option<(Run, StepEvent)>, UserError> {
    let runs = match session {
        Some(session) => store.find(session)?,
        None => store.runs(i64::MIN, SEARCHED_RUNS)?,
    };
    let mut found: Option<(i64, Run, StepEvent)> = None;
    for run in runs.into_iter().take(SEARCHED_RUNS) {
        // The latest runs come first: a run that was last seen before a refusal has none after it.
        if found.as_ref().is_some_and(|(at, ..)| *at >= run.seen) {
            break;
        }
        let refusal = store.events(&run)?.into_iter().rev().find_map(refusal);
        if let Some((at, event)) = refusal
            && found.as_ref().is_none_or(|(known, ..)| at > *known)
        {
            found = Some((at, run, event));
        }
    }
    Ok(found.map(|(_, run, event)| (run, event)))
}

fn refusal(stored: StoredEvent) -> Option<(i64, StepEvent)> {
    match stored.event {
        RunEvent::Refused(event) | RunEvent::Asked(event) => Some((stored.at, event)),
        _ => None,
    }
}
