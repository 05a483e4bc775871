//! Answers that wait until everything is stored.

use std::collections::BTreeMap;
use std::time::Instant;

use loopbreak_store::service::ServiceRunKey;
use tokio::sync::oneshot;

use super::run_call::RunCallAnswer;
use super::service_counters::ServiceCounters;
use crate::service::{IngestError, StepAnswer};

/// A command that was carried out, and is answered when everything is stored.
pub(super) enum PendingReply {
    Steps {
        answers: Result<Vec<StepAnswer>, IngestError>,
        runs: Vec<ServiceRunKey>,
        arrived: Instant,
        reply: oneshot::Sender<Result<Vec<StepAnswer>, IngestError>>,
    },
    Call {
        answer: Result<RunCallAnswer, IngestError>,
        run: ServiceRunKey,
        reply: oneshot::Sender<Result<RunCallAnswer, IngestError>>,
    },
}

impl PendingReply {
    /// Answers. A run in `lost` was not stored.
    pub(super) fn send(self, lost: &BTreeMap<ServiceRunKey, IngestError>, counters: &ServiceCounters) {
        match self {
            PendingReply::Steps { answers, runs, arrived, reply } => {
                let failure = runs.iter().find_map(|run| lost.get(run).cloned());
                let answers = match failure {
                    Some(failure) => Err(failure),
                    None => answers,
                };
                if let Ok(answers) = &answers {
                    counters.count_steps(answers.len() as u64, arrived.elapsed());
                }
                // The client may have left.
                let _ = reply.send(answers);
            }
            PendingReply::Call { answer, run, reply } => {
                let _ = reply.send(match lost.get(&run) {
                    Some(failure) => Err(failure.clone()),
                    None => answer,
                });
            }
        }
    }
}
