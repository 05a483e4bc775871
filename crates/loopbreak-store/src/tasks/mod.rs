//! Tasks of a roadmap: which comes next, and what reports and recoveries change. Pure: whoever calls brings the tasks
//! and the time, and the engine's own rules say when a task goes round in circles.

mod graph;
mod recover;
mod report;
mod schedule;
mod task;

pub use graph::{Fault, faults, waits_for};
pub use recover::Remedy;
pub use report::{Effect, Report, apply};
pub use schedule::{Next, next};
pub use task::{Escalation, ID_BYTES, RoadmapTask, Status, is_id};
