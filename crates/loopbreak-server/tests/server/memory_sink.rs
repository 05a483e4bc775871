//! A sink that shows steps to guards in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use loopbreak::{Config, Guard};
use loopbreak_server::service::{IngestError, IngestItem, ProjectName, StepAnswer, StepSink};

/// Guards by project and run.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemorySink {
    runs: Arc<Mutex<BTreeMap<(String, String), GuardedSinkRun>>>,
    errors: Arc<Mutex<Vec<IngestError>>>,
}

/// A run and what was seen of it.
#[derive(Debug)]
pub(crate) struct GuardedSinkRun {
    guard: Guard,
    keys: BTreeSet<String>,
    /// The steps in the native format.
    pub(crate) steps: Vec<String>,
    /// Turn and pattern of each finding.
    pub(crate) findings: Vec<String>,
}

impl Default for GuardedSinkRun {
    fn default() -> Self {
        let guard = Guard::new(Config::default());
        GuardedSinkRun { guard, keys: BTreeSet::new(), steps: Vec::new(), findings: Vec::new() }
    }
}

impl GuardedSinkRun {
    /// Shows a step to the guard.
    pub(crate) fn observe(&mut self, step: &loopbreak::Step<'_>) {
        self.steps.push(serde_json::to_string(step).unwrap());
        for finding in self.guard.observe(step).findings {
            self.findings.push(format!("{} {:?} {:?}", finding.turn, finding.pattern, finding.severity));
        }
    }
}

impl MemorySink {
    /// Fails the next call.
    pub(crate) fn fail(&self, error: IngestError) {
        self.errors.lock().unwrap().push(error);
    }

    /// Returns the steps of a run.
    pub(crate) fn steps(&self, project: &str, run: &str) -> Vec<String> {
        self.read(project, run, |run| run.steps.clone())
    }

    /// Returns the findings of a run.
    pub(crate) fn findings(&self, project: &str, run: &str) -> Vec<String> {
        self.read(project, run, |run| run.findings.clone())
    }

    fn read(
        &self,
        project: &str,
        run: &str,
        read: impl FnOnce(&GuardedSinkRun) -> Vec<String>,
    ) -> Vec<String> {
        let runs = self.runs.lock().unwrap();
        runs.get(&(project.to_owned(), run.to_owned())).map(read).unwrap_or_default()
    }
}

impl StepSink for MemorySink {
    async fn ingest(
        &self,
        project: &ProjectName,
        items: Vec<IngestItem>,
    ) -> Result<Vec<StepAnswer>, IngestError> {
        if let Some(error) = self.errors.lock().unwrap().pop() {
            return Err(error);
        }
        let mut runs = self.runs.lock().unwrap();
        for item in items {
            let run = runs.entry((project.to_string(), item.run)).or_default();
            if item.key.is_none_or(|key| run.keys.insert(key)) {
                run.observe(&item.step);
            }
        }
        Ok(Vec::new())
    }
}
