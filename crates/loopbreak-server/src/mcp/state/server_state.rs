//! The store and the settings, with the operations that every call needs: finding a run, and changing it as a
//! whole.

use std::collections::BTreeMap;

use loopbreak::{Config, DetectorName, Guard, Mode, Settings};
use loopbreak_client::ServerLink;
#[cfg(test)]
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{
    ConnectionEnd, Run, RunChange, RunEndEvent, RunEvent, RunKey, RunState, Store, StoreError,
    change_with_healing, now, open,
};

use super::CallTransaction;
use crate::mcp::protocol::{McpOptions, ServeError, ToolError};

/// Name of this server in the store.
pub(crate) const SOURCE: &str = "mcp";
/// Name of the runner in the store.
const RUNNER: &str = "run";
/// Number of latest runs that are looked at for an error.
const LISTED_RUNS: usize = 100;
/// Number of runs named in an error.
const NAMED_RUNS: usize = 5;

/// Everything that a call works with.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) store: Box<dyn Store>,
    /// Name under which the store keeps the runs that are recorded here.
    source: &'static str,
    options: McpOptions,
    visible: VisibleRuns,
    /// Settings of the guards. The task detector is off, because the series judges tasks when it is asked.
    steps: Config,
    /// Settings of the series.
    pub(crate) config: Config,
    /// The service that answers in place of the local guard, if it does so in time.
    pub(super) link: Option<ServerLink>,
    /// Number of connections that record each run.
    open_runs: BTreeMap<String, usize>,
}

/// Runs that clients can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisibleRuns {
    /// All runs of the store.
    All,
    /// The runs that were recorded over MCP.
    OfServer,
}

/// Scope of a call. A roadmap may be long, so only calls about tasks read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallScope {
    Steps,
    Tasks,
}

/// Failure of a change.
enum ChangeFailure {
    Store(StoreError),
    Call(ToolError),
}

impl From<StoreError> for ChangeFailure {
    fn from(error: StoreError) -> Self {
        ChangeFailure::Store(error)
    }
}

impl From<ToolError> for ChangeFailure {
    fn from(error: ToolError) -> Self {
        ChangeFailure::Call(error)
    }
}

impl ServerState {
    /// Opens the store, for a client that sees all runs.
    #[cfg(test)]
    pub(crate) fn open(options: McpOptions) -> Result<Self, ServeError> {
        ServerState::open_with(options, VisibleRuns::All)
    }

    /// Opens the store, for clients that see these runs.
    pub(crate) fn open_with(options: McpOptions, visible: VisibleRuns) -> Result<Self, ServeError> {
        ServerState::open_as(SOURCE, options, visible)
    }

    /// Does the same for another program than the MCP server.
    pub(crate) fn open_as(
        source: &'static str,
        options: McpOptions,
        visible: VisibleRuns,
    ) -> Result<Self, ServeError> {
        let store = open(&options.store)?;
        let (steps, config) = guard_configs(&options.settings)?;
        let (link, open_runs) = (None, BTreeMap::new());
        Ok(ServerState { store, source, options, visible, steps, config, link, open_runs })
    }

    /// Creates the state for calls about the only run of a store.
    pub(crate) fn of_run(store: Box<dyn Store>, configs: &(Config, Config)) -> Self {
        let options = McpOptions {
            settings: Settings::default(),
            store: std::path::PathBuf::new().into(),
            folder: String::new(),
            run: None,
        };
        let (steps, config) = configs.clone();
        let (visible, open_runs) = (VisibleRuns::OfServer, BTreeMap::new());
        ServerState { store, source: SOURCE, options, visible, steps, config, link: None, open_runs }
    }

    /// Returns the key of a run of this server.
    pub(crate) fn key(run: &str) -> RunKey {
        RunKey { source: SOURCE.to_owned(), session: run.to_owned(), agent: String::new() }
    }

    /// Returns the key of a run that is recorded here.
    fn own_key(&self, run: &str) -> RunKey {
        RunKey { source: self.source.to_owned(), ..ServerState::key(run) }
    }

