//! Measures everything, prints it, and writes the page.

use std::env;
use std::fs;
use std::path::PathBuf;

use super::page_parts::{self, PagePart};
use super::quality_arguments::QualityArguments;
use super::sample_folder::SampleFolder;
use super::{game_tables, labelled_tables, other_tables, session_tables, web_tables};
use crate::chore_failure::ChoreFailure;
use crate::process::root;
use crate::workspace_program::WorkspaceProgram;

/// The page with the generated parts.
const PAGE: &str = "docs/quality.md";

/// Measures some of the parts of the page.
type PartMeasurement = fn(&SampleFolder, &[&str]) -> Result<Vec<PagePart>, ChoreFailure>;

const MEASUREMENTS: [(&str, PartMeasurement); 6] = [
    ("sessions of Claude Code", session_tables::sessions),
    ("taubench", session_tables::taubench),
    ("web agents in three spellings", web_tables::web_agents),
    ("coding agents and traces with labels", labelled_tables::labelled),
    ("games of models", game_tables::games),
    ("other sets", other_tables::others),
];

/// Runs the chore.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let arguments = QualityArguments::parse(arguments)?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    // The folder is checked first: building the program takes minutes on a new machine.
    let mut samples = SampleFolder::open(&arguments.folder, target.join("quality"))?;
    eprintln!("xtask: quality: building loopbreak …");
    samples.set_program(WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"])?);
    let mut parts = Vec::new();
    for (name, measure) in MEASUREMENTS {
        eprintln!("xtask: quality: {name} …");
        parts.extend(measure(&samples, &arguments.parts)?);
    }
    let walkthroughs = arguments.walkthroughs.unwrap_or_else(|| samples.path("walkthroughs.jsonl"));
    if walkthroughs.is_file() {
        eprintln!("xtask: quality: won games …");
        parts.extend(game_tables::walkthroughs(&samples, &walkthroughs)?);
    } else {
        eprintln!("xtask: quality: {} does not exist: no figures for won games", walkthroughs.display());
    }
    if arguments.write {
        return write(&parts);
    }
    for PagePart { name, text } in &parts {
        println!("## {name}\n\n{text}");
    }
    Ok(())
}

/// Replaces the parts of the page.
fn write(parts: &[PagePart]) -> Result<(), ChoreFailure> {
    let path = root().join(PAGE);
    let page =
        fs::read_to_string(&path).map_err(|error| ChoreFailure::io(format_args!("read {PAGE}"), &error))?;
    let page = page_parts::replace(&page, parts).map_err(|fault| ChoreFailure::Failed(fault).about(PAGE))?;
    fs::write(&path, page).map_err(|error| ChoreFailure::io(format_args!("write {PAGE}"), &error))?;
    eprintln!("xtask: {PAGE}: written");
    Ok(())
}
