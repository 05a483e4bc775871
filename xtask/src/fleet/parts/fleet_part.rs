//! The list of parts.

use super::{cut_instances, database_faults, killed_instances, overload, soak, steady_steps, step_batches};
use crate::chore_failure::ChoreFailure;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::promise_row::PromiseRow;

/// A kind of load or of faults.
#[derive(Debug)]
pub(in crate::fleet) struct FleetPart {
    /// The name on the command line and in the table.
    pub(in crate::fleet) name: &'static str,
    pub(in crate::fleet) title: &'static str,
    /// Runs it.
    pub(in crate::fleet) run: fn(&FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure>,
}

/// All parts, in the order of the table.
pub(in crate::fleet) const PARTS: &[FleetPart] = &[
    FleetPart {
        name: "batches",
        title: "batches of 200 steps beside raw inserts of the same rows",
        run: step_batches::run,
    },
    FleetPart { name: "steady", title: "single steps from many connections", run: steady_steps::run },
    FleetPart { name: "soak", title: "many runs, and the memory of the server", run: soak::run },
    FleetPart { name: "kills", title: "`kill -9` of a server under load", run: killed_instances::run },
    FleetPart {
        name: "two",
        title: "two servers on one database, one of them cut off",
        run: cut_instances::run,
    },
    FleetPart {
        name: "database",
        title: "database restarted, broken, slow or full",
        run: database_faults::run,
    },
    FleetPart { name: "overload", title: "more load than the server can handle", run: overload::run },
];
