//! Generates the completions of a shell.

use clap::CommandFactory as _;

use super::args::CompletionsArgs;
use crate::args::CliArgs;
use crate::error::UserError;
use crate::{exit, output};

/// Prints the completions of a shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<u8, UserError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CliArgs::command(), "loopbreak", &mut script);
    output::write_plain(&script)?;
    Ok(exit::DONE)
}
