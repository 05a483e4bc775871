//! The task autopilot: works through the tasks of a roadmap, one at a time. The engine decides when a task
//! loops, the store's `tasks` module decides which task is next. This module starts the command, reads its
//! report, and writes the next prompt.

mod attempt_outcome;
mod guard_config;
mod result_file;
mod roadmap_end;
mod roadmap_file;
mod roadmap_reader;
mod task_autopilot;
mod task_brief;
mod task_check;
mod task_report;

pub(crate) use guard_config::guard_config;
pub use roadmap_file::RoadmapFile;
pub use roadmap_reader::TaskRoadmap;
pub(crate) use task_autopilot::TaskAutopilot;
