//! Prints the completions of a shell, and the ids that they ask for.

use clap::CommandFactory as _;
use loopbreak_report::stored_runs::{add_run_completions, render_run_ids};

use super::args::CompletionsArgs;
use crate::args::CliArgs;
use crate::error::UserError;
use crate::store::open_user_store;
use crate::{exit, output};

pub(crate) fn run(args: &CompletionsArgs) -> Result<u8, UserError> {
    let text = if let Some(shell) = args.shell {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut CliArgs::command(), "loopbreak", &mut script);
        add_run_completions(&shell.to_string(), String::from_utf8_lossy(&script).into_owned())
    } else {
        open_user_store()?.map(|store| render_run_ids(&*store)).transpose()?.unwrap_or_default()
    };
    output::write_plain(text.as_bytes())?;
    Ok(exit::DONE)
}
