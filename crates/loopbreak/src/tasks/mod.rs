//! Attempts at tasks: recorded and judged.
//!
//! A guard uses it for the tasks of one run, a [`Series`](crate::Series) for those that span runs.

mod task_histories;
mod task_history;
mod task_loop;

pub(crate) use task_histories::{HistoryBounds, TaskHistories};
pub(crate) use task_history::TaskHistory;
pub use task_loop::{TaskLoop, TaskPattern};
