//! Runs the parts, prints their figures, and writes them into the page.

use std::time::Instant;

use super::fault_lab::{FaultLab, TrialScale};
use super::faults_arguments::{FaultsArguments, USAGE};
use super::part_figures::{PartFigures, render_table};
use super::parts::PARTS;
use super::system_calls::check_tracer;
use crate::chore_failure::ChoreFailure;
use crate::programs;
use crate::trial::{PageTable, tried_program};

/// The place of the table.
const TABLE: PageTable = PageTable { page: "docs/reliability.md", chore: "faults" };

/// Runs the chore.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let arguments = FaultsArguments::parse(arguments)?;
    if arguments.help {
        print!("{USAGE}");
        return Ok(());
    }
    if arguments.list {
        for part in PARTS {
            println!("{:<16} {}", part.name, part.title);
        }
        return Ok(());
    }
    programs::install_for_faults()?;
    check_tracer()?;
    let program = tried_program("faults", arguments.program.as_deref(), arguments.release)?;
    let scale = if arguments.short { TrialScale::Short } else { TrialScale::Full };
    let lab = FaultLab::open(program, arguments.seed, scale)?;
    let mut figures = Vec::new();
    let (beginning, count) = (Instant::now(), arguments.parts.len());
    for (number, part) in (1..).zip(arguments.parts) {
        eprintln!("xtask: faults: part {number} of {count}: {} …", part.name);
        let started = Instant::now();
        let found = (part.run)(&lab).map_err(|failure| failure.about(part.name))?;
        let (seconds, failures) = (started.elapsed().as_secs_f32(), found.failures());
        eprintln!(
            "xtask: faults: {}: {} trials, {} hooks, {failures} broken promises, {seconds:.1} s",
            part.name, found.trials, found.hooks
        );
        eprint!("{}", found.render_failures(part.name));
        figures.push((part.title, found));
    }
    let table = render_table(figures.iter().map(|(title, figures)| (*title, figures)));
    print!("{table}");
    let failures: usize = figures.iter().map(|(_, figures)| figures.failures()).sum();
    let sum = |count: fn(&PartFigures) -> u64| figures.iter().map(|(_, figures)| count(figures)).sum::<u64>();
    eprintln!(
        "xtask: faults: {count} parts, {} trials, {} hooks, {failures} broken promises, {:.0} s",
        sum(|figures| figures.trials),
        sum(|figures| figures.hooks),
        beginning.elapsed().as_secs_f32()
    );
    if failures > 0 {
        return Err(ChoreFailure::Failed(format!("{failures} broken promises (seed {})", arguments.seed)));
    }
    if arguments.write { TABLE.write(&table) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_the_table() {
        assert!(TABLE.is_in_page());
    }
}
