//! Records a run in the store, so that it can be shown and continued.

use std::collections::BTreeMap;
use std::fs::File;
use std::thread;
use std::time::{Duration, Instant};

use loopbreak::detectors::SharedSpending;
use loopbreak::{Config, Guard, Verdict};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{
    AgentProcess, Run, RunChange, RunEvent, RunKey, RunLock, RunRecords, RunState, RunnerState, SessionCost,
    Store, StoreError, StoreHealing, StoreUrl, StoredAttempt, StoredEvent, change_with_healing, default_path,
    now,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::PARENT_RUN_VARIABLE;
use crate::error::RunError;
use crate::observer::RunObserver;

/// The name of the program in the store.
const SOURCE: &str = "run";
/// The longest wait for the processes of a runner that was killed.
const LEFTOVER_TIMEOUT: Duration = Duration::from_secs(6);
/// The number of latest runs that are searched for the one to continue.
const MAX_RUNS: usize = 1000;
/// The time for which a store that failed is left alone.
const RETRY_PAUSE: Duration = Duration::from_secs(15);
/// The number of events that wait for a store that failed. The state of the run is kept in any case.
const MAX_UNSAVED: usize = 1000;

/// The number of attempts that other programs recorded, by the id of their run and the task.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttemptCounts(BTreeMap<(i64, String), u64>);

/// The run in the store.
#[derive(Debug)]
pub(crate) struct RunRecorder<'o> {
    observer: &'o dyn RunObserver,
    store: Option<Box<dyn Store>>,
    key: RunKey,
    folder: String,
    state: RunState,
    /// Prevents other processes from continuing the run.
    lock: Option<RunLock>,
    /// Events that could not be stored yet, with their records.
    unsaved: (Vec<RunEvent>, RunRecords),
    /// Time of the last failure of the store. It is left alone for a while after one.
    failed: Option<Instant>,
}

impl<'o> RunRecorder<'o> {
    /// Starts a new run, or continues the last one of this command in this folder.
    pub(crate) fn open(
        command: &[String],
        config: &Config,
        resume: bool,
        observer: &'o dyn RunObserver,
    ) -> Result<(Self, Guard, RunnerState), RunError> {
        let command = &format!("{:016x}", xxh3_64(format!("{command:?}").as_bytes()));
        let folder = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
        let now = now();
        let store = match default_path(|name| std::env::var_os(name)) {
            Some(path) => loopbreak_store::open(&StoreUrl::from(path)).map_err(|error| error.to_string()),
            None => Err("no folder for the store: set XDG_STATE_HOME or HOME".to_owned()),
        };
        let store = match store {
            Ok(store) => Some(store),
            Err(why) if resume => return Err(RunError::failed(format!("--resume: {why}"))),
            Err(why) => {
                observer.warning(&format!("{why}; this run is not recorded"));
                None
            }
        };
        let name = xxh3_64(format!("{folder}\0{command}\0{now}\0{}", std::process::id()).as_bytes());
        let session = format!("{name:016x}")[..12].to_owned();
        let key = RunKey { source: SOURCE.to_owned(), session, agent: String::new() };
        let mut recorder = RunRecorder {
            observer,
            store,
            key,
            folder,
            state: RunState::default(),
            lock: None,
            unsaved: (Vec::new(), RunRecords::default()),
            failed: None,
        };
        if resume && let Some((key, text, mut runner_state)) = recorder.find_last_run(command)? {
            recorder.key = key;
            if !recorder.lock_after_leftovers() {
                return Err(RunError::failed(format!(
                    "run {} is active in another process",
                    recorder.session()
                ))
                .hint("wait until it ends, or leave out --resume to start a new run"));
            }
            recorder.state = RunState::parse(Some(&text), |text| observer.message(text));
            let guard = recorder.state.guard.restore(config.clone(), &recorder.key.session);
            let guard = guard.map_err(|error| RunError::failed(error.to_string()))?;
            runner_state.paused =
                runner_state.paused.saturating_add(now.saturating_sub(runner_state.at).max(0));
            return Ok((recorder, guard, runner_state));
        }
        if resume {
            observer.message("there is no earlier run of this command in this folder; starting a new one");
        }
        recorder.lock();
        let guard = Guard::new(config.clone()).for_run(&recorder.key.session);
        let runner_state =
            RunnerState { command: command.clone(), started: now, at: now, ..RunnerState::default() };
        Ok((recorder, guard, runner_state))
    }

