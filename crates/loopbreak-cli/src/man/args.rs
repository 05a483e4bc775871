//! The options of `loopbreak man`.

use std::path::PathBuf;

use clap::Args;

/// Print or write the manual pages.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak man | man -l -        Read the manual page
  loopbreak man --out man/man1    Write loopbreak.1 and one page per command
  loopbreak man --markdown        Print all commands and options as Markdown")]
pub(crate) struct ManArgs {
    /// Write the pages of all commands to this folder; it is created if needed
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print all commands and options as Markdown
    #[arg(long, conflicts_with = "out")]
    pub(super) markdown: bool,
}
