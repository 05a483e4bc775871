//! What a detector sees of a proposal.

use crate::fingerprint::{ActionKind, VocabularyTables};
use crate::memory::HashKey;
use crate::place::{PlaceMap, PlaceTrail};
use crate::step::Action;

/// A proposal, with everything that is known about it.
pub(crate) struct ProposalContext<'b> {
    pub(crate) action: &'b Action<'b>,
    /// The turn it is made for.
    pub(crate) turn: u64,
    /// Where the agent is.
    pub(crate) from: Option<HashKey>,
    /// Where the action is known to lead.
    pub(crate) destination: Option<HashKey>,
    /// Whether a critic scored it.
    pub(crate) scored: bool,
    /// Its fingerprint, if a detector reads it and no rule of the user allows the action.
    pub(crate) prints: Option<ProposalFingerprint>,
    pub(crate) tables: &'b VocabularyTables,
    /// Whether a rule of the user says that this action is never a loop.
    pub(crate) allowed: bool,
    pub(crate) trail: &'b PlaceTrail,
    pub(crate) map: &'b PlaceMap,
}

/// What is known of a proposed call before it has a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProposalFingerprint {
    pub(crate) agent: HashKey,
    pub(crate) kind: ActionKind,
    /// The call, independent of its spelling.
    pub(crate) call: HashKey,
    /// Number of changes so far. After a change, the same call is another experiment.
    pub(crate) epoch: u64,
    /// Whether the run reports progress.
    pub(crate) measured: bool,
}