    /// Locks the run. Returns false if another process holds the lock. A failure to lock does not prevent the
    /// run.
    fn lock(&mut self) -> bool {
        let Some(store) = &self.store else { return true };
        match store.lock(&self.key) {
            Ok(lock) => {
                self.lock = lock;
                self.lock.is_some()
            }
            Err(error) => {
                self.observer.warning(&format!("{error}; two processes may continue this run at once"));
                true
            }
        }
    }

    /// Locks a run to continue it. If its runner was killed, a guardian holds the lock for a moment, until all processes
    /// have ended.
    fn lock_after_leftovers(&mut self) -> bool {
        let began = Instant::now();
        while !self.lock() {
            if began.elapsed() >= LEFTOVER_TIMEOUT {
                return false;
            }
            thread::sleep(Duration::from_millis(50));
        }
        true
    }

    /// Returns the lock in a form that another process can inherit.
    pub(crate) fn shared_lock(&self) -> Option<File> {
        self.lock.as_ref().and_then(|lock| lock.share().ok().flatten())
    }

    /// Returns the last run of a command in this folder, with its stored state.
    fn find_last_run(&self, command: &str) -> Result<Option<(RunKey, String, RunnerState)>, RunError> {
        let Some(store) = &self.store else { return Ok(None) };
        let is_here = |run: &Run| run.source == SOURCE && run.folder == self.folder;
        for run in store.runs(i64::MIN, MAX_RUNS)?.into_iter().filter(is_here) {
            let Some(text) = store.state(&run.key())? else { continue };
            if let Some(runner) = RunnerState::from_state_json(&text)
                && runner.command == command
            {
                return Ok(Some((run.key(), text, runner)));
            }
        }
        Ok(None)
    }

    /// Returns at most `max` finished runs of the same command and prompt in this folder, the oldest first.
    pub(crate) fn earlier_runs(
        &self,
        runner_state: &RunnerState,
        max: usize,
    ) -> Vec<(Run, Vec<StoredEvent>)> {
        let Some(store) = &self.store else { return Vec::new() };
        let is_here =
            |run: &Run| run.source == SOURCE && run.folder == self.folder && run.session != self.key.session;
        let is_same_job = |run: &Run| {
            let text = store.state(&run.key()).ok().flatten()?;
            let runner = RunnerState::from_state_json(&text)?;
            (runner.command == runner_state.command && runner.prompt == runner_state.prompt).then_some(())
        };
        // A locked run is still active, and its end is unknown.
        let has_ended = |run: &Run| run.ended.is_some() || !matches!(store.lock(&run.key()), Ok(None));
        let runs = store.runs(i64::MIN, MAX_RUNS).unwrap_or_default().into_iter();
        let mut runs: Vec<Run> = runs
            .filter(is_here)
            .filter(|run| is_same_job(run).is_some())
            .filter(has_ended)
            .take(max)
            .collect();
        runs.sort_by_key(|run| run.started);
        runs.into_iter().map(|run| (run.clone(), store.events(&run).unwrap_or_default())).collect()
    }

    /// Records what the run has cost so far, and returns what all sessions have spent. `None` if the store cannot say it.
    pub(crate) fn record_cost(&mut self, usd: f64) -> Option<SharedSpending> {
        let now = now();
        let parent = std::env::var(PARENT_RUN_VARIABLE).unwrap_or_default();
        let (session, part) = (self.key.session.clone(), String::new());
        let cost = SessionCost { session, part, parent, usd, at: now };
        let store = self.store.as_mut()?;
        let spent = store.record_costs(&[cost], now).and_then(|()| store.spending(&self.key.session, now));
        spent.map_err(|error| self.observer.warning(&format!("cannot record the cost: {error}"))).ok()
    }

    pub(crate) fn session(&self) -> &str {
        &self.key.session
    }

    /// Returns whether the run is recorded, so that other programs can see and change it.
    pub(crate) fn is_recorded(&self) -> bool {
        self.store.is_some()
    }

