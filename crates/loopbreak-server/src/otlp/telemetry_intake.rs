//! Turns requests with telemetry into steps, and passes them on.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loopbreak_trace::{
    MAX_TELEMETRY_ITEMS, TelemetryBatch, TelemetryEncoding, TelemetryReader, TelemetrySignal, TelemetryStep,
};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::otlp_body::OtlpBody;
use crate::service::{IngestError, IngestItem, ProjectName, StepSink};

/// Maximum number of projects whose runs are remembered between requests.
const PROJECTS: usize = 1000;
/// Maximum number of requests that are read at the same time: each may use much memory.
const READERS: usize = 4;
/// Longest time that a request waits for its turn to be read. Exporters usually give up after ten seconds.
const TURN_TIME: Duration = Duration::from_secs(5);
/// Number of steps that are given to the sink at once.
const PART: usize = 500;
/// Maximum number of steps of a part that the sink may refuse one by one.
const REFUSALS: usize = 50;
/// Time after which a client may try again if the server is ending, or if too many requests wait.
const LATER: Duration = Duration::from_secs(5);

/// Takes requests with telemetry for the projects of a service.
pub struct TelemetryIntake<S> {
    sink: S,
    shared: Arc<IntakeState>,
}

struct IntakeState {
    /// The memory between requests. A lock of one project is held only while a request is read.
    projects: Mutex<BTreeMap<ProjectName, Arc<Mutex<TelemetryReader>>>>,
    readers: Arc<Semaphore>,
}

/// A request that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TakenTelemetry {
    /// Number of spans or events that were not used because they are not valid.
    pub(super) rejected: u64,
    /// A note for the sender; empty if there is nothing to say.
    pub(super) message: String,
}

/// The reason why a request was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IntakeError {
    /// The request cannot be read. Sending it again does not help.
    Malformed(String),
    /// The request is too large, as it was sent or unpacked.
    TooLarge,
    /// More arrives than can be handled.
    Overloaded(Duration),
    /// The steps cannot be stored now.
    Unavailable(Duration),
}

impl<S: Clone> Clone for TelemetryIntake<S> {
    fn clone(&self) -> Self {
        TelemetryIntake { sink: self.sink.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<S> fmt::Debug for TelemetryIntake<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelemetryIntake").finish_non_exhaustive()
    }
}

impl<S: StepSink> TelemetryIntake<S> {
    /// Creates an intake in front of a sink.
    pub fn new(sink: S) -> Self {
        let shared = IntakeState { projects: Mutex::default(), readers: Arc::new(Semaphore::new(READERS)) };
        TelemetryIntake { sink, shared: Arc::new(shared) }
    }

    /// Records the steps that wait for more telemetry of their runs. To be called before the server ends.
    pub async fn flush(&self) {
        let projects: Vec<_> = lock(&self.shared.projects)
            .iter()
            .map(|(project, reader)| (project.clone(), Arc::clone(reader)))
            .collect();
        for (project, reader) in projects {
            let held = lock(&reader).take_held();
            if !held.is_empty() {
                // The server ends: nobody could send them again.
                _ = self.sink.ingest(&project, items(held)).await;
            }
        }
    }

    /// Takes a request. It is stored when this returns.
    pub(super) async fn take(
        &self,
        project: &ProjectName,
        signal: TelemetrySignal,
        encoding: TelemetryEncoding,
        body: OtlpBody,
    ) -> Result<TakenTelemetry, IntakeError> {
        let reader = self.shared.reader(project);
        let permit = timeout(TURN_TIME, Arc::clone(&self.shared.readers).acquire_owned()).await;
        let permit = permit.map_err(|_| IntakeError::Overloaded(LATER))?;
        let permit = permit.map_err(|_| IntakeError::Unavailable(LATER))?;
        let read = {
            let reader = Arc::clone(&reader);
            tokio::task::spawn_blocking(move || {
                let batch = body.unpack().and_then(|body| {
                    let read = lock(&reader).read(signal, encoding, &body);
                    read.map_err(|error| IntakeError::Malformed(error.to_string()))
                });
                drop(permit);
                batch
            })
        };
        let mut batch = read.await.map_err(|_| IntakeError::Unavailable(LATER))??;
        let steps = items(std::mem::take(&mut batch.steps));
        match self.record(project, steps).await {
            Ok(refused) => Ok(TakenTelemetry::new(&batch, refused)),
            Err(error) => {
                // The client sends the request again.
                lock(&reader).undo(batch);
                Err(error)
            }
        }
    }

