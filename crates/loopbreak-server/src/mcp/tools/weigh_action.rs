//! `weigh_action`: the guard of a run weighs a proposal.

use loopbreak::Proposal;

use super::output::RulingOutput;
use super::step_input::ProposalInput;
use super::verdict_output;
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

impl ServerState {
    /// Weighs a proposal. If there is a service that answers in time, it decides. Changes nothing.
    pub(crate) fn ask_or_weigh(
        &mut self,
        run: &str,
        input: &ProposalInput,
    ) -> Result<RulingOutput, ToolError> {
        check_proposal(&input.proposal)?;
        match self.ask_about_action(run, &input.proposal) {
            Some(ruling) => Ok(ruling),
            None => self.weigh_action(run, input),
        }
    }

    /// Weighs a proposal. Changes nothing.
    pub(crate) fn weigh_action(&self, run: &str, input: &ProposalInput) -> Result<RulingOutput, ToolError> {
        check_proposal(&input.proposal)?;
        Ok(verdict_output::ruling(run, &self.guard(run)?.weigh(&input.proposal)))
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
