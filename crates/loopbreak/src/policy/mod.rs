//! What is done about findings: rulings on proposals, the ladder, the ledger of what was tried, recoveries of tasks.

mod context;
mod decide;
mod foresight;
mod ladder;
mod ledger;
mod recovery;
mod ruling;

pub use context::{ContextEntry, TaskUpdate};
pub(crate) use decide::{Circumstances, decide};
pub(crate) use foresight::foreseen;
pub(crate) use ledger::Ledger;
pub(crate) use recovery::{Recovery, choose, reason};
pub(crate) use ruling::rule;
pub use ruling::{Proposal, ProposalHint, Ruling, ScoreAdjustment};
