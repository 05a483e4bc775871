//! The policy: decisions about findings.
//!
//! - [`decide`] turns the reports of the detectors into a verdict, with the help of `VerdictBuilder`.
//! - The ladder maps a finding to an intervention, and replaces interventions that are disabled.
//! - [`LoopLedger`] remembers the loops that were already handled, so that nothing is done twice.
//! - A task that repeats itself is recovered: the agent is moved on, given authority once, or a human is asked.
//!   For tasks that are attempted in turn, the agent is warned and then a human is asked.
//! - [`rule_on_proposal`] adds up the score adjustments of the detectors for a proposal.

mod decide;
mod ladder;
mod loop_ledger;
mod proposal;
mod recover_cycle;
mod recover_task;
mod rule;
mod stop_run;
mod task_recovery;
mod verdict_builder;

pub(crate) use decide::{PolicyInput, decide};
pub(crate) use loop_ledger::LoopLedger;
pub use proposal::Proposal;
pub(crate) use recover_cycle::cycle_intervention;
pub(crate) use rule::rule_on_proposal;
pub(crate) use task_recovery::{TaskRecovery, choose_recovery, was_granted};
