//! `task_status`: the status of the tasks of a run.

use std::collections::BTreeMap;

use loopbreak_store::Run;
use loopbreak_store::tasks::{RoadmapTask, unfinished_dependencies};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::{TaskOutput, TasksOutput};
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

/// Number of tasks named in an error.
const NAMED_TASKS: usize = 10;

/// Tasks of a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskStatusInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
    /// Id of the task. Default: all tasks of the run.
    pub(crate) task_id: Option<String>,
}

/// Number of attempts and time of the last one, by task.
pub(super) type AttemptTally = BTreeMap<String, (u64, i64)>;

impl ServerState {
    /// Returns the status of the tasks of a run.
    pub(crate) fn task_status(&self, name: &str, task: Option<&str>) -> Result<TasksOutput, ToolError> {
        let run = self.find_roadmap(name)?;
        let (tasks, counts) = (self.store.roadmap(&run)?, self.count_attempts(&run)?);
        let shown: Vec<TaskOutput> = tasks
            .iter()
            .filter(|known| task.is_none_or(|id| known.id == id.trim()))
            .map(|known| task_output(known, &tasks, &counts))
            .collect();
        match task {
            Some(id) if shown.is_empty() => Err(unknown_task(&run.session, id, &tasks)),
            _ => Ok(TasksOutput { run: run.session, tasks: shown }),
        }
    }

    /// Counts the attempts at one task.
    pub(super) fn count_attempts_at(&self, run: &Run, task: &str) -> Result<AttemptTally, ToolError> {
        let last = self.store.last_attempt(run, task)?;
        Ok(last.map(|last| (task.to_owned(), last)).into_iter().collect())
    }

    /// Counts the attempts at each task of a run.
    pub(super) fn count_attempts(&self, run: &Run) -> Result<AttemptTally, ToolError> {
        let attempts = self.store.attempts(run)?.into_iter();
        Ok(attempts.map(|attempt| (attempt.task, (attempt.number, attempt.at))).collect())
    }
}

/// Describes a task.
pub(super) fn task_output(task: &RoadmapTask, tasks: &[RoadmapTask], counts: &AttemptTally) -> TaskOutput {
    let count = counts.get(&task.id);
    TaskOutput {
        id: task.id.clone(),
        title: task.title.clone(),
        details: task.details.clone(),
        status: task.status.as_str().to_owned(),
        standing: task.label().to_owned(),
        forced: task.forced,
        blockers: task.blockers.clone(),
        waits_for: unfinished_dependencies(task, tasks).into_iter().map(str::to_owned).collect(),
        reason: task.reason.clone(),
        attempt_count: count.map_or(0, |(number, _)| *number),
        last_attempt: count.map(|(_, at)| *at),
    }
}

/// Returns the error for a task that is not known.
pub(super) fn unknown_task(run: &str, id: &str, tasks: &[RoadmapTask]) -> ToolError {
    let names: Vec<String> = tasks.iter().take(NAMED_TASKS).map(|task| format!("{:?}", task.id)).collect();
    let hint = if names.is_empty() {
        "The run has no tasks yet: record_attempt and plan_next add them".to_owned()
    } else {
        format!("Its tasks are {}", names.join(", "))
    };
    ToolError::new(format!("Task {id:?} not found in run {run:?}"), hint)
}
