//! Tasks of a roadmap: the order in which they are attempted, and the effect of reports and recoveries.
//!
//! All of this is pure: the caller provides the tasks and the time, and the engine decides when a task is looping.

mod new_task;
mod next_task;
mod problems;
mod remedy;
mod report;
mod roadmap_task;

pub use new_task::{NewTaskError, place_new_task};
pub use next_task::{NextTask, next_task};
pub use problems::{RoadmapProblem, find_problems, unfinished_dependencies};
pub use remedy::TaskRemedy;
pub use report::{ReportEffect, TaskReport, apply_report};
pub use roadmap_task::{RoadmapTask, TASK_ID_BYTES, TaskEscalation, TaskState, UnknownTaskState, is_task_id};
