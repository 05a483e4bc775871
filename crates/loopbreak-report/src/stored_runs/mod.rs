//! Stored runs and their tasks, as `loopbreak status`, `log` and `tasks` show them.

mod holdout;
mod run_log;
mod status;
mod task_detail;
mod task_list;

pub use holdout::compare_holdout;
pub use run_log::{render_event, render_event_json, render_run};
pub use status::render_status;
pub use task_detail::{render_task, task_json};
pub use task_list::{count_attempts, render_task_table, render_task_tree, task_list_json};
