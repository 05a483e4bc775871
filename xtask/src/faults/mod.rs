//! `cargo xtask faults`: injects faults into hooks and their store, one at a time, and checks what is promised about them.
//!
//! After every fault:
//!
//! - the hook exited with 0, in time
//! - the next hook works at once
//! - every acknowledged step is in the log once, and the numbers have no gap
//! - the store is intact, or was replaced
//!
//! - `run`: the chore
//! - `faults_arguments`: its command line
//! - `parts`: the kinds of faults
//! - `fault_lab`: the surroundings that all trials share, and their distribution over threads
//! - `fault_trial`: one trial: hooks, and the checks after them
//! - `hook_process`: a hook under faulty conditions
//! - `step_ledger`: the steps that were sent, to compare with the log
//! - `part_figures`: what was counted
//! - `system_calls`: the system calls of a hook, and faults at them
//! - `seeded_random`: chance that a seed decides

mod fault_lab;
mod fault_trial;
mod faults_arguments;
mod hook_process;
mod part_figures;
mod parts;
mod run;
mod seeded_random;
#[cfg(test)]
mod short_form;
mod step_ledger;
mod system_calls;

pub(crate) use run::run;
