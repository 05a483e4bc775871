//! Explains one step as the detectors see it: without verdicts, for people who wonder why two steps count as equal, or why
//! one counts as a failure.
//!
//! [`StepExplainer`] gathers the same facts as a [`Guard`](crate::Guard) and shows them instead of passing them to the
//! detectors: the call in its common spelling, its kind and target, what counts as failed and why, and the fingerprints of
//! action and outcome with the texts that they are made of. Two calls, or two outcomes, with the same compared text have the
//! same fingerprint.
//!
//! ```
//! use loopbreak::explain::{ActionResult, ResultReason, StepExplainer};
//! use loopbreak::{Config, Step};
//!
//! let mut explainer = StepExplainer::new(Config::default());
//! let step = Step::from_json(
//!     r#"{"action":"bash(command='cargo test')","outcome":{"text":"12:03:41 1 failed","exit":1}}"#,
//! )?;
//! let explained = explainer.explain(&step);
//! let (action, outcome) = (explained.action.unwrap(), explained.outcome.unwrap());
//! assert_eq!((action.name.as_str(), action.kind), ("bash", "run"));
//! assert_eq!((outcome.result, outcome.reason), (ActionResult::Failure, ResultReason::ExitCode));
//!
//! // Another time of day makes no other outcome, and another spelling no other call.
//! let again = Step::from_json(
//!     r#"{"action":{"name":"bash","args":{"command":"cargo  test"}},"outcome":{"text":"12:09:02 1 failed","exit":1}}"#,
//! )?;
//! let again = explainer.explain(&again);
//! assert_eq!(again.action.unwrap().fingerprint, action.fingerprint);
//! assert_eq!(again.outcome.unwrap().fingerprint, outcome.fingerprint);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod action_explanation;
mod left_out_argument;
mod outcome_explanation;
mod step_explanation;

pub use crate::facts::{ActionResult, ResultReason};
pub use crate::guard::StepExplainer;
pub use action_explanation::{ActionExplanation, KindSource, TargetSource, WaitReason};
pub use left_out_argument::LeftOutArgument;
pub use outcome_explanation::{OutcomeExplanation, OutcomeForm, SignatureExplanation};
pub use step_explanation::{BatchExplanation, StepAuthor, StepExplanation};
