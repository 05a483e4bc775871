//! The runs of a service, by id.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use loopbreak::Config;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::engine_call::lock;
use crate::python_config::read_optional_config;
use crate::python_run::{PythonRun, read_id, read_store};
use crate::run_keeper::RunKeeper;
use crate::run_store::RunStore;

/// Number of snapshots for each run that is kept whole.
const SNAPSHOTS_PER_RUN: usize = 16;

/// The runs of a service, by id. The least recently used ones are kept as snapshots.
#[pyclass(frozen, module = "loopbreak", name = "Runs")]
#[derive(Debug)]
pub(crate) struct PythonRuns {
    config: Config,
    store: Option<Arc<RunStore>>,
    max_runs: usize,
    kept: Mutex<KeptRuns>,
}

#[derive(Debug, Default)]
struct KeptRuns {
    runs: BTreeMap<String, (u64, KeptRun)>,
    /// Number of runs that are kept whole.
    whole: usize,
    /// Number of uses.
    uses: u64,
}

#[derive(Debug)]
enum KeptRun {
    Whole(Arc<RunKeeper>),
    Snapshot(String),
}

#[pymethods]
impl PythonRuns {
    /// Creates an empty collection. All its runs have the same settings and the same store.
    #[new]
    #[pyo3(signature = (config=None, store=None, max_runs=1000))]
    fn new(
        config: Option<&Bound<'_, PyAny>>,
        store: Option<&Bound<'_, PyAny>>,
        max_runs: usize,
    ) -> PyResult<Self> {
        if max_runs == 0 {
            return Err(PyValueError::new_err("max_runs must be at least 1"));
        }
        let (config, store) = (read_optional_config(config)?, read_store(store)?);
        Ok(PythonRuns { config, store, max_runs, kept: Mutex::default() })
    }

    /// Returns the run with this id. A new one is created if it is not known.
    fn get(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<PythonRun> {
        let id = read_id(id)?;
        let mut kept = lock(py, &self.kept);
        kept.uses += 1;
        let used = kept.uses;
        let known = kept.runs.get_mut(&id);
        let run = match known {
            Some((last, KeptRun::Whole(run))) => {
                *last = used;
                return Ok(PythonRun(run.clone()));
            }
            Some((_, KeptRun::Snapshot(text))) => {
                Arc::new(RunKeeper::restore(py, id.clone(), self.config.clone(), text)?)
            }
            None => Arc::new(match &self.store {
                Some(store) => RunKeeper::stored(id.clone(), self.config.clone(), store.clone()),
                None => RunKeeper::in_memory(id.clone(), self.config.clone()),
            }),
        };
        kept.runs.insert(id, (used, KeptRun::Whole(run.clone())));
        kept.whole += 1;
        kept.make_room(py, self.max_runs);
        Ok(PythonRun(run))
    }

    /// Forgets a run. Its state in a store is kept.
    fn forget(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = read_id(id)?;
        let mut kept = lock(py, &self.kept);
        if let Some((_, KeptRun::Whole(_))) = kept.runs.remove(&id) {
            kept.whole -= 1;
        }
        Ok(())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        lock(py, &self.kept).runs.len()
    }

    fn __contains__(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = read_id(id)?;
        Ok(lock(py, &self.kept).runs.contains_key(&id))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Runs(runs={}, max_runs={})", self.__len__(py), self.max_runs)
    }
}

impl KeptRuns {
    /// Replaces the least recently used runs by snapshots, and forgets the oldest snapshots. A run that somebody else holds stays
    /// whole: it may still change.
    fn make_room(&mut self, py: Python<'_>, max_runs: usize) {
        if self.whole > max_runs {
            // Some more than needed, so that not every new run has to look at all others.
            let target = max_runs - max_runs / 16;
            let mut idle: Vec<(u64, String)> = Vec::new();
            for (id, (used, run)) in &self.runs {
                if let KeptRun::Whole(run) = run
                    && Arc::strong_count(run) == 1
                {
                    idle.push((*used, id.clone()));
                }
            }
            idle.sort_unstable();
            for (_, id) in idle.into_iter().take(self.whole - target) {
                self.pack(py, &id);
            }
        }
        while self.runs.len() > max_runs.saturating_mul(1 + SNAPSHOTS_PER_RUN) {
            let snapshots = self.runs.iter().filter(|(_, (_, run))| matches!(run, KeptRun::Snapshot(_)));
            let oldest = snapshots.min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { break };
            self.runs.remove(&oldest);
        }
    }

    fn pack(&mut self, py: Python<'_>, id: &str) {
        let Some((used, KeptRun::Whole(run))) = self.runs.get(id) else { return };
        let used = *used;
        self.whole -= 1;
        if run.store().is_some() {
            // The store has everything.
            self.runs.remove(id);
            return;
        }
        match run.snapshot(py) {
            Ok(text) => _ = self.runs.insert(id.to_owned(), (used, KeptRun::Snapshot(text))),
            Err(_) => _ = self.runs.remove(id),
        }
    }
}
