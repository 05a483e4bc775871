//! The context in which a detector reviews a proposal.

use crate::fingerprint::{ActionKind, VocabularyTables};
use crate::memory::HashKey;
use crate::place::{PlaceMap, PlaceTrail};
use crate::step::Action;

/// A proposal, with everything that is known about it.
pub(crate) struct ProposalContext<'b> {
    /// The action in its canonical form, and as it was proposed.
    pub(crate) action: &'b Action<'b>,
    pub(crate) spelled: &'b Action<'b>,
    /// The turn it is made for.
    pub(crate) turn: u64,
    /// The current place of the agent.
    pub(crate) from: Option<HashKey>,
    /// The place that the action is known to lead to, never the current one. The agent may not have been there yet.
    pub(crate) destination: Option<HashKey>,
    /// True if a critic scored it.
    pub(crate) scored: bool,
    /// Its fingerprint, if a detector reads it and no rule of the user allows the action.
    pub(crate) prints: Option<ProposalFingerprint>,
    pub(crate) tables: &'b VocabularyTables,
    /// True if a rule of the user says that this action is never a loop.
    pub(crate) allowed: bool,
    pub(crate) trail: &'b PlaceTrail,
    pub(crate) map: &'b PlaceMap,
}

/// The fingerprint of a proposed call, which has no result yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProposalFingerprint {
    pub(crate) agent: HashKey,
    pub(crate) kind: ActionKind,
    /// True if every call has a side effect outside.
    pub(crate) mutates: bool,
    /// The call, independent of its spelling.
    pub(crate) call: HashKey,
    /// Number of changes so far. After a change, the same call is a new experiment.
    pub(crate) epoch: u64,
    /// True if the run reports progress.
    pub(crate) measured: bool,
    /// True if the run reports progress by more than places.
    pub(crate) scored: bool,
}
