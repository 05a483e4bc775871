//! `status`: the status of runs.

use loopbreak_store::{RunStatus, StatusSummary, now};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::StatusOutput;
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

/// Runs to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusInput {
    /// Show only this run.
    pub(crate) run: Option<String>,
    /// Also show runs that ended, or were not seen for more than an hour.
    #[serde(default)]
    pub(crate) all: bool,
}

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
