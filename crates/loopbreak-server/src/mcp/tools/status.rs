//! `status`: the status of runs.

use loopbreak_store::{RunStatus, StatusSummary, now};

use super::input::StatusInput;
use super::output::StatusOutput;
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

impl ServerState {
    /// Returns the status of runs.
    pub(crate) fn status(&self, input: &StatusInput) -> Result<StatusOutput, ToolError> {
        let summary: StatusSummary = match &input.run {
            Some(run) => vec![RunStatus::load(&*self.store, self.find(run)?, now(), &|_| {})?].into(),
            None => StatusSummary::load(&*self.store, input.all, now(), &|_| {})?,
        };
        Ok(summary.into())
    }
}
