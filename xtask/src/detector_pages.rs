//! The parts of pages that describe the detectors, written from the declarations of the detectors.
//!
//! A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. The rest of the page is written by hand.

use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;

use crate::chore_failure::ChoreFailure;
use crate::process::{root, stdout_of};
use crate::workspace_program::WorkspaceProgram;

/// Ends a generated part.
const END: &str = "<!-- end -->";

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

/// Renders a page with its generated parts replaced.
pub(crate) fn render(path: &str) -> Result<String, ChoreFailure> {
    let page = fs::read_to_string(root().join(path))
        .map_err(|error| ChoreFailure::io(format_args!("read {path}"), &error))?;
    let printed = stdout_of(&mut WorkspaceProgram::DetectorDocs.command()?)?;
    let entries: Vec<DetectorEntry> = serde_json::from_slice(&printed)
        .map_err(|error| ChoreFailure::Failed(format!("cannot read the output of detector_docs: {error}")))?;
    replace_parts(&page.replace("\r\n", "\n"), &entries).map_err(ChoreFailure::Failed)
}

fn replace_parts(page: &str, entries: &[DetectorEntry]) -> Result<String, String> {
    let mut page = page.to_owned();
    let mut found = false;
    for (name, part) in PARTS {
        let start = format!("<!-- generated: {name} -->\n");
        let Some((before, rest)) = page.split_once(&start) else { continue };
        let (_, after) = rest.split_once(END).ok_or_else(|| format!("the part {name:?} has no end"))?;
        page = format!("{before}{start}{}{END}{after}", part(entries));
        found = true;
    }
    if found { Ok(page) } else { Err("it has no generated part".to_owned()) }
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
    fn only_the_marked_part_of_a_page_is_replaced() {
        let page = "# P\n\n<!-- generated: detectors -->\nold\n<!-- end -->\n\nrest\n";
        let expected = "# P\n\n<!-- generated: detectors -->\n| detector | catches | ignores |\n|---|---|---|\n\
                        | `a` | x | y |\n<!-- end -->\n\nrest\n";
        assert_eq!(replace_parts(page, &[entry()]).unwrap(), expected);
        assert_eq!(replace_parts(expected, &[entry()]).unwrap(), expected);
    }

    #[test]
    fn a_section_has_the_name_and_the_guide_of_its_detector() {
        assert_eq!(sections(&[entry()]), "\n## `a`\n\n**Catches** x.\n\n");
    }

    #[test]
    fn a_page_without_a_complete_part_is_an_error() {
        assert!(replace_parts("# P\n", &[entry()]).is_err());
        assert!(replace_parts("<!-- generated: detectors -->\n| a |\n", &[entry()]).is_err());
    }
}
