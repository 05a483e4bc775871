//! The checks, one file each.

mod answering_program;
mod installation;
mod installed_events;
mod second_installation;
mod switched_off;
mod user_store;

use super::check_finding::CheckFinding;
use super::doctor_context::DoctorContext;

/// A check: looks at the facts and reports what it found.
type DoctorCheck = fn(&DoctorContext<'_>) -> Vec<CheckFinding>;

/// All checks, in the order in which their results are shown.
const CHECKS: &[DoctorCheck] = &[
    installation::check,
    answering_program::check,
    installed_events::check,
    second_installation::check,
    |context| context.agent.check_own_settings(context),
    switched_off::check,
    user_store::check,
];

/// Runs all checks that look at settings. None of them runs a program.
pub fn run_checks(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    CHECKS.iter().flat_map(|check| check(context)).collect()
}