    /// Records steps without those that the sink refuses. Returns the number of refused ones and the reason of the first.
    async fn record(
        &self,
        project: &ProjectName,
        mut items: Vec<IngestItem>,
    ) -> Result<(u64, Option<String>), IntakeError> {
        let (mut refused, mut reason) = (0, None);
        // Parts that were recorded before a failure are recognized by their keys when the request is sent again.
        while !items.is_empty() {
            let rest = items.split_off(items.len().min(PART));
            let (more, why) = self.record_part(project, items).await?;
            refused += more;
            reason = reason.or(why);
            items = rest;
        }
        Ok((refused, reason))
    }

    async fn record_part(
        &self,
        project: &ProjectName,
        mut items: Vec<IngestItem>,
    ) -> Result<(u64, Option<String>), IntakeError> {
        let (mut refused, mut reason) = (0, None);
        while !items.is_empty() {
            match self.sink.ingest(project, items.clone()).await {
                Ok(_) => break,
                Err(IngestError::InvalidStep { index, message, .. }) if index < items.len() => {
                    items.remove(index);
                    refused += 1;
                    reason.get_or_insert(message);
                    if refused == REFUSALS {
                        refused += items.len();
                        break;
                    }
                }
                Err(IngestError::InvalidStep { message, .. }) => return Err(IntakeError::Malformed(message)),
                Err(IngestError::Overloaded { retry_after }) => {
                    return Err(IntakeError::Overloaded(retry_after));
                }
                Err(IngestError::Unavailable { retry_after, .. }) => {
                    return Err(IntakeError::Unavailable(retry_after));
                }
            }
        }
        Ok((refused as u64, reason))
    }
}

impl IntakeState {
    /// Returns the memory of a project.
    fn reader(&self, project: &ProjectName) -> Arc<Mutex<TelemetryReader>> {
        let mut projects = lock(&self.projects);
        if let Some(reader) = projects.get(project) {
            return Arc::clone(reader);
        }
        if projects.len() >= PROJECTS {
            // Only names of traces and the like are forgotten.
            projects.pop_first();
        }
        Arc::clone(projects.entry(project.clone()).or_default())
    }
}

impl TakenTelemetry {
    fn new(batch: &TelemetryBatch, (refused, reason): (u64, Option<String>)) -> Self {
        let mut notes = Vec::new();
        if batch.excess > 0 {
            notes.push(format!("a request may have at most {MAX_TELEMETRY_ITEMS} spans or events"));
        }
        if batch.invalid > 0 {
            notes.push("spans need a trace id and a span id".to_owned());
        }
        notes.extend(reason);
        if batch.hidden_calls > 0 {
            notes.push(format!(
                "{} tool calls were sent without arguments and results, so they cannot be compared: \
                 switch on the content of tool calls in the telemetry settings",
                batch.hidden_calls
            ));
        }
        TakenTelemetry { rejected: batch.excess + batch.invalid + refused, message: notes.join("; ") }
    }
}

/// Returns the items of steps. Steps without a run cannot be used.
fn items(steps: Vec<TelemetryStep>) -> Vec<IngestItem> {
    let item = |TelemetryStep { key, step, .. }| {
        let run = step.run.as_ref()?.as_text().trim().to_owned();
        (!run.is_empty()).then_some(IngestItem { run, key, step })
    };
    steps.into_iter().filter_map(item).collect()
}

/// A reader that panicked has changed nothing but its memory of names.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
