//! The loop of iterations: starts the command, shows its output to the guard, carries out the verdict.

mod earlier_runs;
pub(crate) mod human_decision;
mod iteration_progress;
pub(crate) mod iteration_result;
mod judge_iteration;
mod reported_usage;
pub(crate) mod run_end;
pub(crate) mod run_loop;
mod transient_failure;
pub(crate) mod work_tree;
