//! The list of findings.

use super::{
    endless_files, guard_voice, huge_logs, killed_runner, lost_stores, many_clients, mcp_lines, other_users,
    planted_files, secret_shapes, small_remarks, untried, waiting_hooks, watched_logs,
};
use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;

/// A finding of the review.
#[derive(Debug)]
pub(in crate::attack) struct AttackFinding {
    /// The name on the command line and in the table.
    pub(in crate::attack) name: &'static str,
    /// Its subject.
    pub(in crate::attack) title: &'static str,
    /// Makes its attacks.
    pub(in crate::attack) run: fn(&AttackLab, &mut AttackRows) -> Result<(), ChoreFailure>,
}

const fn finding(
    name: &'static str,
    title: &'static str,
    run: fn(&AttackLab, &mut AttackRows) -> Result<(), ChoreFailure>,
) -> AttackFinding {
    AttackFinding { name, title, run }
}

/// All findings, in the order of the review: worst first. The last entry is what cannot be tried.
pub(in crate::attack) const FINDINGS: &[AttackFinding] = &[
    finding("F1", "a repository overwrites files of the user through links", planted_files::overwritten),
    finding("F2", "`hook doctor` runs commands of a repository", planted_files::run_by_doctor),
    finding("F3", "`hook install` makes private settings readable", planted_files::made_readable),
    finding("F4", "the output of a tool speaks as the guard", guard_voice::quoted_outcome),
    finding("F5", "a file in the project switches the guard off", guard_voice::switched_off),
    finding("F6", "a repository writes the texts of the guard", guard_voice::own_texts),
    finding("F7", "half-open connections shut out other clients", many_clients::half_open),
    finding("F8", "secrets are stored in the clear", secret_shapes::in_store),
    finding("F9", "other users read sessions over HTTP", other_users::over_http),
    finding("F10", "a transcript that blocks holds the lock", waiting_hooks::blocking_transcript),
    finding("F11", "a locked store delays every call", waiting_hooks::locked_store),
    finding("F12", "steps go into a store that was removed", lost_stores::removed),
    finding("F13", "a damaged store keeps the guard off", lost_stores::damaged),
    finding("F14", "a wrong clock deletes the history", lost_stores::wrong_clock),
    finding("F15", "long names in small logs take much memory", huge_logs::long_names),
    finding("F16", "slow bodies hold memory", many_clients::slow_bodies),
    finding("F17", "a run with a long name is not stopped", watched_logs::long_run_name),
    finding("F18", "a killed `run` leaves its agent behind", killed_runner::left_agent),
    finding("F19", "a long transcript takes quadratic time", waiting_hooks::long_transcript),
    finding("F20", "calls on a kept connection are slow", many_clients::kept_connection),
    finding("F21", "only as many logs as open files are watched", watched_logs::many_logs),
    finding("F22", "other users read the store", other_users::in_files),
    finding("F23", "tiny runs fill the temporary folder", huge_logs::tiny_runs),
    finding("F24", "endless files are read", endless_files::named_and_linked),
    finding("F25", "nested folders take cubic time", huge_logs::nested_folders),
    finding("F26", "packed logs have no limit", huge_logs::packed),
    finding("F27", "lines that are not JSON get no answer", mcp_lines::odd_lines),
    finding("F28", "the rest", small_remarks::rest),
    finding("-", "outside of the review", untried::list),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_of_the_review_is_in_the_list_once_and_in_order() {
        let names: Vec<String> = FINDINGS.iter().map(|finding| finding.name.to_owned()).collect();
        let expected: Vec<String> =
            (1..=28).map(|number| format!("F{number}")).chain(["-".to_owned()]).collect();
        assert_eq!(names, expected);
    }
}
