//! Attacks that the review did not try either, or that cannot be tried here.

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;

const REASONS: [(&str, &str); 6] = [
    ("Windows and macOS", "needs these systems"),
    ("power loss, disks that reorder writes", "needs a machine that is switched off"),
    ("network file systems that hang", "needs one; pipes and locks are tried in their place"),
    ("traffic from other machines, `https` webhooks", "needs a network"),
    (
        "allocations that fail inside the program",
        "needs an allocator that fails; `cargo xtask faults` fails system calls",
    ),
    ("real agents behind the hooks", "needs the agents; `cargo xtask agents` plays with them"),
];

/// Lists it.
#[expect(clippy::unnecessary_wraps, reason = "all findings have the same form")]
pub(super) fn list(_: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    for (attack, reason) in REASONS {
        rows.not_tried(attack, reason);
    }
    Ok(())
}
