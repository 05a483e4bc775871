//! Entries of the log: steps, calls about tasks, and what people did. Their ids increase over all projects, so that a reader
//! can continue where it stopped.

use std::str::FromStr;

use super::RunVerdict;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EntryKind {
    /// A step of an agent.
    Step,
    /// An attempt at a task.
    Attempt,
    /// New tasks of a roadmap.
    Plan,
    /// A recovery of a task.
    Recovery,
    /// The rules for what is never a loop changed.
    Rules,
    /// The state of a loop changed.
    Loop,
    /// Somebody asked to stop a run.
    StopRequest,
    /// Spending of the project before the next step, which is near a budget.
    Spending,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [EntryKind; 8] = [
        EntryKind::Step,
        EntryKind::Attempt,
        EntryKind::Plan,
        EntryKind::Recovery,
        EntryKind::Rules,
        EntryKind::Loop,
        EntryKind::StopRequest,
        EntryKind::Spending,
    ];

    /// Returns the name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Step => "step",
            EntryKind::Attempt => "attempt",
            EntryKind::Plan => "plan",
            EntryKind::Recovery => "recovery",
            EntryKind::Rules => "rules",
            EntryKind::Loop => "loop",
            EntryKind::StopRequest => "stop_request",
            EntryKind::Spending => "spending",
        }
    }
}

impl FromStr for EntryKind {
    type Err = UnknownEntryKind;

    fn from_str(name: &str) -> Result<Self, UnknownEntryKind> {
        EntryKind::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or(UnknownEntryKind)
    }
}

/// A text that is not the kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of entry")]
pub struct UnknownEntryKind;

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Number of the entry. Later entries have larger numbers.
    pub id: i64,
    /// Name of the project.
    pub project: String,
    /// Name of the run, `None` for what is about a project.
    pub run: Option<String>,
    /// Sequence number within the run, from 1. 0 if the entry is not part of its guard's life.
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
    /// The content that was received, as JSON.
    pub input: String,
    /// The answer, as JSON.
    pub answer: String,
}

/// The order of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryOrder {
    /// Older entries first.
    #[default]
    OldestFirst,
    /// Later entries first.
    LatestFirst,
}

/// A question about entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryQuery {
    /// Only the entries of this project.
    pub project: Option<String>,
    /// Only the entries of the run with this number.
    pub run: Option<i64>,
    /// Only entries of these kinds. Empty for all.
    pub kinds: Vec<EntryKind>,
    /// Only entries in which something was found, or that are no steps.
    pub notable: bool,
    /// Order of the entries.
    pub order: EntryOrder,
    /// Only the entries that come after the one with this number.
    pub after: Option<i64>,
    /// Largest number of entries.
    pub limit: usize,
}
