//! The short form of the chore, as a test: a sample of the faults.

use super::fleet_arguments::FleetExtent;
use super::fleet_lab::FleetLab;
use super::parts::PARTS;
use super::store_kind::StoreKind;
use crate::process::root;
use crate::workspace_program::WorkspaceProgram;

/// The seed of the sample.
const SEED: u64 = 1;
/// The parts that are about faults. The others measure, which a busy machine does not allow.
const FAULTS: [&str; 3] = ["kills", "two", "database"];

/// Servers that are killed or cut off, and a database that is restarted, out of reach or full: no acknowledged step is lost or counted
/// twice, and everything goes on afterwards.
#[test]
fn no_fault_of_the_service_in_the_sample_breaks_a_promise() {
    let program = WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"]).unwrap();
    let open = || {
        let stores = StoreKind::ALL.into();
        let mut lab = FleetLab::open(program.clone(), SEED, FleetExtent::short(), stores).unwrap();
        lab.is_talkative = false;
        lab
    };
    // Most of the time is spent waiting, so all parts run at the same time.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let parts = PARTS.iter().filter(|part| FAULTS.contains(&part.name));
        let running: Vec<_> = parts
            .map(|part| {
                scope.spawn(move || {
                    let rows = (part.run)(&open());
                    let rows = rows.unwrap_or_else(|failure| panic!("{}: {failure:?}", part.name));
                    assert!(!rows.is_empty(), "{}", part.name);
                    rows.iter().map(super::promise_row::PromiseRow::render_failures).collect::<String>()
                })
            })
            .collect();
        running.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let failures = failures.concat();
    assert!(failures.is_empty(), "broken promises; `cargo xtask fleet` tries everything:\n{failures}");
}