    /// Changes a run as a whole: restores its guard, lets `call` work on it, and writes everything back. If `call`
    /// fails, nothing changes.
    pub(crate) fn change<T>(
        &mut self,
        run: &str,
        scope: CallScope,
        call: impl Fn(&mut CallTransaction) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        // As in hooks: a damaged store is moved away and replaced by a new one, and one that was removed is noticed.
        let key = self.own_key(run);
        let ServerState { store, options, steps, config, .. } = self;
        let changed = change_with_healing(
            &mut **store,
            &key,
            |store| try_change(store, options, (steps, config), &key, scope, &call),
            |failure| match failure {
                ChangeFailure::Store(error) => Some(error),
                ChangeFailure::Call(_) => None,
            },
            |_| {},
        );
        changed.map_err(|failure| match failure {
            ChangeFailure::Store(error) => error.into(),
            ChangeFailure::Call(error) => error,
        })
    }

    /// Opens the store again if its file was moved, removed or replaced. If that fails, the call says why.
    pub(crate) fn refresh(&mut self) {
        let _ = self.store.refresh();
    }

    /// Records that a connection records a run.
    pub(super) fn open_run(&mut self, run: &str) {
        *self.open_runs.entry(run.to_owned()).or_default() += 1;
    }

    /// Records that a connection that recorded a run has ended. If it was the last one, the run has ended too.
    pub(super) fn close_run(&mut self, run: &str, reason: ConnectionEnd) {
        let others = self.open_runs.remove(run).unwrap_or_default().saturating_sub(1);
        if others > 0 {
            self.open_runs.insert(run.to_owned(), others);
        } else {
            // If the store fails, the run is idle.
            let _ = self.end_run(run, reason);
        }
    }

    fn end_run(&mut self, run: &str, reason: ConnectionEnd) -> Result<(), StoreError> {
        let key = ServerState::key(run);
        if self.store.run(&key)?.is_none_or(|run| run.ended.is_some()) {
            return Ok(());
        }
        let end = RunEvent::End(RunEndEvent { reason: Some(reason), ..RunEndEvent::default() });
        let transaction = self.store.begin(&key, &self.options.folder, now())?;
        transaction.commit(RunChange { ended: true, ..end.into() })
    }

    /// Returns the guard of a run, for questions. An unknown run has a new guard.
    pub(crate) fn guard(&self, run: &str) -> Result<Guard, ToolError> {
        let state = self.store.state(&self.own_key(run))?;
        Ok(CallTransaction::restore(state.as_deref(), &self.steps, &self.config, run, 0)?.guard)
    }

    /// Returns the state of a run, for questions.
    pub(crate) fn state(&self, run: &Run) -> Result<RunState, ToolError> {
        Ok(RunState::parse(self.store.state(&run.key())?.as_deref(), |_| {}))
    }

    /// Returns the roadmap of a run of this server, empty if the run is unknown.
    #[cfg(test)]
    pub(crate) fn roadmap(&self, run: &str) -> Result<Vec<RoadmapTask>, ToolError> {
        match self.store.run(&ServerState::key(run))? {
            Some(run) => Ok(self.store.roadmap(&run)?),
            None => Ok(Vec::new()),
        }
    }

    /// Returns whether clients can see a run.
    pub(crate) fn is_visible(&self, run: &Run) -> bool {
        self.visible == VisibleRuns::All || run.source == SOURCE
    }

