//! The tools: one file per tool, with the types of their arguments and results.

mod apply_recovery;
#[cfg(test)]
mod concurrency_tests;
mod detect_loop;
mod explain_run;
pub(crate) mod input;
mod output;
mod plan_next;
mod record_attempt;
mod record_step;
mod router;
mod status;
mod task_status;
mod verdict_output;
mod weigh_action;
