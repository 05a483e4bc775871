//! The store, the settings, and what every call needs of them: a run by its name, its guard, and a change of it in one
//! piece.

use loopbreak::{Config, DetectorName, Guard, Mode, Series, Settings};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{Change, Memory, Records, Run, RunKey, Sqlite, Store as _, StoreError, now};
use serde_json::Value;

use super::fault::Fault;
use super::server::{Options, ServeError};

/// The name of the program in the store.
pub(crate) const SOURCE: &str = "mcp";
/// The name of the runner there.
const RUNNER: &str = "run";
/// How many runs are named to whoever asks for one that is not there.
const NAMED: usize = 5;

/// All that a call works with.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) store: Sqlite,
    options: Options,
    /// What guards go by. Tasks are not theirs here: the series sees them, and waits to be asked.
    steps: Config,
    /// What the series goes by.
    pub(crate) config: Config,
}

/// What a call is about. A roadmap may be long: it is read only for those that need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Steps,
    Tasks,
}

/// A run while a call changes it.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) memory: Memory,
    pub(crate) guard: Guard,
    pub(crate) series: Series,
    /// The roadmap as it stands, for calls that are about tasks.
    pub(crate) tasks: Vec<RoadmapTask>,
    pub(crate) records: Records,
    pub(crate) now: i64,
    events: Vec<(String, String)>,
    attempted: bool,
}

impl Place {
    pub(crate) fn open(options: Options) -> Result<Self, ServeError> {
        let store = Sqlite::open(&options.store, now())?;
        let steps = options.settings.clone().with_mode(DetectorName::Task, Mode::Off);
        let config = |settings| Config::new(settings).map_err(|error| ServeError::Config(error.to_string()));
        let (steps, config) = (config(steps)?, config(options.settings.clone())?);
        Ok(Place { store, options, steps, config })
    }

    /// The key of a run of ours.
    pub(crate) fn key(run: &str) -> RunKey {
        RunKey { source: SOURCE.to_owned(), session: run.to_owned(), agent: String::new() }
    }

    /// Changes a run in one piece: its guard is taken out, `call` shows it something, and it is put away again with all
    /// that came of it. Where `call` fails, nothing is changed.
    pub(crate) fn change<T>(
        &mut self,
        run: &str,
        about: About,
        call: impl Fn(&mut Course) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let changed = match self.try_change(run, about, &call) {
            Err(Failure::Store(StoreError::Damaged(_))) => {
                // As with hooks: what is damaged is put aside, and a new store takes its place.
                self.store = Sqlite::renew(&self.options.store, now(), loopbreak_store::Options::default())?;
                self.try_change(run, about, &call)
            }
            changed => changed,
        };
        changed.map_err(|failure| match failure {
            Failure::Store(error) => error.into(),
            Failure::Call(fault) => fault,
        })
    }

    fn try_change<T>(
        &mut self,
        run: &str,
        about: About,
        call: &impl Fn(&mut Course) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        let now = now();
        let Place { store, options, steps, config } = self;
        let mut result = Err(Failure::Call(Fault::new("nothing was done", "Try again")));
        let mut change = |kept: Option<&str>, tasks| {
            let done = Course::taken_out(kept, steps, config, run, now).and_then(|course| {
                let mut course = Course { tasks, ..course };
                let answer = call(&mut course)?;
                Ok((course.put_away()?, answer))
            });
            let change;
            (change, result) = match done {
                Ok((change, answer)) => (Some(change), Ok(answer)),
                Err(fault) => (None, Err(Failure::Call(fault))),
            };
            change
        };
        let (key, folder) = (Place::key(run), &options.folder);
        match about {
            About::Steps => store.update(&key, folder, now, |kept| change(kept, Vec::new()))?,
            About::Tasks => store.update_tasks(&key, folder, now, change)?,
        }
        result
    }

    /// The guard of a run, to be asked. A run that is not known yet has one that has seen nothing.
    pub(crate) fn guard(&self, run: &str) -> Result<Guard, Fault> {
        let kept = self.store.snapshot(&Place::key(run))?;
        Ok(Course::taken_out(kept.as_deref(), &self.steps, &self.config, run, 0)?.guard)
    }

    /// What is kept of a run, to be asked.
    pub(crate) fn memory(&self, run: &Run) -> Result<Memory, Fault> {
        Ok(Memory::read(self.store.snapshot(&run.key())?.as_deref(), |_| {}))
    }

