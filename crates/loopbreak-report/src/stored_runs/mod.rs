//! Stored runs and their tasks, as `loopbreak status`, `log` and `tasks` show them.

mod budget_status;
mod holdout;
mod relative_time;
mod run_completions;
mod run_log;
mod session_log;
mod status;
mod task_detail;
mod task_list;

pub use budget_status::{BudgetStatus, render_budgets};
pub use holdout::compare_holdout;
pub use run_completions::{add_run_completions, render_run_ids};
pub use session_log::{find_session, render_session_json, render_session_log};
pub use status::render_status;
pub use task_detail::{render_task, task_json};
pub use task_list::{count_attempts, render_task_table, render_task_tree, task_list_json};
