//! Runs the parts, prints their figures, and writes them into the page.

use std::fs;
use std::time::Instant;

use super::fault_lab::{FaultLab, TrialScale};
use super::faults_arguments::{FaultsArguments, USAGE};
use super::part_figures::{PartFigures, render_table};
use super::parts::PARTS;
use super::system_calls::check_tracer;
use crate::chore_failure::ChoreFailure;
use crate::process::root;
use crate::programs;
use crate::workspace_program::WorkspaceProgram;

/// The page with the table.
const PAGE: &str = "docs/reliability.md";
/// The marks around the table.
const START: &str = "<!-- faults: table -->\n";
const END: &str = "<!-- /faults -->";

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
    let program = if let Some(program) = arguments.program {
        fs::canonicalize(&program)
            .map_err(|error| ChoreFailure::io(format_args!("find {}", program.display()), &error))?
    } else {
        eprintln!("xtask: faults: building loopbreak …");
        let options: &[&str] = if arguments.release { &["--quiet", "--release"] } else { &["--quiet"] };
        WorkspaceProgram::Loopbreak.build_in(&root(), options)?
    };
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
    if arguments.write { write(&table) } else { Ok(()) }
}

/// Replaces the table of the page.
fn write(table: &str) -> Result<(), ChoreFailure> {
    let path = root().join(PAGE);
    let page =
        fs::read_to_string(&path).map_err(|error| ChoreFailure::io(format_args!("read {PAGE}"), &error))?;
    let page =
        replace_table(&page, table).ok_or_else(|| ChoreFailure::Failed(format!("{PAGE} has no table")))?;
    fs::write(&path, page).map_err(|error| ChoreFailure::io(format_args!("write {PAGE}"), &error))?;
    eprintln!("xtask: {PAGE}: written");
    Ok(())
}

fn replace_table(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{START}{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_table_of_the_page_is_replaced() {
        let page = format!("# P\n{START}old\n{END}\nrest\n");
        assert_eq!(replace_table(&page, "| new |\n").unwrap(), format!("# P\n{START}| new |\n{END}\nrest\n"));
        assert_eq!(replace_table("# P\n", "x"), None);
        assert!(fs::read_to_string(root().join(PAGE)).unwrap().contains(START));
    }
}