    /// Returns the current tasks of the run, with the changes of other programs. `None` if they are not
    /// stored.
    pub(crate) fn roadmap(&self) -> Option<Vec<RoadmapTask>> {
        let store = self.store.as_ref()?;
        let stored = store.run(&self.key).and_then(|run| run.map(|run| store.roadmap(&run)).transpose());
        match stored {
            Ok(tasks) => tasks.filter(|tasks| !tasks.is_empty()),
            Err(error) => {
                self.observer.warning(&format!("{error}; continuing with the tasks as last read"));
                None
            }
        }
    }

    /// Returns the attempts that other programs with the same session recorded for this run since they were
    /// counted. They are distinguished by their numbers, because their times may come from any clock.
    pub(crate) fn attempts_since(&self, counted: &AttemptCounts) -> Vec<StoredAttempt> {
        let mut attempts = Vec::new();
        for (run, attempt) in self.attempts_of_others() {
            let before = counted.0.get(&(run, attempt.task.clone())).copied().unwrap_or_default();
            if attempt.number > before {
                attempts.push(attempt);
            }
        }
        attempts
    }

    /// Counts the attempts that other programs recorded until now.
    pub(crate) fn count_attempts(&self) -> AttemptCounts {
        let attempts = self.attempts_of_others().into_iter();
        AttemptCounts(attempts.map(|(run, attempt)| ((run, attempt.task), attempt.number)).collect())
    }

    /// Returns the attempts that other programs recorded, with the ids of their runs, in order of run and
    /// task.
    fn attempts_of_others(&self) -> Vec<(i64, StoredAttempt)> {
        let Some(store) = &self.store else { return Vec::new() };
        let is_other_program = |run: &Run| run.session == self.key.session && run.source != SOURCE;
        let runs = store.find(&self.key.session).unwrap_or_default().into_iter().filter(is_other_program);
        let with_run_id = |run: Run| {
            store.attempts(&run).unwrap_or_default().into_iter().map(move |attempt| (run.id, attempt))
        };
        runs.flat_map(with_run_id).collect()
    }

    /// Adds the findings of the guard to the state.
    pub(crate) fn add_findings(&mut self, verdict: &Verdict, at: i64) {
        self.state.guard.note_findings(verdict, at);
    }

    /// Stores an event and the state of the run after it. If the store fails, that is shown, and the event is stored with a
    /// later one. Returns the tasks that another program changed since they were read: their changes in this event are
    /// dropped.
    pub(crate) fn write(
        &mut self,
        event: &RecordedEvent<'_>,
        guard: &Guard,
        runner_state: &mut RunnerState,
    ) -> Vec<String> {
        let now = now();
        runner_state.at = now;
        if self.store.is_none() {
            return Vec::new();
        }
        // The last event is tried in any case.
        let waits = self.failed.is_some_and(|failed| failed.elapsed() < RETRY_PAUSE) && !event.ended;
        let written = if waits { None } else { Some(self.try_write(event, guard, runner_state, now)) };
        match written {
            Some(Ok(by_others)) => {
                self.unsaved = (Vec::new(), RunRecords::default());
                if self.failed.take().is_some() {
                    self.observer.message("this run is recorded again");
                }
                return by_others;
            }
            Some(Err(why)) => {
                if self.failed.is_none() {
                    self.observer.warning(&format!("{why}; recording this run is tried again later"));
                }
                self.failed = Some(Instant::now());
            }
            None => {}
        }
        if self.unsaved.0.len() < MAX_UNSAVED {
            let records = event.all_records(now);
            self.unsaved.0.extend(event.event.clone());
            extend(&mut self.unsaved.1, records);
        }
        Vec::new()
    }

    /// Sets the process of the command, which is stored with the state.
    pub(crate) fn set_process(&mut self, process: Option<AgentProcess>) {
        self.state.process = process;
    }

    /// Stores the state of the run without an event.
    pub(crate) fn write_state(&mut self, guard: &Guard, runner_state: &mut RunnerState) {
        self.write(&RecordedEvent::state_only(), guard, runner_state);
    }

