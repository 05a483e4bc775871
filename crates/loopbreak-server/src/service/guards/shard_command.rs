//! Commands to a thread with guards.

use std::time::Instant;

use loopbreak_store::service::ServiceRunKey;
use tokio::sync::oneshot;

use super::run_call::{RunCall, RunCallAnswer};
use crate::service::{IngestError, IngestItem, StepAnswer};

/// A command to a shard.
pub(super) enum ShardCommand {
    /// Observes steps.
    Steps {
        project: String,
        items: Vec<IngestItem>,
        arrived: Instant,
        reply: oneshot::Sender<Result<Vec<StepAnswer>, IngestError>>,
    },
    /// Carries out a call about a run.
    Call {
        key: ServiceRunKey,
        call: Box<RunCall>,
        idempotency: Option<String>,
        input: String,
        reply: oneshot::Sender<Result<RunCallAnswer, IngestError>>,
    },
    /// Reads the allowed loops of a project again.
    RefreshRules(String),
    /// Somebody asked to stop a run, or withdrew that.
    SetStop(ServiceRunKey, Option<String>),
    /// The run was deleted.
    Forget(ServiceRunKey),
    /// Puts all runs away and ends.
    End(oneshot::Sender<()>),
}

impl ShardCommand {
    /// Returns the number of steps that the command counts as.
    pub(super) fn steps(&self) -> usize {
        match self {
            ShardCommand::Steps { items, .. } => items.len(),
            ShardCommand::Call { .. } => 1,
            _ => 0,
        }
    }
}
