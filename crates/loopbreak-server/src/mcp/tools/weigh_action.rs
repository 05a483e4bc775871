//! `weigh_action`: the guard of a run weighs a proposal.

use loopbreak::Proposal;

use super::output::RulingOutput;
use super::step_input::ProposalInput;
use super::verdict_output;
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

impl ServerState {
    /// Weighs a proposal. Changes nothing.
    pub(crate) fn weigh_action(&self, run: &str, input: &ProposalInput) -> Result<RulingOutput, ToolError> {
        check_proposal(&input.proposal)?;
        let guard = self.guard(run)?;
        let ruling = verdict_output::ruling(run, &guard.weigh(&input.proposal));
        Ok(RulingOutput { turn: guard.turn(), ..ruling })
    }
}

/// Checks that a proposal has an action.
pub(crate) fn check_proposal(proposal: &Proposal<'_>) -> Result<(), ToolError> {
    if !proposal.action.line().trim().is_empty() {
        return Ok(());
    }
    Err(ToolError::new(
        "The action has no name",
        "Set `action` to a command, or to a tool with its arguments",
    ))
}
