//! Signals to the agent of a stored run. Each is recorded in the store with its sender and its reason.

use loopbreak_store::{
    AgentPause, NoteEvent, Run, RunChange, RunEvent, RunState, Store, now, redact_and_truncate,
};

use crate::agent_group::{AgentGroup, GroupMember, ResumeResult};
use crate::group_refusal::GroupRefusal;
use crate::signal_error::SignalError;

/// The sender of a signal, and its reason.
#[derive(Clone, Copy, Debug)]
pub struct SignalSender<'s> {
    /// The command that sends it, such as `watch`.
    pub name: &'s str,
    /// The reason; empty if a human sends it.
    pub reason: &'s str,
}

/// A stored run whose agent may get a signal.
#[derive(Clone, Debug)]
pub struct RunSignal {
    run: Run,
}

impl RunSignal {
    /// Selects the run of a session whose process is known: the main agent rather than a subagent. `runs` are those of one
    /// session.
    pub fn select(store: &dyn Store, mut runs: Vec<Run>) -> Result<Self, SignalError> {
        runs.sort_by_key(|run| (!run.agent.is_empty(), std::cmp::Reverse(run.seen)));
        for run in runs {
            let state = RunState::parse(store.state(&run.key())?.as_deref(), |_| {});
            if state.process.is_some() {
                return Ok(RunSignal { run });
            }
        }
        Err(SignalError::UnknownProcess)
    }

    /// Selects a run that [`paused_runs`](crate::paused_runs) returned.
    pub fn new(run: Run) -> Self {
        RunSignal { run }
    }

    /// Returns the run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the process group of the agent, if it is certain to be the agent's.
    pub fn group(&self, store: &dyn Store) -> Result<AgentGroup, SignalError> {
        let state = RunState::parse(store.state(&self.run.key())?.as_deref(), |_| {});
        let process = state.process.ok_or(SignalError::UnknownProcess)?;
        Ok(AgentGroup::verify(&process)?)
    }

    /// Pauses the agent. The store is locked meanwhile, so no hook is stopped in the middle of a change.
    pub fn pause(&self, store: &mut dyn Store, sender: SignalSender<'_>) -> Result<AgentGroup, SignalError> {
        let at = now();
        let transaction = store.begin(&self.run.key(), &self.run.folder, at)?;
        let mut state = RunState::parse(transaction.state(), |_| {});
        let process = state.process.as_ref().ok_or(SignalError::UnknownProcess)?;
        let group = AgentGroup::verify(process)?;
        if state.pause.is_some() && group.is_stopped() {
            return Err(SignalError::AlreadyPaused);
        }
        let reason = redact_and_truncate(sender.reason);
        state.pause = Some(AgentPause { at, by: sender.name.to_owned(), reason });
        let change = RunChange {
            state: Some(state.into_json()?),
            ended: self.run.ended.is_some(),
            ..RunEvent::Paused(note(&group.agent(), sender)).into()
        };
        group.pause()?;
        if let Err(error) = transaction.commit(change) {
            // A pause that nobody knows of would never end.
            let _ = group.resume();
            return Err(error.into());
        }
        Ok(group)
    }

    /// Resumes the agent. Returns `None` if it runs already. If it has ended, the pause is forgotten, and an error says so.
    pub fn resume(
        &self,
        store: &mut dyn Store,
        sender: SignalSender<'_>,
    ) -> Result<Option<ResumeResult>, SignalError> {
        let state = RunState::parse(store.state(&self.run.key())?.as_deref(), |_| {});
        if state.pause.is_none() {
            return Err(SignalError::NotPaused);
        }
        let process = state.process.ok_or(SignalError::UnknownProcess)?;
        // The store is not locked meanwhile: the hooks of the agent need it as soon as the agent runs.
        let result = match AgentGroup::verify(&process) {
            Ok(group) if group.is_stopped() => Ok(Some(group.resume()?)),
            Ok(_) => Ok(None),
            Err(
                refusal @ (GroupRefusal::Ended { .. }
                | GroupRefusal::Reused { .. }
                | GroupRefusal::OtherMachine),
            ) => Err(refusal),
            Err(refusal) => return Err(refusal.into()),
        };
        if result == Ok(Some(ResumeResult::StoppedByTerminal)) {
            // It is still stopped, and the record of the pause stays.
            return Ok(Some(ResumeResult::StoppedByTerminal));
        }
        let transaction = store.begin(&self.run.key(), &self.run.folder, now())?;
        let mut state = RunState::parse(transaction.state(), |_| {});
        state.pause = None;
        let agent = GroupMember { pid: process.pid, name: process.name };
        let is_resumed = matches!(result, Ok(Some(_)));
        let events = is_resumed.then(|| RunEvent::Resumed(note(&agent, sender))).into_iter().collect();
        let ended = self.run.ended.is_some();
        let state = Some(state.into_json()?);
        transaction.commit(RunChange { state, events, ended, ..RunChange::default() })?;
        Ok(result?)
    }

    /// Asks the agent to end, also if it is paused.
    pub fn terminate(
        &self,
        store: &mut dyn Store,
        sender: SignalSender<'_>,
    ) -> Result<AgentGroup, SignalError> {
        let transaction = store.begin(&self.run.key(), &self.run.folder, now())?;
        let mut state = RunState::parse(transaction.state(), |_| {});
        let process = state.process.as_ref().ok_or(SignalError::UnknownProcess)?;
        let group = AgentGroup::verify(process)?;
        state.pause = None;
        let change = RunChange {
            state: Some(state.into_json()?),
            ended: self.run.ended.is_some(),
            ..RunEvent::Terminated(note(&group.agent(), sender)).into()
        };
        group.terminate()?;
        transaction.commit(change)?;
        Ok(group)
    }
}

/// Returns the event of a signal: `claude (process 42), by watch: no progress for 40 turns`.
fn note(agent: &GroupMember, sender: SignalSender<'_>) -> NoteEvent {
    let GroupMember { pid, name } = agent;
    let reason = redact_and_truncate(sender.reason);
    let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
    NoteEvent { action: format!("{name} (process {pid}), by {}{reason}", sender.name) }
}
