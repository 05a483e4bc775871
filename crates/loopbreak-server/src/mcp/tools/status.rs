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
    /// Also show older runs.
    #[serde(default)]
    pub(crate) all: bool,
}

impl ServerState {
    /// Returns the status of runs.
    pub(crate) fn status(&self, input: &StatusInput) -> Result<StatusOutput, ToolError> {
        let summary: StatusSummary = match &input.run {
            Some(run) => vec![RunStatus::load(&*self.store, self.find(run)?, now(), &|_| {})?].into(),
            None => self.summarize_runs(input.all)?,
        };
        Ok(summary.into())
    }

    /// Summarizes the runs of the last hour that clients can see, or all of them.
    pub(crate) fn summarize_runs(&self, all: bool) -> Result<StatusSummary, ToolError> {
        Ok(StatusSummary::load_visible(&*self.store, all, now(), &|_| {}, &|run| self.is_visible(run))?)
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use serde_json::{Value, json};

    use super::*;
    use crate::mcp::protocol::McpOptions;

    /// Records one step, and returns the status of its run.
    fn status(settings: Settings) -> (Value, Value) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db").into();
        let options = McpOptions { settings, store, folder: String::new(), run: None };
        let mut state = ServerState::open(options).unwrap();
        let step = json!({"action": "make", "outcome": "1 failed"});
        state.record_step("r", &serde_json::from_value(step).unwrap()).unwrap();
        let output = |run: Option<String>| {
            let output = state.status(&StatusInput { run, all: false }).unwrap();
            serde_json::to_value(output).unwrap()["runs"][0].take()
        };
        (output(None), output(Some("r".to_owned())))
    }

    #[test]
    fn a_run_that_is_held_out_is_marked() {
        let (all, one) = status(Settings::default());
        assert_eq!((all.get("heldOut"), one.get("heldOut")), (None, None));
        let mut settings = Settings::default();
        settings.policy.holdout = 1.0;
        let (all, one) = status(settings);
        assert_eq!((&all["heldOut"], &one["heldOut"]), (&json!(true), &json!(true)));
    }
}
