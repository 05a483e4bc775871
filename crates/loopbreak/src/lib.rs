//! Loopbreak is a circuit breaker for autonomous agents. This crate is its engine.
//!
//! A [`Guard`] watches one run of one agent. It observes each [`Step`] of the agent and returns a
//! [`Verdict`]: whether the agent is stuck, why, and what to do about it. Before the agent acts, the guard
//! can weigh a [`Proposal`] and return a [`Ruling`].
//!
//! ```
//! use loopbreak::{Action, Config, Guard, Intervention, Outcome, Step};
//!
//! let mut guard = Guard::new(Config::default());
//! let step = Step {
//!     action: Some(Action::new("bash").with_args(&serde_json::json!({"command": "cargo test"}))),
//!     outcome: Some(Outcome::new("error[E0425]: cannot find value `x`").with_error(true)),
//!     ..Step::default()
//! };
//!
//! let verdicts: Vec<_> = (0..3).map(|_| guard.observe(&step)).collect();
//! assert!(verdicts[0].decisions.is_empty());
//! // The third identical call with an identical outcome: the agent is warned, with a text for its context.
//! assert_eq!(verdicts[2].strongest(), Some(Intervention::Warn));
//! assert!(!verdicts[2].advice.is_empty());
//! ```
//!
//! The engine reads no clock, no file and no network. A live run and a replay of its log give the same verdicts. The
//! memory of a guard is bounded, and the cost of a step does not depend on the length of the run.
//!
//! # Further reading
//!
//! - [`guide`]: integration of the engine into an agent loop, with examples.
//! - [`step`]: the step record, which is also the native log format.
//! - [`verdict`]: findings, decisions and advice.
//! - [`settings`]: all options. [`Config`] is a checked [`Settings`]; the crate `loopbreak-config` loads one from files.
//! - [`detectors::custom`]: detectors of your own.
//! - [`agent`]: refuses the calls of an agent that loops.
//! - [`explain`]: one step as the detectors see it.
//! - [`Series`]: restarts with the same prompt, and tasks that span several runs.
//! - [`Snapshot`]: stores a guard and restores it in another process.
//!
//! # Features
//!
//! - `schema`: implements `schemars::JsonSchema` for settings and steps. Off by default.

// The builders that the tests of detectors share with the tests in `tests/` use the crate under its name.
#[cfg(test)]
extern crate self as loopbreak;

pub mod advice;
pub mod agent;
pub mod detectors;
pub mod event;
pub mod evidence;
pub mod explain;
mod facts;
mod fingerprint;
mod guard;
#[cfg(any(doc, doctest))]
pub mod guide;
mod memory;
mod name_enum;
mod place;
mod policy;
pub mod series;
pub mod settings;
pub mod snapshot;
pub mod step;
#[cfg(test)]
#[path = "../tests/engine/steps.rs"]
mod steps;
mod summary;
mod tasks;
#[cfg(test)]
#[path = "../tests/engine/test_recording.rs"]
mod test_recording;
pub mod text;
pub mod verdict;

pub use detectors::{DetectorName, Pattern};
pub use event::Event;
pub use guard::Guard;
pub use policy::Proposal;
pub use series::Series;
pub use settings::{Config, Mode, Profile, Settings};
pub use snapshot::Snapshot;
pub use step::{Action, Outcome, Place, Step, Usage};
pub use verdict::{Decision, Finding, Intervention, Ruling, Severity, Verdict};

/// Compiles and runs the snippets of the READMEs and the guide with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../../docs/guide/tasks.md")]
struct ReadmeAndTaskGuide;