    fn try_write(
        &mut self,
        event: &RecordedEvent<'_>,
        guard: &Guard,
        runner_state: &RunnerState,
        now: i64,
    ) -> Result<Vec<String>, String> {
        self.find_store_again()?;
        let Some(store) = &mut self.store else { return Ok(Vec::new()) };
        let mut state = self.state.clone();
        state.guard.save(guard);
        state.runner = Some(runner_state.clone());
        let state = state.into_json().map_err(|error| error.to_string())?;
        let (mut events, mut all_records) = self.unsaved.clone();
        events.extend(event.event.clone());
        extend(&mut all_records, event.all_records(now));
        let write = |store: &mut dyn Store| {
            let transaction = store.begin(&self.key, &self.folder, now)?;
            let mut by_others = Vec::new();
            if !event.records.roadmap.is_empty() {
                by_others = event.changed_by_others(&transaction.roadmap()?);
            }
            let mut records = all_records.clone();
            records.roadmap.retain(|task| !by_others.contains(&task.id));
            records.tasks.retain(|task| !by_others.contains(&task.id));
            transaction.commit(RunChange {
                state: Some(state.clone()),
                events: events.clone(),
                records,
                ended: event.ended,
                cost: None,
                unsent: Vec::new(),
            })?;
            Ok(by_others)
        };
        let observer = self.observer;
        let report = |healing: &StoreHealing| match healing {
            StoreHealing::PutAside { path } => observer.warning(&format!(
                "the store was damaged and was moved to {}; this run is recorded in a new one",
                path.display()
            )),
            _ => observer.warning("the record of this run was damaged; it is started over"),
        };
        change_with_healing(&mut **store, &self.key, write, |error: &StoreError| Some(error), report)
            .map_err(|error| error.to_string())
    }

    /// Opens the store again if its file was removed or replaced. The state of the run is written as a whole with each event,
    /// so its limits go on in the new store.
    fn find_store_again(&mut self) -> Result<(), String> {
        let Some(store) = &mut self.store else { return Ok(()) };
        if store.refresh().map_err(|error| error.to_string())? {
            self.observer.warning(
                "the store was moved, removed or replaced; this run is recorded in the new one, without its earlier events",
            );
            self.lock = None;
            self.lock();
        }
        Ok(())
    }
}

/// Adds records to others.
fn extend(all: &mut RunRecords, records: RunRecords) {
    all.tasks.extend(records.tasks);
    all.roadmap.extend(records.roadmap);
    all.attempts.extend(records.attempts);
    all.context.extend(records.context);
    all.recoveries.extend(records.recoveries);
}

/// An event to be stored.
#[derive(Debug)]
pub(crate) struct RecordedEvent<'v> {
    /// Absent if only the state is stored.
    pub(crate) event: Option<RunEvent>,
    pub(crate) verdict: Option<&'v Verdict>,
    /// Further records that are stored with the event.
    pub(crate) records: RunRecords,
    /// The tasks as they were read, before the changes in `records`.
    pub(crate) known: &'v [RoadmapTask],
    pub(crate) ended: bool,
}

impl RecordedEvent<'_> {
    pub(crate) fn new(event: RunEvent) -> Self {
        RecordedEvent { event: Some(event), ..Self::state_only() }
    }

    fn state_only() -> Self {
        RecordedEvent { event: None, verdict: None, records: RunRecords::default(), known: &[], ended: false }
    }

    /// Returns the records of the event, with those of its verdict.
    fn all_records(&self, now: i64) -> RunRecords {
        let mut records = self.records.clone();
        if let Some(verdict) = self.verdict {
            records.add_verdict(verdict, now);
        }
        records
    }

    /// Returns the tasks in `records` that changed in the store since they were read.
    fn changed_by_others(&self, tasks: &[RoadmapTask]) -> Vec<String> {
        let find = |tasks: &[RoadmapTask], id: &str| tasks.iter().find(|task| task.id == id).cloned();
        let ids = self.records.roadmap.iter().map(|task| task.id.as_str());
        let changed = ids.filter(|id| {
            let now = find(tasks, id);
            now.is_some() && now != find(self.known, id)
        });
        changed.map(str::to_owned).collect()
    }
}
