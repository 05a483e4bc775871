//! Loop runner and task autopilot of [Loopbreak](loopbreak), the circuit breaker for autonomous agents.
//!
//! [`LoopRunner`] starts a command repeatedly, shows the output of each iteration to a
//! [`Guard`](loopbreak::Guard), and puts the guard's advice into the next prompt. The run ends when the guard
//! stops it, the command prints the completion promise, or a human decides so. With a [`RoadmapFile`] it
//! works through the tasks of a file, one at a time.
//!
//! [`wait`] runs a command until it succeeds, in place of an agent that asks again and again.
//!
//! The library prints nothing: messages, the output of the command, and questions to a human go to a [`RunObserver`].

mod autopilot;
mod error;
mod iterations;
mod loop_runner;
mod observer;
mod options;
mod process;
mod prompt;
mod recording;
mod run_limits;
pub mod wait;

pub use autopilot::{RoadmapFile, TaskRoadmap};
pub use error::RunError;
pub use iterations::human_decision::HumanDecision;
pub use iterations::run_end::RunEndReason;
pub use loop_runner::LoopRunner;
pub use observer::{OutputStream, RunObserver};
pub use options::RunOptions;
pub use process::guardian::guard_process_group;
pub use process::interrupt_flag::InterruptFlag;
pub use run_limits::{RunDefaults, RunLimits};

/// Environment variable with the run that has started a command. Every command gets it, and its hooks record with it that what
/// the session costs is a part of what the run costs. It is not a setting.
pub const PARENT_RUN_VARIABLE: &str = "LOOPBREAK_PARENT_RUN";
/// Environment variables that a command gets with a roadmap, in addition to `LOOPBREAK_RUN`. They are not settings.
pub const TASK_VARIABLES: [&str; 3] = ["LOOPBREAK_TASK", "LOOPBREAK_TASK_TITLE", "LOOPBREAK_RESULT_FILE"];
