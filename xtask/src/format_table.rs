//! The table of log formats, written from the declarations of the formats.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::chore_failure::ChoreFailure;
use crate::generated_parts::GeneratedPart;
use crate::process::stdout_of;
use crate::workspace_program::WorkspaceProgram;

/// The output of `loopbreak formats --json`.
#[derive(Deserialize)]
struct PrintedFormats {
    formats: Vec<PrintedFormat>,
}

#[derive(Deserialize)]
struct PrintedFormat {
    name: String,
    title: String,
}

/// Returns the table as a part of the page in the folder of the formats.
pub(crate) fn part() -> Result<GeneratedPart, ChoreFailure> {
    let printed = stdout_of(WorkspaceProgram::Loopbreak.command()?.args(["formats", "--json"]))?;
    let printed: PrintedFormats = serde_json::from_slice(&printed).map_err(|error| {
        ChoreFailure::Failed(format!("cannot read the output of loopbreak formats: {error}"))
    })?;
    Ok(GeneratedPart { name: "formats", content: table(&printed.formats) })
}

fn table(formats: &[PrintedFormat]) -> String {
    let mut out = "| logs of | format |\n|---|---|\n".to_owned();
    for PrintedFormat { name, title } in formats {
        _ = writeln!(out, "| {title} | [`{name}`]({name}.md) |");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::root;

    #[test]
    fn every_format_links_to_its_page() {
        let printed = r#"{"schema": "x", "formats": [{"name": "pi", "title": "pi", "files": "y"}]}"#;
        let printed: PrintedFormats = serde_json::from_str(printed).unwrap();
        assert_eq!(table(&printed.formats), "| logs of | format |\n|---|---|\n| pi | [`pi`](pi.md) |\n");
        assert!(root().join("docs/formats/pi.md").is_file());
    }
}
