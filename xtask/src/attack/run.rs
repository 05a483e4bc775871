//! Makes the attacks, prints the table, and writes it into the page.

use std::time::Instant;

use super::attack_arguments::{AttackArguments, USAGE};
use super::attack_lab::AttackLab;
use super::attack_rows::{AttackRow, AttackRows, AttackVerdict, render_table};
use super::findings::{AttackFinding, FINDINGS};
use crate::chore_failure::ChoreFailure;
use crate::programs;
use crate::trial::{PageTable, tried_program};

/// The place of the table.
const TABLE: PageTable = PageTable { page: "docs/reliability.md", chore: "attack" };

/// Runs the chore.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let arguments = AttackArguments::parse(arguments)?;
    if arguments.help {
        print!("{USAGE}");
        return Ok(());
    }
    if arguments.list {
        for finding in FINDINGS {
            println!("{:<6} {}", finding.name, finding.title);
        }
        return Ok(());
    }
    programs::install_for_attacks()?;
    let program = tried_program("attack", arguments.program.as_deref(), arguments.release)?;
    let lab = AttackLab::open(program, arguments.slow.is_some(), arguments.slow.unwrap_or(1))?;
    let started = Instant::now();
    let mut all = AttackRows::default();
    for finding in arguments.findings {
        all.rows.extend(try_finding(&lab, finding));
    }
    let table = render_table(&all.rows);
    print!("{table}");
    let [held, broken, not_tried] = [AttackVerdict::Held, AttackVerdict::Broken, AttackVerdict::NotTried]
        .map(|verdict| all.count(verdict));
    let seconds = started.elapsed().as_secs();
    eprintln!("xtask: attack: {held} held, {broken} did not hold, {not_tried} not tried, {seconds} s");
    if broken > 0 {
        return Err(ChoreFailure::Failed(format!("{broken} attacks did not hold")));
    }
    if held == 0 {
        return Err(ChoreFailure::Failed("no attack was tried".to_owned()));
    }
    if arguments.write { TABLE.write(&table) } else { Ok(()) }
}

/// Makes the attacks of a finding. One that cannot be made or judged counts as not held.
pub(super) fn try_finding(lab: &AttackLab, finding: &AttackFinding) -> Vec<AttackRow> {
    let AttackFinding { name, title, run } = finding;
    eprintln!("xtask: attack: {name}: {title} …");
    let (started, mut rows) = (Instant::now(), AttackRows::new(name));
    if let Err(ChoreFailure::Failed(reason) | ChoreFailure::Usage(reason)) = run(lab, &mut rows) {
        rows.judge(title, false, format_args!("cannot be judged: {reason}"));
    }
    if rows.rows.is_empty() {
        rows.judge(title, false, "nothing was tried");
    }
    let seconds = started.elapsed().as_secs_f32();
    for row in &mut rows.rows {
        // The folder has another name in each run.
        row.seen = row.seen.replace(&lab.folder.display().to_string(), "…");
        eprintln!("xtask: attack:   {:?}: {}: {}", row.verdict, row.attack, row.seen.escape_debug());
    }
    eprintln!("xtask: attack: {name}: {seconds:.1} s");
    rows.rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse(_: &AttackLab, _: &mut AttackRows) -> Result<(), ChoreFailure> {
        Err(ChoreFailure::Failed("no program".to_owned()))
    }

    fn forget(lab: &AttackLab, _: &mut AttackRows) -> Result<(), ChoreFailure> {
        lab.home().map(drop)
    }

    #[test]
    fn an_attack_that_cannot_be_made_or_leaves_no_row_is_not_held() {
        let lab = AttackLab::open("no-such-program".into(), false, 1).unwrap();
        for run in [refuse, forget] {
            let rows = try_finding(&lab, &AttackFinding { name: "F0", title: "nothing", run });
            assert_eq!(rows.len(), 1);
            assert_eq!(rows[0].verdict, AttackVerdict::Broken);
        }
    }

    #[test]
    fn the_page_has_a_place_for_the_table() {
        assert!(TABLE.is_in_page());
    }
}
