//! Runs that are kept in a store, so that several processes can guard one of them.

use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, PoisonError};

use loopbreak::agent::{AgentConfig, AgentRun};
use loopbreak::settings::AllowRule;
use loopbreak::{Action, Config, Outcome, Verdict};
use loopbreak_store::{
    RunChange, RunEvent, RunKey, RunRecords, RunState, StateError, StepEvent, Store, StoreError, StoreUrl,
    VerdictSummary, change_with_healing, now, open,
};

/// Name of the runs in the store.
const SOURCE: &str = "python";

/// A store with runs of this module.
#[derive(Debug)]
pub(crate) struct RunStore {
    url: StoreUrl,
    /// The open store, and the process that opened it: a connection must not be used after a fork.
    opened: Mutex<Option<(u32, Box<dyn Store>)>>,
    folder: String,
}

/// A failure of a change.
#[derive(Debug)]
pub(crate) enum StoredChangeError {
    Store(StoreError),
    State(StateError),
}

impl From<StoreError> for StoredChangeError {
    fn from(error: StoreError) -> Self {
        StoredChangeError::Store(error)
    }
}

impl From<StateError> for StoredChangeError {
    fn from(error: StateError) -> Self {
        StoredChangeError::State(error)
    }
}

impl std::fmt::Display for StoredChangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoredChangeError::Store(error) => error.fmt(f),
            StoredChangeError::State(error) => error.fmt(f),
        }
    }
}

/// A step for the log of a run.
#[derive(Debug, Default)]
pub(crate) struct LoggedStep<'s> {
    pub(crate) action: Option<&'s Action<'s>>,
    pub(crate) outcome: Option<Outcome<'s>>,
    pub(crate) user: Option<&'s str>,
    pub(crate) said: Option<&'s str>,
    /// The verdict on it. None if nothing was observed.
    pub(crate) verdict: Option<Verdict>,
    /// Kind and text of the answer, if there was one.
    pub(crate) answer: Option<(&'static str, String)>,
    pub(crate) refused: bool,
}

impl LoggedStep<'_> {
    fn into_event(self, verdict: &Verdict) -> RunEvent {
        let mut event = StepEvent { refused: self.refused, ..StepEvent::default() };
        if let Some(action) = self.action {
            event = event.with_action(action);
            event.rule = self.refused.then(|| AllowRule::of_call(action));
        }
        if let Some(outcome) = &self.outcome {
            event = event.with_outcome(outcome);
        }
        if let Some(text) = self.user {
            event = event.with_user(text);
        }
        if let Some(text) = self.said {
            event = event.with_said(text);
        }
        let mut summary = VerdictSummary::from(verdict);
        if let Some((name, text)) = self.answer {
            summary = summary.with_answer(name, text);
        }
        let event = event.with_verdict(summary);
        match (self.refused, self.user) {
            (true, _) => RunEvent::Refused(event),
            (false, Some(_)) => RunEvent::User(event),
            _ => RunEvent::Step(event),
        }
    }
}

impl RunStore {
    pub(crate) fn new(url: StoreUrl) -> Self {
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::new()).display().to_string();
        RunStore { url, opened: Mutex::new(None), folder }
    }

    /// Returns the address.
    pub(crate) fn url(&self) -> &StoreUrl {
        &self.url
    }

    /// Restores a run, lets `call` change it, and stores it: all of it or nothing. `call` returns the step for the log.
    pub(crate) fn change<'s, T>(
        &self,
        run: &str,
        config: &Config,
        call: impl Fn(&mut AgentRun) -> (T, LoggedStep<'s>),
    ) -> Result<T, StoredChangeError> {
        let key = key(run);
        self.with_store(|store| {
            change_with_healing(
                store,
                &key,
                |store| try_change(store, &key, &self.folder, config, &call),
                |failure| match failure {
                    StoredChangeError::Store(error) => Some(error),
                    StoredChangeError::State(_) => None,
                },
                |_| {},
            )
        })
    }

    /// Restores a run to look at it.
    pub(crate) fn read<T>(
        &self,
        run: &str,
        config: &Config,
        look: impl FnOnce(&AgentRun) -> T,
    ) -> Result<T, StoredChangeError> {
        self.with_store(|store| {
            let _ = store.refresh();
            let mut state = RunState::parse(store.state(&key(run))?.as_deref(), |_| {});
            Ok(look(&restore(&mut state, config, run)?))
        })
    }

    fn with_store<T>(
        &self,
        call: impl FnOnce(&mut dyn Store) -> Result<T, StoredChangeError>,
    ) -> Result<T, StoredChangeError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let own = process::id();
        if let Some((pid, _)) = &*opened
            && *pid != own
        {
            // Closing the connection of the parent process would release its locks.
            std::mem::forget(opened.take());
        }
        let (_, store) = match &mut *opened {
            Some(opened) => opened,
            none => none.insert((own, open(&self.url)?)),
        };
        call(&mut **store)
    }
}

fn key(run: &str) -> RunKey {
    RunKey { source: SOURCE.to_owned(), session: run.to_owned(), agent: String::new() }
}

fn restore(state: &mut RunState, config: &Config, run: &str) -> Result<AgentRun, StateError> {
    let config = AgentConfig::with_rules(config, &state.hook.allowed);
    let guard = state.guard.restore(config.steps().clone(), run)?;
    Ok(AgentRun::from_parts(config, guard, state.agent.take().unwrap_or_default()))
}

fn try_change<'s, T>(
    store: &mut dyn Store,
    key: &RunKey,
    folder: &str,
    config: &Config,
    call: &impl Fn(&mut AgentRun) -> (T, LoggedStep<'s>),
) -> Result<T, StoredChangeError> {
    let now = now();
    let transaction = store.begin(key, folder, now)?;
    let mut state = RunState::parse(transaction.state(), |_| {});
    let mut run = restore(&mut state, config, &key.session)?;
    let (answer, mut step) = call(&mut run);
    let Some(verdict) = step.verdict.take() else { return Ok(answer) };
    state.guard.note_findings(&verdict, now);
    let mut records = RunRecords::default();
    records.add_verdict(&verdict, now);
    let events = vec![step.into_event(&verdict)];
    let (guard, memory) = run.into_parts();
    state.guard.save(&guard);
    state.agent = Some(memory);
    transaction.commit(RunChange {
        state: Some(state.into_json()?),
        events,
        records,
        ended: false,
        cost: None,
        unsent: Vec::new(),
    })?;
    Ok(answer)
}
