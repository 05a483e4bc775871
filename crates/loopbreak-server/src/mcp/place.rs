//! The store, the settings, and what every call needs of them: a run by its name, its guard, and a change of it in one
//! piece.

use loopbreak::{Config, DetectorName, Guard, Mode, Series, Settings};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{
    Records, Run, RunChange, RunEvent, RunKey, RunState, Store, StoreError, now, open, repair,
};

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
    pub(crate) store: Box<dyn Store>,
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
    pub(crate) state: RunState,
    pub(crate) guard: Guard,
    pub(crate) series: Series,
    /// The roadmap as it stands, for calls that are about tasks.
    pub(crate) tasks: Vec<RoadmapTask>,
    pub(crate) records: Records,
    pub(crate) now: i64,
    events: Vec<RunEvent>,
    attempted: bool,
}

impl Place {
    pub(crate) fn open(options: Options) -> Result<Self, ServeError> {
        let store = open(&options.store)?;
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
                self.store = repair(&self.options.store)?;
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
        let transaction = store.begin(&Place::key(run), &options.folder, now)?;
        let tasks = match about {
            About::Steps => Vec::new(),
            About::Tasks => transaction.roadmap()?,
        };
        let course = Course::taken_out(transaction.state(), steps, config, run, now);
        let mut course = Course { tasks, ..course.map_err(Failure::Call)? };
        let answer = call(&mut course).map_err(Failure::Call)?;
        transaction.commit(course.put_away().map_err(Failure::Call)?)?;
        Ok(answer)
    }

    /// The guard of a run, to be asked. A run that is not known yet has one that has seen nothing.
    pub(crate) fn guard(&self, run: &str) -> Result<Guard, Fault> {
        let kept = self.store.state(&Place::key(run))?;
        Ok(Course::taken_out(kept.as_deref(), &self.steps, &self.config, run, 0)?.guard)
    }

    /// What is kept of a run, to be asked.
    pub(crate) fn state(&self, run: &Run) -> Result<RunState, Fault> {
        Ok(RunState::parse(self.store.state(&run.key())?.as_deref(), |_| {}))
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
        let mut state = RunState::parse(kept, |_| {});
        let guard = state.guard.restore(steps.clone(), run);
        let guard = guard.map_err(|why| Fault::new(why.to_string(), "Nothing was recorded"))?;
        let attempted = state.series.attempts.is_some();
        let series = state.series.restore(config.clone());
        let (tasks, records, events) = (Vec::new(), Records::default(), Vec::new());
        Ok(Course { state, guard, series, tasks, records, now, events, attempted })
    }

    /// Adds a line to the log of the run.
    pub(crate) fn write(&mut self, event: RunEvent) {
        self.events.push(event);
    }

    /// Tasks are attempted in this run: the series is worth keeping.
    pub(crate) fn attempted(&mut self) {
        self.attempted = true;
    }

    fn put_away(mut self) -> Result<RunChange, Fault> {
        if self.attempted {
            self.state.series.save(&self.series);
        }
        self.state.guard.save(&self.guard);
        let state = self.state.into_json();
        let state = state.map_err(|why| Fault::new(why.to_string(), "Nothing was recorded"))?;
        Ok(RunChange { state: Some(state), events: self.events, records: self.records, ended: false })
    }
}

fn sessions(runs: &[Run]) -> String {
    let names: Vec<String> = runs.iter().take(NAMED).map(|run| format!("{:?}", run.session)).collect();
    names.join(", ")
}
