//! `plan_next`: adds tasks to the roadmap and selects the next one.

use loopbreak_store::tasks::{NextTask, RoadmapProblem, RoadmapTask, find_problems, next_task};
use loopbreak_store::{NoteEvent, RunEvent};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::PlanOutput;
use super::task_status::task_output;
use crate::mcp::protocol::{ToolError, input_limits};
use crate::mcp::state::{CallScope, ServerState};

/// Largest number of tasks in a roadmap.
const MAX_TASKS: usize = 5000;
/// Longest title and details that are stored, in bytes.
const TITLE_BYTES: usize = 500;
const DETAILS_BYTES: usize = 20_000;

/// Tasks to add to a roadmap.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlanInput {
    /// Default: this connection's run.
    pub(crate) run: Option<String>,
    /// Tasks to add first, in order. `after`: ids of tasks to finish before. A known task keeps its status.
    #[serde(default)]
    pub(crate) tasks: Vec<PlannedInput>,
}

/// A task of a roadmap.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlannedInput {
    /// Short id of your choice, at most 64 bytes.
    pub(crate) id: String,
    /// Title, on one line.
    #[serde(default)]
    pub(crate) title: String,
    /// Description of the work.
    #[serde(default)]
    pub(crate) details: String,
    /// Ids of the tasks that have to be finished first.
    #[serde(default)]
    pub(crate) after: Vec<String>,
}

impl ServerState {
    /// Adds tasks to the roadmap of a run, if there are any, and selects the next one.
    pub(crate) fn plan_next(&mut self, name: &str, new: &[PlannedInput]) -> Result<PlanOutput, ToolError> {
        if !new.is_empty() && self.find_runner(name)?.is_some() {
            return Err(ToolError::new(
                format!("The roadmap of {name:?} belongs to `loopbreak run`"),
                "Add tasks with `loopbreak tasks add`",
            ));
        }
        if !new.is_empty() {
            self.change(name, CallScope::Tasks, |transaction| {
                let merged = merge(&transaction.tasks, new)?;
                let action = format!("{} tasks in the roadmap", merged.len());
                transaction.log(RunEvent::Plan(NoteEvent { action }));
                // Known tasks come first, in their order.
                let known = transaction.tasks.iter().map(Some).chain(std::iter::repeat(None));
                let changed = merged.iter().zip(known).filter(|(task, known)| Some(*task) != *known);
                transaction.records.roadmap = changed.map(|(task, _)| task.clone()).collect();
                Ok(())
            })?;
        }
        let run = self.find_roadmap(name)?;
        let (tasks, counts) = (self.store.roadmap(&run)?, self.count_attempts(&run)?);
        let (next, task, reason) = match next_task(&tasks) {
            NextTask::Task(task) => ("task", Some(task_output(task, &tasks, &counts)), reason(task)),
            NextTask::Closed if tasks.is_empty() => {
                ("closed", None, "the roadmap is empty: set `tasks` to fill it".to_owned())
            }
            NextTask::Closed => ("closed", None, closed(&tasks)),
            _ => ("nothing", None, waiting(&tasks)),
        };
        Ok(PlanOutput { run: run.session, next, task, reason })
    }
}

/// Adds new tasks to a roadmap. Known tasks keep their status.
fn merge(known: &[RoadmapTask], new: &[PlannedInput]) -> Result<Vec<RoadmapTask>, ToolError> {
    let mut all = known.to_vec();
    for planned in new {
        let id = input_limits::check_task_id(&planned.id)?;
        let at = all.iter().position(|task| task.id == id).unwrap_or_else(|| {
            let position =
                all.iter().map(|task| task.position).max().map_or(0, |last| last.saturating_add(1));
            all.push(RoadmapTask { id: id.to_owned(), position, ..RoadmapTask::default() });
            all.len() - 1
        });
        let clip = |text: &str, most: usize| text[..text.floor_char_boundary(most)].to_owned();
        all[at].title = clip(&planned.title, TITLE_BYTES);
        all[at].details = clip(&planned.details, DETAILS_BYTES);
        all[at].after = planned.after.iter().map(|id| id.trim().to_owned()).collect();
    }
    let twice = new
        .iter()
        .enumerate()
        .find(|(at, task)| new[..*at].iter().any(|known| known.id.trim() == task.id.trim()));
    if let Some((_, task)) = twice {
        return Err(ToolError::new(
            format!("Task {:?} is given twice", task.id),
            "Give each task its own id",
        ));
    }
    if all.len() > MAX_TASKS {
        return Err(ToolError::new(
            format!("A roadmap has at most {MAX_TASKS} tasks"),
            "Use another run for the others",
        ));
    }
    match find_problems(&all).first() {
        None => Ok(all),
        Some(problem) => Err(problem_error(problem, &all)),
    }
}

fn problem_error(problem: &RoadmapProblem, all: &[RoadmapTask]) -> ToolError {
    let name = |at: &usize| all.get(*at).map_or("", |task| task.id.as_str());
    match problem {
        RoadmapProblem::Duplicate { id, .. } => {
            ToolError::new(format!("Task {id:?} is in the roadmap twice"), "Give each task its own id")
        }
        RoadmapProblem::Unknown { task, dependency } => ToolError::new(
            format!("Task {:?} waits for {dependency:?}, which is not in the roadmap", name(task)),
            "Add that task, or remove it from `after`",
        ),
        RoadmapProblem::Cycle(places) => {
            let circle: Vec<&str> = places.iter().map(name).collect();
            ToolError::new(
                format!("These tasks wait for each other: {}", circle.join(", ")),
                "Remove one of them from the `after` of another",
            )
        }
        other => ToolError::new(
            format!("The dependencies of the tasks are invalid: {other:?}"),
            "Check the ids in `after`",
        ),
    }
}

fn reason(task: &RoadmapTask) -> String {
    let why = if task.returned {
        "it was sent back"
    } else if task.status == loopbreak_store::tasks::TaskState::Blocked {
        "only blocked tasks are left"
    } else {
        "it is the first open task that waits for no other"
    };
    format!("task {}: {why}", task.id)
}

fn waiting(tasks: &[RoadmapTask]) -> String {
    let open: Vec<String> = tasks
        .iter()
        .filter(|task| task.status != loopbreak_store::tasks::TaskState::Done)
        .take(10)
        .map(|task| {
            let waits = loopbreak_store::tasks::unfinished_dependencies(task, tasks);
            if waits.is_empty() {
                format!("{} ({})", task.id, task.label())
            } else {
                format!("{} (waits for {})", task.id, waits.join(", "))
            }
        })
        .collect();
    format!("no task can be attempted: {}; a human is needed", open.join("; "))
}

fn closed(tasks: &[RoadmapTask]) -> String {
    let forced: Vec<&str> =
        tasks.iter().filter(|task| !task.is_finished()).map(|task| task.id.as_str()).collect();
    if forced.is_empty() {
        "every task is finished".to_owned()
    } else {
        format!("every task is closed; forced and not finished: {}", forced.join(", "))
    }
}
