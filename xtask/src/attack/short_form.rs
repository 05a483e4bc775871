//! Some quick attacks as a test.

use super::attack_lab::AttackLab;
use super::attack_rows::AttackVerdict;
use super::findings::FINDINGS;
use super::run::try_finding;
use crate::process::root;
use crate::workspace_program::WorkspaceProgram;

/// Findings whose attacks take less than a second.
const QUICK: [&str; 3] = ["F1", "F3", "F24"];

/// A cloned repository overwrites no file of the user, private settings stay private, and no endless file is read.
#[test]
fn no_quick_attack_does_harm() {
    let program = WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"]).unwrap();
    let lab = AttackLab::open(program, false, 1).unwrap();
    for finding in FINDINGS.iter().filter(|finding| QUICK.contains(&finding.name)) {
        let rows = try_finding(&lab, finding);
        assert!(rows.iter().any(|row| row.verdict == AttackVerdict::Held), "{rows:?}");
        assert!(rows.iter().all(|row| row.verdict != AttackVerdict::Broken), "{rows:?}");
    }
}
