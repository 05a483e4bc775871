//! The runs whose agents are paused.

use loopbreak_store::{AgentPause, AgentProcess, Run, RunState, RunStatus, Store, StoreError};

use crate::find_agent::is_stopped;
use crate::process_stat::{ProcessStat, machine};

/// Number of latest runs that are searched.
const SEARCHED_RUNS: usize = 200;

/// Returns the runs whose agents are paused, with their pauses, the latest first. Runs whose agent was continued in another way are
/// left out.
pub fn paused_runs(store: &dyn Store) -> Result<Vec<(Run, AgentPause)>, StoreError> {
    let mut paused = Vec::new();
    for run in store.runs(i64::MIN, SEARCHED_RUNS)? {
        // Most states have no pause, and are large.
        let Some(state) = store.state(&run.key())?.filter(|state| state.contains("\"pause\"")) else {
            continue;
        };
        let state = RunState::parse(Some(&state), |_| {});
        let (Some(pause), Some(process)) = (state.pause, state.process) else { continue };
        if is_still_stopped(&process) {
            paused.push((run, pause));
        }
    }
    Ok(paused)
}

/// Removes pauses of agents that were continued in another way, such as `fg`, or have ended.
pub fn refresh_pauses(runs: &mut [RunStatus]) {
    for status in runs.iter_mut().filter(|status| status.paused.is_some()) {
        if !status.process.as_ref().is_some_and(is_still_stopped) {
            status.paused = None;
        }
    }
}

fn is_still_stopped(process: &AgentProcess) -> bool {
    machine().as_deref() == Some(process.machine.as_str())
        && ProcessStat::read(process.pid).is_some_and(|stat| stat.start == process.start)
        && is_stopped(process.pid)
}
