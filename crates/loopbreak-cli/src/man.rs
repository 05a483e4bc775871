//! `loopbreak man`: manual pages and the reference of all commands, generated from the command line.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory as _;

use crate::args::{CliArgs, ManArgs};
use crate::error::UserError;
use crate::{exit, output, reference};

/// Runs the command.
pub(crate) fn run(args: &ManArgs) -> Result<u8, UserError> {
    if args.markdown {
        output::print(&reference::markdown(CliArgs::command()))?;
    } else if let Some(folder) = &args.out {
        write_all(folder)
            .map_err(|error| UserError::failed(format!("cannot write to {}: {error}", folder.display())))?;
    } else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(CliArgs::command()).render(&mut page);
        output::quietly(rendered, "the page")?;
        output::write_plain(&page)?;
    }
    Ok(exit::DONE)
}

/// Writes `loopbreak.1` and one page per command.
fn write_all(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(CliArgs::command(), folder)
}
