//! The parts of pages that describe the detectors, written from the declarations of the detectors.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::chore_failure::ChoreFailure;
use crate::generated_parts::GeneratedPart;
use crate::process::stdout_of;
use crate::workspace_program::WorkspaceProgram;

/// The documentation of a detector, as the example `detector_docs` prints it.
#[derive(Deserialize)]
struct DetectorEntry {
    name: String,
    reads: String,
    effect: String,
    catches: String,
    ignores: String,
    guide: String,
}

/// Renders the generated part of a page.
type PartRenderer = fn(&[DetectorEntry]) -> String;

/// The parts that a page can have.
const PARTS: [(&str, PartRenderer); 3] =
    [("detectors", summary_table), ("detector inputs", input_table), ("detector sections", sections)];

/// Returns the parts about detectors.
pub(crate) fn parts() -> Result<Vec<GeneratedPart>, ChoreFailure> {
    let printed = stdout_of(&mut WorkspaceProgram::DetectorDocs.command()?)?;
    let entries: Vec<DetectorEntry> = serde_json::from_slice(&printed)
        .map_err(|error| ChoreFailure::Failed(format!("cannot read the output of detector_docs: {error}")))?;
    Ok(PARTS.map(|(name, part)| GeneratedPart { name, content: part(&entries) }).into())
}

/// Renders the table that tells a new user what is detected.
fn summary_table(entries: &[DetectorEntry]) -> String {
    table(["detector", "catches", "ignores"], entries, |entry| {
        [format!("`{}`", entry.name), entry.catches.clone(), entry.ignores.clone()]
    })
}

/// Renders the table of the parts of a step that each detector reads, with links to the sections.
fn input_table(entries: &[DetectorEntry]) -> String {
    table(["detector", "reads", "strongest effect by default"], entries, |entry| {
        [format!("[`{0}`](#{0})", entry.name), entry.reads.clone(), entry.effect.clone()]
    })
}

/// Renders the section of each detector.
fn sections(entries: &[DetectorEntry]) -> String {
    let mut out = String::new();
    for entry in entries {
        _ = write!(out, "\n## `{}`\n\n{}\n", entry.name, entry.guide.trim());
    }
    out + "\n"
}

fn table(head: [&str; 3], entries: &[DetectorEntry], row: impl Fn(&DetectorEntry) -> [String; 3]) -> String {
    let mut out = format!("| {} |\n|---|---|---|\n", head.join(" | "));
    for entry in entries {
        _ = writeln!(out, "| {} |", row(entry).join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> DetectorEntry {
        let text = str::to_owned;
        DetectorEntry {
            name: text("a"),
            reads: text("`say`"),
            effect: text("warns"),
            catches: text("x"),
            ignores: text("y"),
            guide: text("**Catches** x.\n"),
        }
    }

    #[test]
    fn a_table_has_a_row_per_detector() {
        let expected = "| detector | catches | ignores |\n|---|---|---|\n| `a` | x | y |\n";
        assert_eq!(summary_table(&[entry()]), expected);
    }

    #[test]
    fn a_section_has_the_name_and_the_guide_of_its_detector() {
        assert_eq!(sections(&[entry()]), "\n## `a`\n\n**Catches** x.\n\n");
    }
}
