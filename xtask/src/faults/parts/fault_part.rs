//! The list of parts.

use super::{
    call_errors, clock_jumps, full_disk, kill_points, logic_damage, many_hooks, random_damage, random_kills,
    waiting_store,
};
use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::part_figures::PartFigures;

/// A kind of fault.
#[derive(Debug)]
pub(in crate::faults) struct FaultPart {
    /// The name on the command line.
    pub(in crate::faults) name: &'static str,
    /// The name in the table.
    pub(in crate::faults) title: &'static str,
    /// Runs its trials.
    pub(in crate::faults) run: fn(&FaultLab) -> Result<PartFigures, ChoreFailure>,
}

/// All parts, in the order of the table.
pub(in crate::faults) const PARTS: &[FaultPart] = &[
    FaultPart {
        name: "kill",
        title: "`kill -9` at each system call of a hook",
        run: kill_points::in_existing_store,
    },
    FaultPart {
        name: "kill-new",
        title: "`kill -9` at each system call of a hook that creates the store",
        run: kill_points::in_new_store,
    },
    FaultPart {
        name: "errors",
        title: "an error at each call for files, locks and memory",
        run: call_errors::in_existing_store,
    },
    FaultPart {
        name: "errors-new",
        title: "the same while the store is created",
        run: call_errors::in_new_store,
    },
    FaultPart { name: "damage", title: "store damaged at random, 6 hooks each", run: random_damage::run },
    FaultPart {
        name: "logic",
        title: "store damaged in its tables and rows, 6 hooks each",
        run: logic_damage::run,
    },
    FaultPart { name: "full-disk", title: "full disk", run: full_disk::run },
    FaultPart { name: "clock", title: "clock that jumps", run: clock_jumps::run },
    FaultPart {
        name: "one-session",
        title: "200 hooks at once in one session",
        run: many_hooks::one_session,
    },
    FaultPart {
        name: "sessions",
        title: "100 sessions at once, 5 hooks each",
        run: many_hooks::many_sessions,
    },
    FaultPart {
        name: "damaged-crowd",
        title: "40 hooks at once on a damaged store",
        run: many_hooks::on_damaged_store,
    },
    FaultPart {
        name: "random-kill",
        title: "`kill -9` at a random moment, 4 hooks at once",
        run: random_kills::run,
    },
    FaultPart { name: "lock", title: "store that another program keeps locked", run: waiting_store::locked },
    FaultPart { name: "no-locks", title: "file system without locks", run: waiting_store::without_locks },
    FaultPart { name: "slow-disk", title: "disk that is slow", run: waiting_store::on_slow_disk },
];
