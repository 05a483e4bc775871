//! The loop of iterations: start the command, show its output to the guard, do what the guard says.

mod earlier_runs;
pub(crate) mod escalation;
pub(crate) mod iteration_result;
mod judge_iteration;
pub(crate) mod run_end;
pub(crate) mod run_loop;
mod transient_failure;
pub(crate) mod work_tree;
