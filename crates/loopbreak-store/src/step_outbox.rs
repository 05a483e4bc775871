//! Steps that have to be sent to a server.
//!
//! A step is added in the transaction that records it, so it is sent if and only if the local guard has seen it. It is removed
//! after the server has acknowledged it. If the process ends in between, it is sent again with the same key, and the server counts
//! it once.

use serde::Serialize;

use crate::StoreError;

/// Largest number of steps that are kept for all servers. The oldest ones are dropped for newer ones.
pub const MAX_UNSENT_STEPS: u64 = 10_000;
/// Largest number of bytes of all steps that are kept.
pub(crate) const MAX_UNSENT_BYTES: u64 = 64 * 1024 * 1024;

/// A step that has to be sent to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUnsentStep {
    /// Address of the server. A step is never sent to another one.
    pub server: String,
    /// Name of the run at the server.
    pub run: String,
    /// Idempotency key of the step.
    pub key: String,
    /// The step as JSON, with its run and its key, without secrets.
    pub step: String,
}

/// A step that waits to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsentStep {
    /// Number of the step. Later steps have larger numbers.
    pub id: i64,
    /// Name of the run at the server.
    pub run: String,
    /// Idempotency key of the step.
    pub key: String,
    /// The step as JSON.
    pub step: String,
}

/// The state of a server, and of the steps for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutboxState {
    /// Address of the server.
    pub server: String,
    /// Number of steps that wait to be sent.
    pub waiting: u64,
    /// Number of their bytes.
    pub bytes: u64,
    /// Number of steps that were dropped because too many were waiting.
    pub dropped: u64,
    /// Number of steps that the server refused for good.
    pub refused: u64,
    /// The server, as it answered last.
    #[serde(flatten)]
    pub backoff: ServerBackoff,
}

impl OutboxState {
    /// Describes the steps that did not reach the server, for people. Empty if all did.
    pub fn describe(&self) -> Vec<String> {
        let server = loopbreak::text::printable(&self.server);
        let counted = |count: u64| format!("{count} step{}", if count == 1 { "" } else { "s" });
        let mut texts = Vec::new();
        if self.waiting > 0 {
            let failure = loopbreak::text::printable(&self.backoff.last_failure);
            let why = if failure.is_empty() { String::new() } else { format!(": {failure}") };
            texts.push(format!("{} to be sent to {server}{why}", counted(self.waiting)));
        }
        if self.dropped > 0 {
            texts.push(format!(
                "{} dropped, because too many were to be sent to {server}",
                counted(self.dropped)
            ));
        }
        if self.refused > 0 {
            texts.push(format!("{} refused by {server}", counted(self.refused)));
        }
        texts
    }
}

/// The time until which a server is not asked, because it did not answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerBackoff {
    /// Number of failures in a row.
    pub failures: u32,
    /// Time in milliseconds since 1970 before which the server is not asked.
    pub retry_at: i64,
    /// The last failure. Empty if there was none.
    pub last_failure: String,
}

/// Keeps steps that have to be sent to servers. [`RunChange::unsent`](crate::RunChange::unsent) adds them.
pub trait StepOutbox {
    /// Returns what is known about each server.
    fn states(&self) -> Result<Vec<OutboxState>, StoreError>;

    /// Returns what is known about a server. Nothing is stored about one that was never asked.
    fn state(&self, server: &str) -> Result<OutboxState, StoreError>;

    /// Returns the oldest steps for a server, of one run or of all, in order. At least one is returned if there is one, and the
    /// others only as far as all have at most `bytes` bytes.
    fn waiting(
        &self,
        server: &str,
        run: Option<&str>,
        limit: usize,
        bytes: usize,
    ) -> Result<Vec<UnsentStep>, StoreError>;

    /// Removes steps that the server has acknowledged.
    fn remove(&mut self, server: &str, steps: &[UnsentStep]) -> Result<(), StoreError>;

    /// Removes a step that the server refuses for good, and counts it.
    fn refuse(&mut self, server: &str, step: &UnsentStep) -> Result<(), StoreError>;

    /// Stores how a server answered last.
    fn set_backoff(&mut self, server: &str, backoff: &ServerBackoff) -> Result<(), StoreError>;
}
