//! Additions to a run.

use super::{EntryKind, RunFigures, RunLease, RunVerdict};

/// Everything that one change adds to a run. It is stored as a whole or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct RunAppend {
    /// The lease under which the run is changed.
    pub lease: RunLease,
    /// New entries, with sequence numbers without a gap.
    pub entries: Vec<NewEntry>,
    /// Figures of the run after them.
    pub figures: RunFigures,
    /// State after them, if it is time for a snapshot.
    pub snapshot: Option<StateSnapshot>,
    /// Loops that were found.
    pub loops: Vec<LoopUpdate>,
}

/// A new entry.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEntry {
    /// Sequence number within the run, from 1.
    pub seq: u64,
    /// Time of the server, in milliseconds since 1970.
    pub at: i64,
    /// Kind.
    pub kind: EntryKind,
    /// Idempotency key.
    pub key: Option<String>,
    /// Verdict.
    pub verdict: RunVerdict,
    /// True if something was found.
    pub notable: bool,
    /// The content that was received, as JSON. Secrets are masked.
    pub input: String,
    /// The answer, as JSON.
    pub answer: String,
    /// Model, tokens and cost of the step, for the usage by day.
    pub model: String,
    /// Number of tokens.
    pub tokens: u64,
    /// Cost in US dollars.
    pub cost: f64,
    /// The detector whose loop the step belongs to, if that loop was reported at `warn` or worse.
    pub wasted_by: Option<String>,
}

/// The state of a run, from which its guard can be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSnapshot {
    /// Sequence number of the last entry that it includes.
    pub seq: u64,
    /// The state. The store does not read it.
    pub state: String,
}

/// A loop as one run met it. The counts are added to those of the loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopUpdate {
    /// Id of the loop.
    pub loop_id: String,
    /// Detector that found it.
    pub detector: String,
    /// Pattern.
    pub pattern: String,
    /// Severity of the last finding: `hint`, `warn` or `hard`. Empty to leave it as it is.
    pub severity: String,
    /// Reason, in one sentence.
    pub reason: String,
    /// Name of the tool.
    pub tool: String,
    /// The repeated action.
    pub action: String,
    /// Name of the model.
    pub model: String,
    /// The rule that covers the repeated call, as JSON. Empty if the loop is not about a call.
    pub rule: String,
    /// Number of new findings.
    pub findings: u64,
    /// Number of steps of the loop.
    pub steps: u64,
    /// Cost of these steps in US dollars.
    pub cost: f64,
    /// Tokens of these steps.
    pub tokens: u64,
}

/// The result of adding to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendResult {
    /// It was stored.
    Stored {
        /// Number of the last entry, 0 if there was none.
        last_id: i64,
        /// Reason why somebody asked to stop the run.
        stop_request: Option<String>,
    },
    /// Another server has the run now. Nothing was stored.
    LeaseLost,
}
