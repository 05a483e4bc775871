//! Some quick attacks as a test, and the same against a program that does nothing.

use super::attack_lab::AttackLab;
use super::attack_rows::{AttackRow, AttackVerdict};
use super::findings::FINDINGS;
use super::run::try_finding;
use crate::process::root;
use crate::workspace_program::WorkspaceProgram;

fn try_all(lab: &AttackLab, names: &[&str]) -> Vec<AttackRow> {
    let findings = FINDINGS.iter().filter(|finding| names.contains(&finding.name));
    findings.flat_map(|finding| try_finding(lab, finding)).collect()
}

/// A cloned repository overwrites no file of the user, private settings stay private, and no endless file is read.
#[test]
fn no_quick_attack_does_harm() {
    let program = WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"]).unwrap();
    let lab = AttackLab::open(program, false, 1).unwrap();
    let rows = try_all(&lab, &["F1", "F3", "F24"]);
    let held = rows.iter().filter(|row| row.verdict == AttackVerdict::Held);
    assert!(held.count() >= 10, "{rows:?}");
    assert!(rows.iter().all(|row| row.verdict != AttackVerdict::Broken), "{rows:?}");
}

/// A program that does nothing also overwrites nothing. Such an attack shows nothing, so it must not count as held.
#[test]
fn a_program_that_does_nothing_holds_no_attack() {
    let lab = AttackLab::open("/bin/true".into(), false, 1).unwrap();
    let rows = try_all(&lab, &["F1", "F2", "F3", "F4", "F5", "F6", "F8", "F17", "F19", "F24", "F25"]);
    assert!(rows.len() > 15, "{rows:?}");
    for row in rows {
        assert_ne!(row.verdict, AttackVerdict::Held, "{row:?}");
    }
}
