//! The policy: what is done about findings.
//!
//! - [`decide`] turns the reports of the detectors into a verdict, with the help of `VerdictBuilder`.
//! - The ladder says which intervention a finding leads to, and which one replaces it if that is switched off.
//! - [`LoopLedger`] remembers what was already done, so that nothing is done twice.
//! - A task that repeats itself is recovered: the agent is moved on, given authority once, or a human is asked.
//! - [`rule_on_proposal`] adds up what the detectors think of a proposal.

mod decide;
mod ladder;
mod loop_ledger;
mod proposal;
mod recover_task;
mod rule;
mod stop_run;
mod task_recovery;
mod unscored_limits;
mod verdict_builder;

pub(crate) use decide::{PolicyInput, decide};
pub(crate) use loop_ledger::LoopLedger;
pub use proposal::Proposal;
pub(crate) use rule::rule_on_proposal;
pub(crate) use task_recovery::{TaskRecovery, choose_recovery};
pub(crate) use unscored_limits::limits_for_unscored_proposal;
