//! The guards of the service, in memory.
//!
//! - `guard_pool`: finds the thread that has a run, and takes no more than can be handled
//! - `guard_shard`: one thread with the guards of some runs; it stores what it did before it answers
//! - `guarded_run`: one run: its guard, its figures, and its state between two steps
//! - `run_rules`: the loops that people allowed, as settings and as a filter
//! - `task_store`: the tasks of one run, for the calls about them
//! - `service_counters`: what the metrics count

mod guard_pool;
mod guard_shard;
mod guarded_run;
#[cfg(test)]
mod pool_tests;
mod run_rules;
mod service_counters;
mod task_store;

pub(crate) use guard_pool::{GuardPool, PoolOptions};
pub(crate) use guarded_run::{RulingReply, RunCall, StepReply};
pub(crate) use service_counters::LATENCY_BUCKETS;
