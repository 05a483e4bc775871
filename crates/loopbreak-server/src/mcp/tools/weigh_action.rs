//! `weigh_action`: the guard of a run weighs a proposal.

use loopbreak::{Proposal, Step};

use super::input::ProposalInput;
use super::output::RulingOutput;
use super::{record_step, verdict_output};
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

impl ServerState {
    /// Weighs a proposal. Changes nothing.
    pub(crate) fn weigh_action(&self, run: &str, input: &ProposalInput) -> Result<RulingOutput, ToolError> {
        // Its parts are those of a step.
        let text = serde_json::to_string(input).unwrap_or_default();
        let Step { action, agent, place, .. } = record_step::read(&text)?;
        let action = action.unwrap_or_default();
        if action.line().trim().is_empty() {
            return Err(ToolError::new(
                "The action has no name",
                "Set `action` to a command, or to a tool with its arguments",
            ));
        }
        let proposal = Proposal { action, score: input.score, agent, place };
        Ok(verdict_output::ruling(run, &self.guard(run)?.weigh(&proposal)))
    }
}
