//! `loopbreak completions`.

use clap::CommandFactory as _;

use crate::args::{CliArgs, CompletionsArgs};
use crate::error::UserError;
use crate::{exit, output};

/// Prints the completions of a shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<u8, UserError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CliArgs::command(), "loopbreak", &mut script);
    output::write_plain(&script)?;
    Ok(exit::DONE)
}