    /// The roadmap of a run of ours; empty where the run is not known yet.
    #[cfg(test)]
    pub(crate) fn roadmap(&self, run: &str) -> Result<Vec<RoadmapTask>, Fault> {
        match self.store.run(&Place::key(run))? {
            Some(run) => Ok(self.store.roadmap(&run)?),
            None => Ok(Vec::new()),
        }
    }

    /// A run to be told of: ours of this name, or else any whose session is or begins with it.
    pub(crate) fn find(&self, name: &str) -> Result<Run, Fault> {
        if let Some(run) = self.store.run(&Place::key(name))? {
            return Ok(run);
        }
        let mut runs: Vec<Run> = self.store.find(name)?;
        runs.retain(|run| run.agent.is_empty());
        if runs.iter().any(|run| run.session == name) {
            runs.retain(|run| run.session == name);
        }
        match runs.as_slice() {
            [run] => Ok(run.clone()),
            [] => {
                let known = self.store.runs(i64::MIN, NAMED)?;
                let hint = if known.is_empty() {
                    "No run is kept yet: record_step begins one".to_owned()
                } else {
                    format!("The latest runs are {}; record_step begins a new one", sessions(&known))
                };
                Err(Fault::new(format!("there is no run {name:?}"), hint))
            }
            some => Err(Fault::new(
                format!("more than one run begins with {name:?}"),
                format!("Name one of them: {}", sessions(some)),
            )),
        }
    }

    /// The run that has the roadmap of this name: a runner's, where there is one, for an agent that it started tells of its
    /// attempts under the same name.
    pub(crate) fn find_roadmap(&self, name: &str) -> Result<Run, Fault> {
        match self.runner(name)? {
            Some(run) => Ok(run),
            None => self.find(name),
        }
    }

    /// The run of `loopbreak run` of this name.
    pub(crate) fn runner(&self, name: &str) -> Result<Option<Run>, Fault> {
        Ok(self.store.run(&RunKey { source: RUNNER.to_owned(), ..Place::key(name) })?)
    }

    /// The run of a tool that judges tasks: ours, for only of ours the attempts are reported here.
    pub(crate) fn find_ours(&self, name: &str) -> Result<Run, Fault> {
        let run = self.find(name)?;
        if run.source == SOURCE {
            return Ok(run);
        }
        Err(Fault::new(
            format!("the run {:?} is one of {:?}, not of this server", run.session, run.source),
            "Its tasks are judged where it runs; task_status and explain_run tell of it",
        ))
    }

    /// The settings that hold.
    pub(crate) fn settings(&self) -> &Settings {
        &self.options.settings
    }
}

enum Failure {
    Store(StoreError),
    Call(Fault),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Store(error)
    }
}

impl Course {
    fn taken_out(
        kept: Option<&str>,
        steps: &Config,
        config: &Config,
        run: &str,
        now: i64,
    ) -> Result<Self, Fault> {
        // What cannot be read begins anew, as with hooks.
        let mut memory = Memory::read(kept, |_| {});
        let guard =
            memory.guard(steps.clone(), run).map_err(|why| Fault::new(why, "Nothing was recorded"))?;
        let attempted = memory.has_series();
        let series = memory.series(config.clone());
        let (tasks, records, events) = (Vec::new(), Records::default(), Vec::new());
        Ok(Course { memory, guard, series, tasks, records, now, events, attempted })
    }

    /// Adds a line to the log of the run.
    pub(crate) fn write(&mut self, kind: &str, detail: &Value) {
        self.events.push((kind.to_owned(), detail.to_string()));
    }

    /// Tasks are attempted in this run: the series is worth keeping.
    pub(crate) fn attempted(&mut self) {
        self.attempted = true;
    }

    fn put_away(mut self) -> Result<Change, Fault> {
        if self.attempted {
            self.memory.keep_series(&self.series);
        }
        let snapshot = self.memory.write(&self.guard);
        let snapshot = snapshot.map_err(|why| Fault::new(why, "Nothing was recorded"))?;
        Ok(Change { snapshot: Some(snapshot), events: self.events, records: self.records, ended: false })
    }
}

fn sessions(runs: &[Run]) -> String {
    let names: Vec<String> = runs.iter().take(NAMED).map(|run| format!("{:?}", run.session)).collect();
    names.join(", ")
}
