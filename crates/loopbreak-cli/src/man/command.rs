//! Generates the manual pages and the reference of all commands from the command line.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory as _;

use super::args::ManArgs;
use super::markdown;
use crate::args::CliArgs;
use crate::error::UserError;
use crate::{exit, output};

/// Runs the command.
pub(crate) fn run(args: &ManArgs) -> Result<u8, UserError> {
    if args.markdown {
        output::print(&markdown::render_reference(CliArgs::command()))?;
    } else if let Some(folder) = &args.out {
        write_all(folder)
            .map_err(|error| UserError::failed(format!("cannot write to {}: {error}", folder.display())))?;
    } else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(CliArgs::command()).render(&mut page);
        output::ignore_closed_pipe(rendered, "the page")?;
        output::write_plain(&page)?;
    }
    Ok(exit::DONE)
}

/// Writes `loopbreak.1` and one page per command.
fn write_all(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(CliArgs::command(), folder)
}
