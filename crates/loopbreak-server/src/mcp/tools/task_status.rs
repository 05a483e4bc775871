//! `task_status`: the status of the tasks of a run.

use std::collections::BTreeMap;

use loopbreak_store::Run;
use loopbreak_store::tasks::{RoadmapTask, unfinished_dependencies};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::{TaskOutput, TasksOutput};
use crate::mcp::protocol::ToolError;
use crate::mcp::state::ServerState;

/// Largest number of tasks in an answer, and of their bytes.
const PAGE_TASKS: usize = 500;
const PAGE_BYTES: usize = 256 * 1024;
/// Number of tasks named in an error.
const NAMED_TASKS: usize = 10;

/// Tasks of a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskStatusInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
    /// Default: all tasks.
    pub(crate) task_id: Option<String>,
    /// Tasks to skip.
    #[serde(default)]
    pub(crate) offset: usize,
}

/// Number of attempts and time of the last one, by task.
pub(super) type AttemptTally = BTreeMap<String, (u64, i64)>;

impl ServerState {
    /// Returns the status of the tasks of a run.
    pub(crate) fn task_status(
        &self,
        name: &str,
        task: Option<&str>,
        offset: usize,
    ) -> Result<TasksOutput, ToolError> {
        let run = self.find_roadmap(name)?;
        let (tasks, counts) = (self.store.roadmap(&run)?, self.count_attempts(&run)?);
        if let Some(id) = task {
            let known = tasks.iter().find(|known| known.id == id.trim());
            let known = known.ok_or_else(|| unknown_task(&run.session, id, &tasks))?;
            let shown = vec![task_output(known, &tasks, &counts)];
            return Ok(TasksOutput { run: run.session, tasks: shown, total: tasks.len(), more: None });
        }
        let mut shown = Vec::new();
        let mut bytes = 0;
        for known in tasks.iter().skip(offset).take(PAGE_TASKS) {
            let output = task_output(known, &tasks, &counts);
            bytes += serde_json::to_vec(&output).map_or(0, |json| json.len());
            if bytes > PAGE_BYTES && !shown.is_empty() {
                break;
            }
            shown.push(output);
        }
        let next = offset.saturating_add(shown.len());
        let more = (next < tasks.len()).then(|| {
            format!(
                "These are {} of {} tasks. Set `offset` to {next} to get the next ones.",
                shown.len(),
                tasks.len()
            )
        });
        Ok(TasksOutput { run: run.session, tasks: shown, total: tasks.len(), more })
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

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;
    use crate::mcp::protocol::McpOptions;
    use crate::mcp::tools::PlanInput;

    /// A roadmap of thousands of tasks with long descriptions does not come in one answer.
    #[test]
    fn a_long_roadmap_comes_in_pages_that_have_every_task_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db").into();
        let options = McpOptions { settings: Settings::default(), store, folder: String::new(), run: None };
        let mut state = ServerState::open(options).unwrap();
        let planned: Vec<serde_json::Value> = (0..800)
            .map(|number| serde_json::json!({"id": format!("t{number}"), "details": "x".repeat(number % 3 * 1000)}))
            .collect();
        let input: PlanInput = serde_json::from_value(serde_json::json!({"tasks": planned})).unwrap();
        state.plan_next("r", &input.tasks).unwrap();
        let mut ids = Vec::new();
        loop {
            let page = state.task_status("r", None, ids.len()).unwrap();
            assert_eq!(page.total, 800);
            assert!(serde_json::to_vec(&page).unwrap().len() < PAGE_BYTES + 1000);
            ids.extend(page.tasks.into_iter().map(|task| task.id));
            let Some(more) = page.more else { break };
            assert!(more.contains(&format!("Set `offset` to {}", ids.len())), "{more}");
        }
        assert_eq!(ids, (0..800).map(|number| format!("t{number}")).collect::<Vec<_>>());
        let one = state.task_status("r", Some("t799"), 0).unwrap();
        assert_eq!((one.tasks.len(), one.more), (1, None));
        assert!(state.task_status("r", None, usize::MAX).unwrap().tasks.is_empty());
    }
}
