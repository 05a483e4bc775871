//! Finds the last refused call, and allows it.

use loopbreak::settings::AllowRule;

use crate::{
    AllowedEvent, Run, RunChange, RunEvent, RunState, StateError, StepEvent, Store, StoreError, StoredEvent,
    now,
};

/// Number of latest runs that are searched for a refused call.
const SEARCHED_RUNS: usize = 50;

/// A call that was refused, or that a human was asked about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefusedCall {
    /// The run.
    pub run: Run,
    /// The event of the refusal.
    pub event: StepEvent,
}

/// The reason why a call cannot be allowed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllowCallError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The state of the run cannot be written.
    #[error(transparent)]
    State(#[from] StateError),
}

impl RefusedCall {
    /// Finds the last call that was refused, among the runs whose session starts with a text if one is given.
    pub fn find_last(store: &dyn Store, session: Option<&str>) -> Result<Option<Self>, StoreError> {
        let runs = match session {
            Some(session) => store.find(session)?,
            None => store.runs(i64::MIN, SEARCHED_RUNS)?,
        };
        let mut found: Option<(i64, RefusedCall)> = None;
        for run in runs.into_iter().take(SEARCHED_RUNS) {
            // The latest runs come first: a run that was last seen before a refusal has none after it.
            if found.as_ref().is_some_and(|(at, _)| *at >= run.seen) {
                break;
            }
            let refusal = store.events(&run)?.into_iter().rev().find_map(refusal);
            if let Some((at, event)) = refusal
                && found.as_ref().is_none_or(|(known, _)| at > *known)
            {
                found = Some((at, RefusedCall { run, event }));
            }
        }
        Ok(found.map(|(_, call)| call))
    }

    /// Adds a rule that allows the call to the state of its run. `warn` is called if the state cannot be read.
    pub fn allow(
        &self,
        store: &mut dyn Store,
        rule: AllowRule,
        warn: impl FnOnce(&str),
    ) -> Result<(), AllowCallError> {
        let transaction = store.begin(&self.run.key(), &self.run.folder, now())?;
        let mut state = RunState::parse(transaction.state(), warn);
        state.hook.allow(rule.clone());
        let event = RunEvent::Allowed(AllowedEvent { rule, action: self.event.action.clone() });
        // A run that has ended stays ended.
        let ended = self.run.ended.is_some();
        transaction.commit(RunChange { state: Some(state.into_json()?), ended, ..event.into() })?;
        Ok(())
    }
}

fn refusal(stored: StoredEvent) -> Option<(i64, StepEvent)> {
    match stored.event {
        RunEvent::Refused(event) | RunEvent::Asked(event) => Some((stored.at, event)),
        _ => None,
    }
}
