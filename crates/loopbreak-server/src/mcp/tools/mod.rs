//! The tools: one file per tool, with its arguments. Results are in `output`.

mod apply_recovery;
#[cfg(test)]
mod concurrency_tests;
mod detect_loop;
mod explain_run;
mod input_schema;
pub(crate) mod output;
mod plan_next;
mod record_attempt;
mod record_step;
mod router;
mod status;
mod step_input;
mod task_status;
pub(crate) mod verdict_output;
mod weigh_action;

pub(crate) use apply_recovery::RecoveryInput;
pub(crate) use detect_loop::LoopInput;
pub(crate) use explain_run::ExplainInput;
pub(crate) use plan_next::PlanInput;
pub(crate) use record_attempt::AttemptInput;
pub(crate) use record_step::{check_step, observe_filtered, observe_step};
pub(crate) use status::StatusInput;
pub(crate) use step_input::{ProposalInput, StepInput};
pub(crate) use task_status::TaskStatusInput;
pub(crate) use weigh_action::check_proposal;
