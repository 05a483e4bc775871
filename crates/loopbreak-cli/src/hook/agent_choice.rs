//! Asks which agents to change.

use std::io::{self, BufRead as _, IsTerminal as _};

use loopbreak_hooks::HookAgent;
use loopbreak_hooks::install::{AgentChoice, AgentChoiceError};

use super::args::InstallArgs;
use crate::error::UserError;
use crate::output;

/// Longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 1_000;

/// Lists the agents and asks. A dry run takes all of them. Without a terminal it is an error, unless nothing would be
/// changed.
pub(super) fn choose(
    choice: &AgentChoice,
    args: &InstallArgs,
) -> Result<Vec<&'static dyn HookAgent>, UserError> {
    let all = choice.agents();
    if args.dry_run && !all.is_empty() {
        return Ok(all);
    }
    let style = output::text_style();
    for line in choice.render().lines() {
        output::print(&(style.wrap_line(line, style.width, 19) + "\n"))?;
    }
    if all.is_empty() {
        return Ok(all);
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        output::print(&choice.render_commands())?;
        return Err(AgentChoiceError::NotNamed.into());
    }
    output::print(&choice.question())?;
    let mut answer = String::new();
    io::Read::take(io::stdin().lock(), ANSWER_BYTES)
        .read_line(&mut answer)
        .map_err(|error| UserError::failed(format!("cannot read the answer: {error}")))?;
    let chosen = choice.parse(&answer)?;
    if chosen.is_empty() {
        output::print("nothing was changed\n")?;
    }
    Ok(chosen)
}

impl From<AgentChoiceError> for UserError {
    fn from(error: AgentChoiceError) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        match error {
            AgentChoiceError::Settings(error) => error.into(),
            _ => UserError { hint, ..UserError::usage(message) },
        }
    }
}
