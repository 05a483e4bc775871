//! Attempts at tasks, and the loops in them.
//!
//! A guard tracks the tasks of one run, a [`Series`](crate::Series) those that span several runs.

mod send_back_history;
mod task_cycle;
mod task_histories;
mod task_history;
mod task_loop;

pub(crate) use send_back_history::SendBackHistory;
pub(crate) use task_cycle::{TaskCycle, TaskCycleTracker};
pub(crate) use task_histories::{HistoryBounds, TaskHistories};
pub(crate) use task_history::TaskHistory;
pub use task_loop::{TaskLoop, TaskPattern};
