//! `loopbreak formats`, and the names of formats on the command line.

use std::fmt::Write as _;

use clap::Args;
use loopbreak_trace::Format;
use serde::Serialize;

use crate::error::UserError;
use crate::{exit, output};

/// List the log formats.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak formats
  loopbreak formats --json | jq -r '.formats[].name'")]
pub(crate) struct FormatsArgs {
    /// Print the list as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct List {
    schema: &'static str,
    formats: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    title: &'static str,
    files: &'static str,
}

/// Lists the formats, in the order in which they are tried.
pub(crate) fn run(args: &FormatsArgs) -> Result<u8, UserError> {
    let formats: Vec<Entry> = Format::all()
        .map(|format| Entry { name: format.as_str(), title: format.title(), files: format.files() })
        .collect();
    if args.json {
        let list = List { schema: "loopbreak.formats/1", formats };
        output::json(&list)?;
    } else {
        let mut text = String::new();
        for format in formats {
            // Writing to a text cannot fail.
            _ = writeln!(text, "{:<12} {}\n{:13}{}", format.name, format.title, "", format.files);
        }
        output::print(&text)?;
    }
    Ok(exit::DONE)
}

/// The format of a name, or what there is to choose from.
pub(crate) fn parse(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::all().map(Format::as_str).collect();
        format!("there is no format of this name; there are {}", names.join(", "))
    })
}
