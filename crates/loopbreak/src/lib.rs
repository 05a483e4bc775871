//! Loopbreak: a circuit breaker for autonomous agents.
//!
//! A [`Guard`] watches one run of one agent. Show it every [`Step`] and it says, as a [`Verdict`], whether the agent is
//! stuck, why, and what to do; ask it about a [`Proposal`] and it says, as a [`Ruling`], what the action is worth. The
//! engine is pure: it reads no clock, no file and no network, so a live run and the replay of its log give the same
//! verdicts. Its memory is bounded and its cost a step is flat, whatever the length of the run.

mod advice;
mod detectors;
pub mod event;
pub mod evidence;
mod fingerprint;
mod guard;
mod memory;
mod name_enum;
mod place;
mod policy;
mod series;
pub mod settings;
mod snapshot;
mod step;
mod summary;
mod tasks;
#[doc(hidden)]
pub mod text;
pub mod verdict;

pub use advice::{TEMPLATES, Template};
pub use detectors::{CustomName, DetectorDocs, DetectorName, DetectorSubject, InvalidName, Pattern};
pub use event::Event;
pub use evidence::{EVIDENCE_BYTES, Evidence};
pub use guard::{Guard, MAIN_AGENT};
pub use policy::Proposal;
pub use series::{Series, SeriesState, TaskCheck, TaskStatus};
pub use settings::{Config, Mode, Profile, Settings};
pub use snapshot::{SNAPSHOT_BYTES, SNAPSHOT_VERSION, Snapshot, SnapshotError};
pub use step::{
    Action, Args, Completed, Critic, Label, Millis, Objectives, Outcome, Place, Step, Task, Text, TimeError,
    Usage,
};
pub use summary::{RunSummary, SummaryState};
pub use tasks::{TaskLoop, TaskPattern};
pub use text::chant::{Chant, ChantStream};
pub use verdict::{Advice, Audience, Decision, Finding, Intervention, LoopId, Ruling, Severity, Verdict};

/// The snippets of the README and the guides are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/guide/tasks.md")]
struct ReadmeAndTaskGuide;
