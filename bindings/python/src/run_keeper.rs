//! The state behind a run: in memory, or in a store.

use std::sync::{Arc, Mutex};

use loopbreak::agent::{AgentCall, AgentConfig, AgentRun, AgentSnapshot, AgentStop, CallAnswer, CallRuling};
use loopbreak::step::EpochMillis;
use loopbreak::verdict::Advice;
use loopbreak::verdict::Audience;
use loopbreak::{Config, Outcome, Usage, Verdict};
use loopbreak_store::now;
use pyo3::prelude::*;

use crate::engine_call::{LONG_TEXT, call_engine, call_engine_with, lock};
use crate::python_error::ErrorClass;
use crate::run_store::{LoggedStep, RunStore};

/// A run with its id and its settings.
#[derive(Debug)]
pub(crate) struct RunKeeper {
    pub(crate) id: String,
    pub(crate) config: Config,
    state: KeptState,
}

#[derive(Debug)]
enum KeptState {
    Memory(Box<Mutex<AgentRun>>),
    Stored(Arc<RunStore>),
}

impl RunKeeper {
    pub(crate) fn in_memory(id: String, config: Config) -> Self {
        let run = AgentRun::new(AgentConfig::from(&*config), &id);
        RunKeeper { id, config, state: KeptState::Memory(Box::new(Mutex::new(run))) }
    }

    pub(crate) fn stored(id: String, config: Config, store: Arc<RunStore>) -> Self {
        RunKeeper { id, config, state: KeptState::Stored(store) }
    }

    pub(crate) fn restore(py: Python<'_>, id: String, config: Config, text: &str) -> PyResult<Self> {
        let failed = |error: &dyn std::fmt::Display| {
            ErrorClass::Snapshot.raise(py, format!("cannot restore the run: {error}"))
        };
        let snapshot = AgentSnapshot::from_json(text).map_err(|error| failed(&error))?;
        let run = AgentRun::restore(AgentConfig::from(&*config), snapshot).map_err(|error| failed(&error))?;
        Ok(RunKeeper { id, config, state: KeptState::Memory(Box::new(Mutex::new(run))) })
    }

    /// Returns the store, if the run is kept in one.
    pub(crate) fn store(&self) -> Option<&Arc<RunStore>> {
        match &self.state {
            KeptState::Memory(_) => None,
            KeptState::Stored(store) => Some(store),
        }
    }

    /// Returns the state as JSON.
    pub(crate) fn snapshot(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.look(py, |run| run.snapshot().to_json())?;
        text.map_err(|error| ErrorClass::Snapshot.raise(py, error))
    }

    pub(crate) fn stopped(&self, py: Python<'_>) -> PyResult<Option<AgentStop>> {
        self.look(py, |run| run.stopped().cloned())
    }

    pub(crate) fn turn(&self, py: Python<'_>) -> PyResult<u64> {
        self.look(py, |run| run.guard().turn())
    }

    pub(crate) fn before(&self, py: Python<'_>, call: &AgentCall<'_>, bytes: usize) -> PyResult<CallRuling> {
        self.change(py, bytes, |run| {
            let ruling = run.before(call);
            let answer = match ruling.answer {
                CallAnswer::Stop => Some(("stop", ruling.text.clone())),
                _ => Some(("deny", ruling.text.clone())),
            };
            let verdict = ruling.verdict.clone();
            let step = LoggedStep {
                action: Some(&call.action),
                verdict,
                answer,
                refused: true,
                ..LoggedStep::default()
            };
            (ruling, step)
        })
    }

    pub(crate) fn after(
        &self,
        py: Python<'_>,
        call: &AgentCall<'_>,
        outcome: Option<&Outcome<'_>>,
        usage: Option<Usage>,
        bytes: usize,
    ) -> PyResult<Vec<Advice>> {
        self.change(py, bytes, |run| {
            let verdict = run.after(call, outcome.cloned(), usage);
            let step =
                LoggedStep { action: Some(&call.action), outcome: outcome.cloned(), ..LoggedStep::default() };
            advise(verdict, step)
        })
    }

    pub(crate) fn user(&self, py: Python<'_>, text: &str) -> PyResult<Vec<Advice>> {
        let at = Some(EpochMillis(now()));
        self.change(py, text.len(), |run| {
            advise(run.user(text, at), LoggedStep { user: Some(text), ..LoggedStep::default() })
        })
    }

    pub(crate) fn say(&self, py: Python<'_>, text: &str, agent: Option<&str>) -> PyResult<Vec<Advice>> {
        let at = Some(EpochMillis(now()));
        self.change(py, text.len(), |run| {
            advise(run.say(text, agent, at), LoggedStep { said: Some(text), ..LoggedStep::default() })
        })
    }

    pub(crate) fn compacted(&self, py: Python<'_>) -> PyResult<Vec<Advice>> {
        let at = Some(EpochMillis(now()));
        self.change(py, 0, |run| advise(run.compacted(at), LoggedStep::default()))
    }

    pub(crate) fn continued(&self, py: Python<'_>) -> PyResult<Vec<Advice>> {
        let at = Some(EpochMillis(now()));
        self.change(py, 0, |run| advise(run.continued(at), LoggedStep::default()))
    }

    /// Lets `call` change the run. It returns the step for the log of a store. With a store, the interpreter is released.
    fn change<'s, T: Send>(
        &self,
        py: Python<'_>,
        bytes: usize,
        call: impl Fn(&mut AgentRun) -> (T, LoggedStep<'s>) + Send + Sync,
    ) -> PyResult<T> {
        match &self.state {
            KeptState::Memory(run) => {
                let mut run = lock(py, run);
                let run = &mut *run;
                call_engine_with(py, bytes, || call(run).0)
            }
            KeptState::Stored(store) => {
                let changed =
                    call_engine_with(py, LONG_TEXT, || store.change(&self.id, &self.config, &call))?;
                changed.map_err(|error| ErrorClass::Store.raise(py, error))
            }
        }
    }

    fn look<T: Send>(&self, py: Python<'_>, look: impl FnOnce(&AgentRun) -> T + Send) -> PyResult<T> {
        match &self.state {
            KeptState::Memory(run) => {
                let run = lock(py, run);
                call_engine(py, || look(&run))
            }
            KeptState::Stored(store) => {
                let read = call_engine_with(py, LONG_TEXT, || store.read(&self.id, &self.config, look))?;
                read.map_err(|error| ErrorClass::Store.raise(py, error))
            }
        }
    }
}

/// Returns the advice of a verdict for the agent, and the step for the log.
fn advise(verdict: Verdict, step: LoggedStep<'_>) -> (Vec<Advice>, LoggedStep<'_>) {
    let advice: Vec<Advice> =
        verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent).cloned().collect();
    let answer = if let Some(stop) = &verdict.stop {
        Some(("stop", format!("stopped: {}", stop.reason)))
    } else if advice.is_empty() {
        None
    } else {
        let texts: Vec<&str> = advice.iter().map(|advice| advice.text.as_str()).collect();
        Some(("advise", texts.join("\n\n")))
    };
    (advice, LoggedStep { verdict: Some(verdict), answer, ..step })
}
