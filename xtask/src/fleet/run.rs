//! Runs the parts, prints their rows, and writes them into the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::fleet_arguments::{FleetArguments, USAGE};
use super::fleet_lab::FleetLab;
use super::parts::PARTS;
use super::promise_row::{PromiseRow, render_table};
use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, stdout_of};
use crate::programs;
use crate::trial::PageTable;
use crate::workspace_program::WorkspaceProgram;

/// The place of the table.
const TABLE: PageTable = PageTable { page: "docs/reliability.md", chore: "fleet" };

/// Runs the chore.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let arguments = FleetArguments::parse(arguments)?;
    if arguments.help {
        print!("{USAGE}");
        return Ok(());
    }
    if arguments.list {
        for part in PARTS {
            println!("{:<10} {}", part.name, part.title);
        }
        return Ok(());
    }
    programs::install_for_fleet()?;
    let program = tried_program(arguments.program.as_deref())?;
    let lab = FleetLab::open(program, arguments.seed, arguments.extent, arguments.stores)?;
    let mut rows: Vec<(&str, PromiseRow)> = Vec::new();
    let (beginning, count) = (Instant::now(), arguments.parts.len());
    for (number, part) in (1..).zip(arguments.parts) {
        eprintln!("xtask: fleet: part {number} of {count}: {} …", part.name);
        let started = Instant::now();
        let found = (part.run)(&lab).map_err(|failure| failure.about(part.name))?;
        for row in &found {
            let kept = if row.broken.is_empty() { "kept" } else { "BROKEN" };
            eprintln!("xtask: fleet: {}: {}: {kept}: {}", part.name, row.tried, row.seen);
            eprint!("{}", row.render_failures());
        }
        eprintln!("xtask: fleet: {}: {:.0} s", part.name, started.elapsed().as_secs_f32());
        rows.extend(found.into_iter().map(|row| (part.name, row)));
    }
    let table = render_table(rows.iter().map(|(part, row)| (*part, row)));
    print!("{table}");
    let broken: usize = rows.iter().map(|(_, row)| row.broken.len()).sum();
    eprintln!(
        "xtask: fleet: {count} parts, {broken} broken promises, {:.0} s",
        beginning.elapsed().as_secs_f32()
    );
    if broken > 0 {
        return Err(ChoreFailure::Failed(format!("{broken} broken promises (seed {})", arguments.seed)));
    }
    if arguments.write { TABLE.write(&table) } else { Ok(()) }
}

/// Returns the program that was named, or builds what others get.
fn tried_program(named: Option<&Path>) -> Result<PathBuf, ChoreFailure> {
    if let Some(program) = named {
        return fs::canonicalize(program)
            .map_err(|error| ChoreFailure::io(format_args!("find {}", program.display()), &error));
    }
    eprintln!("xtask: fleet: building loopbreak with the profile `dist` …");
    let mut command: Command = cargo(["build", "--locked", "--quiet", "--profile", "dist"]);
    command.args(["--package", "loopbreak-cli", "--features", "postgres"]);
    command.arg("--message-format=json-render-diagnostics");
    WorkspaceProgram::Loopbreak.find_in(&stdout_of(&mut command)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_the_table() {
        assert!(TABLE.is_in_page());
    }
}
