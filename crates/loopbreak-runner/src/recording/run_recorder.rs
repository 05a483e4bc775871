//! What is kept of a run in the store, so that it can be told and gone on with.

use std::collections::BTreeMap;

use loopbreak::{Config, Guard, Verdict};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{
    Run, RunChange, RunEvent, RunKey, RunLock, RunRecords, RunState, RunnerState, Store, StoreError,
    StoreUrl, StoredAttempt, StoredEvent, default_path, now,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::RunError;
use crate::observer::RunObserver;

/// The name of the program in the store.
const SOURCE: &str = "run";
/// Among how many of the latest runs one is looked for to go on with.
const RUNS: usize = 1000;

/// How many attempts at each task others had recorded, by the number of their run.
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
    /// Nobody else goes on with the run meanwhile.
    lock: Option<RunLock>,
}

impl<'o> RunRecorder<'o> {
    /// Begins a new run, or goes on with the last one of this command in this folder.
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
            None => Err("there is no folder for the store: set XDG_STATE_HOME or HOME".to_owned()),
        };
        let store = match store {
            Ok(store) => Some(store),
            Err(why) if resume => return Err(RunError::failed(format!("--resume: {why}"))),
            Err(why) => {
                observer.warning(&format!("{why}; nothing is kept of this run"));
                None
            }
        };
        let name = xxh3_64(format!("{folder}\0{command}\0{now}\0{}", std::process::id()).as_bytes());
        let session = format!("{name:016x}")[..12].to_owned();
        let key = RunKey { source: SOURCE.to_owned(), session, agent: String::new() };
        let mut keeper = RunRecorder { observer, store, key, folder, state: RunState::default(), lock: None };
        if resume && let Some((key, text, mut kept)) = keeper.last(command)? {
            keeper.key = key;
            if !keeper.lock() {
                return Err(RunError::failed(format!("run {} goes on in another process", keeper.session()))
                    .hint("wait for its end, or leave out --resume to begin another run"));
            }
            keeper.state = RunState::parse(Some(&text), |text| observer.message(text));
            let guard = keeper.state.guard.restore(config.clone(), &keeper.key.session);
            let guard = guard.map_err(|error| RunError::failed(error.to_string()))?;
            kept.paused = kept.paused.saturating_add(now.saturating_sub(kept.at).max(0));
            return Ok((keeper, guard, kept));
        }
        if resume {
            observer.message("there is no earlier run of this command in this folder; a new one begins");
        }
        keeper.lock();
        let guard = Guard::new(config.clone()).for_run(&keeper.key.session);
        let kept = RunnerState { command: command.clone(), started: now, at: now, ..RunnerState::default() };
        Ok((keeper, guard, kept))
    }

    /// Locks the run. Returns false if another process holds the lock. A failure to lock is no reason not to run.
    fn lock(&mut self) -> bool {
        let Some(store) = &self.store else { return true };
        match store.lock(&self.key) {
            Ok(lock) => {
                self.lock = lock;
                self.lock.is_some()
            }
            Err(error) => {
                self.observer.warning(&format!("{error}; two processes may go on with this run at once"));
                true
            }
        }
    }

    /// The last run of a command in this folder, as it was kept.
    fn last(&self, command: &str) -> Result<Option<(RunKey, String, RunnerState)>, RunError> {
        let Some(store) = &self.store else { return Ok(None) };
        let here = |run: &Run| run.source == SOURCE && run.folder == self.folder;
        for run in store.runs(i64::MIN, RUNS)?.into_iter().filter(here) {
            let Some(text) = store.state(&run.key())? else { continue };
            if let Some(runner) = RunnerState::from_state_json(&text)
                && runner.command == command
            {
                return Ok(Some((run.key(), text, runner)));
            }
        }
        Ok(None)
    }

    /// Runs of the same command and prompt in this folder that are over, the oldest first, at most so many.
    pub(crate) fn earlier(&self, kept: &RunnerState, most: usize) -> Vec<(Run, Vec<StoredEvent>)> {
        let Some(store) = &self.store else { return Vec::new() };
        let here =
            |run: &Run| run.source == SOURCE && run.folder == self.folder && run.session != self.key.session;
        let alike = |run: &Run| {
            let text = store.state(&run.key()).ok().flatten()?;
            let runner = RunnerState::from_state_json(&text)?;
            (runner.command == kept.command && runner.prompt == kept.prompt).then_some(())
        };
        // One that is locked goes on: nobody knows how it ends.
        let over = |run: &Run| run.ended.is_some() || !matches!(store.lock(&run.key()), Ok(None));
        let runs = store.runs(i64::MIN, RUNS).unwrap_or_default().into_iter();
        let mut runs: Vec<Run> =
            runs.filter(here).filter(|run| alike(run).is_some()).filter(over).take(most).collect();
        runs.sort_by_key(|run| run.started);
        runs.into_iter().map(|run| (run.clone(), store.events(&run).unwrap_or_default())).collect()
    }

    pub(crate) fn session(&self) -> &str {
        &self.key.session
    }

    /// Whether anything is kept, so that others can see and change it.
    pub(crate) fn is_kept(&self) -> bool {
        self.store.is_some()
    }

    /// The tasks of the run as they stand now, whoever changed them; nothing where they are not kept.
    pub(crate) fn roadmap(&self) -> Option<Vec<RoadmapTask>> {
        let store = self.store.as_ref()?;
        let asked = store.run(&self.key).and_then(|run| run.map(|run| store.roadmap(&run)).transpose());
        match asked {
            Ok(tasks) => tasks.filter(|tasks| !tasks.is_empty()),
            Err(error) => {
                self.observer.warning(&format!("{error}; going on with the tasks as they were"));
                None
            }
        }
    }

    /// The attempts that others recorded for this run, whoever has the same session, save those that were counted before. They
    /// are told apart by their numbers: the times that they bring along may be of any clock.
    pub(crate) fn attempts_beyond(&self, counted: &AttemptCounts) -> Vec<StoredAttempt> {
        let mut attempts = Vec::new();
        for (run, attempt) in self.attempts_of_others() {
            let before = counted.0.get(&(run, attempt.task.clone())).copied().unwrap_or_default();
            if attempt.number > before {
                attempts.push(attempt);
            }
        }
        attempts
    }

    /// How many attempts others recorded until now.
    pub(crate) fn count_attempts(&self) -> AttemptCounts {
        let attempts = self.attempts_of_others().into_iter();
        AttemptCounts(attempts.map(|(run, attempt)| ((run, attempt.task), attempt.number)).collect())
    }

    /// Those attempts with their runs, by run and task, in order.
    fn attempts_of_others(&self) -> Vec<(i64, StoredAttempt)> {
        let Some(store) = &self.store else { return Vec::new() };
        let same = |run: &Run| run.session == self.key.session && run.source != SOURCE;
        let runs = store.find(&self.key.session).unwrap_or_default().into_iter().filter(same);
        let of =
            |run: Run| store.attempts(&run).unwrap_or_default().into_iter().map(move |one| (run.id, one));
        runs.flat_map(of).collect()
    }

    /// Takes note of what the guard found.
    pub(crate) fn note(&mut self, verdict: &Verdict, at: i64) {
        self.state.guard.note_findings(verdict, at);
    }

    /// Keeps an event, and the run as it stands after it. A store that fails is told of, and done without. Gives the tasks that
    /// somebody else changed since they were read: that holds, and what the event makes of them is not kept.
    pub(crate) fn write(
        &mut self,
        event: &RecordedEvent<'_>,
        guard: &Guard,
        kept: &mut RunnerState,
    ) -> Vec<String> {
        let now = now();
        kept.at = now;
        self.try_write(event, guard, kept, now).unwrap_or_else(|why| {
            self.observer.warning(&format!("{why}; nothing more is kept of this run"));
            self.store = None;
            Vec::new()
        })
    }

    fn try_write(
        &mut self,
        event: &RecordedEvent<'_>,
        guard: &Guard,
        kept: &RunnerState,
        now: i64,
    ) -> Result<Vec<String>, String> {
        let Some(store) = &mut self.store else { return Ok(Vec::new()) };
        let mut state = self.state.clone();
        state.guard.save(guard);
        state.runner = Some(kept.clone());
        let state = state.into_json().map_err(|error| error.to_string())?;
        let mut records = event.records.clone();
        if let Some(verdict) = event.verdict {
            records.add_verdict(verdict, now);
        }
        let write = || {
            let transaction = store.begin(&self.key, &self.folder, now)?;
            let mut by_others = Vec::new();
            if !event.records.roadmap.is_empty() {
                by_others = event.changed_by_others(&transaction.roadmap()?);
            }
            records.roadmap.retain(|task| !by_others.contains(&task.id));
            records.tasks.retain(|task| !by_others.contains(&task.id));
            transaction.commit(RunChange {
                state: Some(state),
                events: vec![event.event.clone()],
                records,
                ended: event.ended,
            })?;
            Ok(by_others)
        };
        write().map_err(|error: StoreError| error.to_string())
    }
}

/// Something to be kept.
#[derive(Debug)]
pub(crate) struct RecordedEvent<'v> {
    pub(crate) event: RunEvent,
    pub(crate) verdict: Option<&'v Verdict>,
    /// What else it leaves behind.
    pub(crate) records: RunRecords,
    /// The tasks as they were read, before those among the records were changed.
    pub(crate) known: &'v [RoadmapTask],
    pub(crate) ended: bool,
}

impl RecordedEvent<'_> {
    pub(crate) fn new(event: RunEvent) -> Self {
        RecordedEvent { event, verdict: None, records: RunRecords::default(), known: &[], ended: false }
    }

    /// Which of the tasks that it changes are not as they were read.
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
