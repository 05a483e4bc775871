//! Tasks and prompts that span several runs, which the guard of a single run cannot see.

mod restarts;
mod task_attempts;

pub use restarts::RestartTracker;
pub use task_attempts::{ReportedAttempt, TaskAttempts};
