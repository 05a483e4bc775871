//! The guards of the service, in memory.
//!
//! - `guard_pool`: finds the thread that has a run, and takes no more than can be handled
//! - `guard_shard`: one thread with the guards of some runs; it stores what it did before it answers
//! - `shard_command`, `pending_reply`, `shard_errors`: what it is asked, and what it answers
//! - `shard_queue`: the commands that wait for such a thread, small requests first
//! - `shard_claims`: the leases of its runs
//! - `project_rules`: the rules of its projects
//! - `shared_budget`: what its projects have spent
//! - `guarded_run`: one run: its guard, its figures, and its state between two steps
//! - `run_call`: calls about a run other than steps
//! - `known_keys`: the idempotency keys that a run has seen last
//! - `met_loops`: the loops that a step belongs to
//! - `step_figures`: what a step adds to the figures of its run
//! - `run_rules`: the loops that people allowed, as settings and as a filter
//! - `task_store`: the tasks of one run, for the calls about them
//! - `service_counters`: what the metrics count

#[cfg(test)]
mod budget_tests;
mod guard_pool;
mod guard_shard;
mod guarded_run;
mod known_keys;
mod met_loops;
mod pending_reply;
#[cfg(test)]
mod pool_tests;
mod project_rules;
mod run_call;
mod run_rules;
mod service_counters;
mod shard_claims;
mod shard_command;
mod shard_errors;
mod shard_queue;
mod shared_budget;
mod step_figures;
mod task_store;

pub(crate) use guard_pool::{GuardPool, PoolOptions};
pub(crate) use guarded_run::{RulingReply, StepReply};
pub(crate) use run_call::RunCall;
pub(crate) use service_counters::LATENCY_BUCKETS;
