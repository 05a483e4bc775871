//! The short form of the chore, as tests: a sample of the trials of each part.

use super::fault_lab::{FaultLab, TrialScale};
use super::parts::PARTS;
use super::system_calls::check_tracer;
use crate::process::root;
use crate::workspace_program::WorkspaceProgram;

/// The seed of the sample. The full run has other ones.
const SEED: u64 = 1;

/// A hook that is killed, gets errors, finds a damaged, locked or full store, or has many others beside it: the agent continues,
/// and no acknowledged step is lost or counted twice.
#[test]
fn no_fault_of_the_sample_breaks_a_promise() {
    check_tracer().unwrap();
    let program = WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"]).unwrap();
    let lab = FaultLab::open(program, SEED, TrialScale::Short).unwrap();
    let mut failures = String::new();
    for part in PARTS {
        let figures = (part.run)(&lab).unwrap_or_else(|failure| panic!("{}: {failure:?}", part.name));
        assert!(figures.hooks > 0 && figures.acknowledged > 0, "{}: {figures:?}", part.name);
        failures += &figures.render_failures(part.name);
    }
    assert!(failures.is_empty(), "broken promises; `cargo xtask faults` runs all trials:\n{failures}");
}