    /// Finds a run: the one of this server with this name, or any whose session is the name or starts with it.
    pub(crate) fn find(&self, name: &str) -> Result<Run, ToolError> {
        if let Some(run) = self.store.run(&ServerState::key(name))? {
            return Ok(run);
        }
        let mut runs: Vec<Run> = self.store.find(name)?;
        runs.retain(|run| run.agent.is_empty() && self.is_visible(run));
        if runs.iter().any(|run| run.session == name) {
            runs.retain(|run| run.session == name);
        }
        match runs.as_slice() {
            [run] => Ok(run.clone()),
            [] => {
                let mut known = self.store.runs(i64::MIN, LISTED_RUNS)?;
                known.retain(|run| self.is_visible(run));
                let hint = if known.is_empty() {
                    "No run is stored yet: record_step starts one".to_owned()
                } else {
                    format!("The latest runs are {}; record_step starts a new one", session_names(&known))
                };
                Err(ToolError::new(format!("Run {name:?} not found"), hint))
            }
            some => Err(ToolError::new(
                format!("More than one run starts with {name:?}"),
                format!("Name one of them: {}", session_names(some)),
            )),
        }
    }

    /// Finds the run that has the roadmap of this name. A run of the runner comes first, because the agent that it
    /// started reports attempts under the same name.
    pub(crate) fn find_roadmap(&self, name: &str) -> Result<Run, ToolError> {
        match self.find_runner(name)? {
            Some(run) => Ok(run),
            None => self.find(name),
        }
    }

    /// Finds the run of `loopbreak run` with this name.
    pub(crate) fn find_runner(&self, name: &str) -> Result<Option<Run>, ToolError> {
        let run = self.store.run(&RunKey { source: RUNNER.to_owned(), ..ServerState::key(name) })?;
        Ok(run.filter(|run| self.is_visible(run)))
    }

    /// Finds a run for a tool that judges tasks. It must be a run of this server, which knows only its own
    /// attempts.
    pub(crate) fn find_own(&self, name: &str) -> Result<Run, ToolError> {
        let run = self.find(name)?;
        ServerState::check_own(&run)?;
        Ok(run)
    }

    /// Finds the run with exactly this name: the one of this server, or else that of another source.
    pub(crate) fn find_exact(&self, name: &str) -> Result<Option<Run>, ToolError> {
        if let Some(run) = self.store.run(&ServerState::key(name))? {
            return Ok(Some(run));
        }
        let runs = self.store.find(name)?.into_iter();
        Ok(runs.filter(|run| run.session == name && run.agent.is_empty()).find(|run| self.is_visible(run)))
    }

    /// Checks that a run is one of this server.
    pub(crate) fn check_own(run: &Run) -> Result<(), ToolError> {
        if run.source == SOURCE {
            return Ok(());
        }
        Err(ToolError::new(
            format!("Run {:?} belongs to {:?}, not to this server", run.session, run.source),
            "Its tasks are judged where it runs; task_status and explain_run can show it",
        ))
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.options.settings
    }
}

/// Returns the configurations of the guards and of the series. The task detector of the guards is off, because the series
/// judges tasks when it is asked.
pub(crate) fn guard_configs(settings: &Settings) -> Result<(Config, Config), ServeError> {
    let config = |settings| Config::new(settings).map_err(|error| ServeError::Config(error.to_string()));
    let steps = settings.clone().with_mode(DetectorName::Task, Mode::Off);
    Ok((config(steps)?, config(settings.clone())?))
}

fn try_change<T>(
    store: &mut dyn Store,
    options: &McpOptions,
    (steps, config): (&Config, &Config),
    key: &RunKey,
    scope: CallScope,
    call: &impl Fn(&mut CallTransaction) -> Result<T, ToolError>,
) -> Result<T, ChangeFailure> {
    let now = now();
    let stored = store.begin(key, &options.folder, now)?;
    let tasks = match scope {
        CallScope::Steps => Vec::new(),
        CallScope::Tasks => stored.roadmap()?,
    };
    let mut transaction = CallTransaction::restore(stored.state(), steps, config, &key.session, now)?;
    transaction.tasks = tasks;
    let answer = call(&mut transaction)?;
    stored.commit(transaction.into_change()?)?;
    Ok(answer)
}

fn session_names(runs: &[Run]) -> String {
    let names: Vec<String> = runs.iter().take(NAMED_RUNS).map(|run| format!("{:?}", run.session)).collect();
    names.join(", ")
}
