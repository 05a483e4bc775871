//! Acts on the agent of a run, and says what was done. Nothing fails: what cannot be done is said.

use loopbreak_process::{AgentGroup, ResumeResult, RunSignal, SignalError, SignalSender, paused_runs};
use loopbreak_report::printable;
use loopbreak_store::{RefusedCall, Store, StoreUrl, open_existing};

/// The name of the sender in the store.
const SENDER: &str = "watch";
/// Number of processes that a question names.
const NAMED_PROCESSES: usize = 4;

/// Acts on the agents of runs that are stored by hooks or by `loopbreak run`.
#[derive(Clone, Debug, Default)]
pub struct RunActions {
    store: Option<StoreUrl>,
}

impl RunActions {
    /// Uses a store. Without one, no process is known.
    pub fn new(store: Option<StoreUrl>) -> Self {
        RunActions { store }
    }

    /// Pauses the agent of a run.
    pub fn pause(&self, run: &str, reason: &str) -> String {
        let paused = self.with_signal(run, |store, signal| {
            let group = signal.pause(store, SignalSender { name: SENDER, reason })?;
            let agent = group.agent();
            let fg = if group.is_job_of_shell() { "; then type `fg` in its terminal" } else { "" };
            Ok(format!(
                "paused {} (process {}); `loopbreak resume {}` continues it{fg}",
                agent.name, agent.pid, run
            ))
        });
        describe("pause", run, paused)
    }

    /// Resumes the agent of a run.
    pub fn resume(&self, run: &str) -> String {
        let resumed = self.with_signal(run, |store, signal| {
            let result = signal.resume(store, SignalSender { name: SENDER, reason: "" })?;
            Ok(match result {
                Some(ResumeResult::Runs) => format!("resumed {run}"),
                Some(_) => format!("{run} is in the background of its terminal: type `fg` there"),
                None => format!("{run} runs already"),
            })
        });
        describe("resume", run, resumed)
    }

    /// Asks the agent of a run to end.
    pub fn stop(&self, run: &str) -> String {
        let stopped = self.with_signal(run, |store, signal| {
            let group = signal.terminate(store, SignalSender { name: SENDER, reason: "" })?;
            Ok(format!("asked {} to end", describe_target(&group)))
        });
        describe("stop", run, stopped)
    }

    /// Returns the question whether the agent of a run should be stopped, or why it cannot be.
    pub fn describe_stop(&self, run: &str) -> Result<String, String> {
        let question = self.with_signal(run, |store, signal| {
            let group = signal.group(store)?;
            Ok(format!("stop {}? y or n", describe_target(&group)))
        });
        question.map_err(|error| describe("stop", run, Err(error)))
    }

    /// Allows the last call of a run that was refused.
    pub fn allow_last(&self, run: &str) -> String {
        let Ok(Some(mut store)) = self.open() else {
            return format!("no hook has recorded {}", printable(run));
        };
        let found = match RefusedCall::find_last(&*store, Some(run)) {
            Ok(found) => found.filter(|call| call.run.session == run),
            Err(error) => return format!("cannot allow a call of {}: {error}", printable(run)),
        };
        let rule = found.as_ref().and_then(|call| call.event.rule.clone());
        let (Some(call), Some(rule)) = (found, rule) else {
            return format!("no call of {} was refused", printable(run));
        };
        match call.allow(&mut *store, rule, |_| {}) {
            Ok(()) => {
                let action = printable(call.event.action.as_deref().unwrap_or_default());
                format!("allowed in {}: {action}", printable(run))
            }
            Err(error) => format!("cannot allow a call of {}: {error}", printable(run)),
        }
    }

    /// Returns the names of the runs that are paused.
    pub fn paused_names(&self) -> Vec<String> {
        let Ok(Some(store)) = self.open() else { return Vec::new() };
        paused_runs(&*store).unwrap_or_default().into_iter().map(|(run, _)| run.session).collect()
    }

    fn open(&self) -> Result<Option<Box<dyn Store>>, SignalError> {
        Ok(self.store.as_ref().map(open_existing).transpose()?.flatten())
    }

    fn with_signal<T>(
        &self,
        run: &str,
        act: impl FnOnce(&mut dyn Store, &RunSignal) -> Result<T, SignalError>,
    ) -> Result<T, SignalError> {
        let mut store = self.open()?.ok_or(SignalError::UnknownProcess)?;
        let mut runs = store.find(run)?;
        runs.retain(|found| found.session == run);
        let signal = RunSignal::select(&*store, runs)?;
        act(&mut *store, &signal)
    }
}

/// Describes what was done, or why it could not be done.
fn describe(what: &str, run: &str, result: Result<String, SignalError>) -> String {
    match result {
        Ok(text) => printable(&text),
        Err(error) => {
            let hint = error.hint().map_or_else(String::new, |hint| format!(" ({hint})"));
            printable(&format!("cannot {what} {run}: {error}{hint}"))
        }
    }
}

/// Describes what a signal to end reaches: the runner, or the processes of the agent.
fn describe_target(group: &AgentGroup) -> String {
    if let Some(runner) = group.runner() {
        return format!("`loopbreak run` (process {runner}) with its agent");
    }
    let members = group.members();
    let names: Vec<String> = members
        .iter()
        .take(NAMED_PROCESSES)
        .map(|member| format!("{} {}", member.name, member.pid))
        .collect();
    let more = members.len().saturating_sub(NAMED_PROCESSES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}
