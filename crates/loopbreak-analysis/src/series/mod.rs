//! Tasks and prompts that span several runs: no guard of a single run can see them.

mod restarts;
mod task_attempts;

pub use restarts::RestartTracker;
pub use task_attempts::{TaskAttempt, TaskAttempts};
