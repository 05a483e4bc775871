//! Lists the log formats.

use std::fmt::Write as _;

use loopbreak_trace::LogFormat;
use serde::Serialize;

use super::args::FormatsArgs;
use crate::error::UserError;
use crate::{exit, output};

#[derive(Serialize)]
struct FormatList {
    schema: &'static str,
    formats: Vec<FormatEntry>,
}

#[derive(Serialize)]
struct FormatEntry {
    name: &'static str,
    title: &'static str,
    files: &'static str,
}

/// Lists the formats, in the order in which they are tried.
pub(crate) fn run(args: &FormatsArgs) -> Result<u8, UserError> {
    let formats: Vec<FormatEntry> = LogFormat::all()
        .map(|format| FormatEntry {
            name: format.as_str(),
            title: format.title(),
            files: format.file_description(),
        })
        .collect();
    if args.json {
        let list = FormatList { schema: "loopbreak.formats/1", formats };
        output::print_json(&list)?;
    } else {
        let mut text = String::new();
        for format in formats {
            // Writing to a text cannot fail.
            _ = writeln!(text, "{:<12} {}\n{:13}{}", format.name, format.title, "", format.files);
        }
        output::print(&output::text_style().highlight_first_column(&text))?;
    }
    Ok(exit::DONE)
}
