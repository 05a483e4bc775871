//! A guide to the engine. It exists in the documentation only.
//!
//! # Observe every step
//!
//! Create one [`Guard`](crate::Guard) per run. Pass it every step, and act on the verdict:
//!
//! - [`Verdict::stop`](crate::Verdict::stop): end the run.
//! - [`Verdict::advice`](crate::Verdict::advice): texts to put into the context of the agent, the critic or the user.
//! - [`Verdict::decisions`](crate::Verdict::decisions): everything the policy decided, each with its reason.
//!
//! ```
//! use loopbreak::{Config, Guard, Step, verdict::Audience};
//!
//! let mut guard = Guard::new(Config::default()).for_run("run-1");
//! # fn next_step() -> Option<Step<'static>> { None }
//! # fn add_to_context(text: &str) {}
//! while let Some(step) = next_step() {
//!     let verdict = guard.observe(&step);
//!     for advice in verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent) {
//!         add_to_context(&advice.text);
//!     }
//!     if verdict.stop.is_some() {
//!         break;
//!     }
//! }
//! ```
//!
//! Every part of a step is optional. A detector that needs a part stays silent until the steps have it. Time comes from
//! [`Step::at`](crate::Step::at), because the engine has no clock.
//!
//! # Weigh a proposal before it is carried out
//!
//! [`Guard::weigh`](crate::Guard::weigh) does not change the guard, so several candidates can be compared.
//!
//! ```
//! use loopbreak::{Config, Guard, Proposal, Step};
//!
//! # fn main() -> Result<(), serde_json::Error> {
//! let mut guard = Guard::new(Config::default());
//! for line in [
//!     r#"{"place":"Dam"}"#,
//!     r#"{"action":"north","place":"Lobby"}"#,
//!     r#"{"action":"south","place":"Dam"}"#,
//!     r#"{"action":"north","place":"Lobby"}"#,
//! ] {
//!     guard.observe(&Step::from_json(line)?);
//! }
//! // South leads back into the oscillation. Nothing speaks against east.
//! assert!(!guard.weigh(&Proposal::new("south", 0.9)).accepted);
//! assert!(guard.weigh(&Proposal::new("east", 0.6)).accepted);
//! # Ok(())
//! # }
//! ```
//!
//! # Choose the settings
//!
//! A profile is a set of defaults. Change single options in code, or load a file with the crate `loopbreak-config`. A
//! [`Config`](crate::Config) that exists is valid.
//!
//! ```
//! use loopbreak::{Config, Mode, Profile, Settings};
//!
//! let mut settings = Settings::from(Profile::Coding);
//! settings.mode = Mode::Observe;
//! settings.cycle.hard_at = 6;
//! let config = Config::new(settings).unwrap();
//! assert_eq!(config.cycle.hard_at, 6);
//!
//! let mut invalid = Settings::default();
//! invalid.stagnation.warn_at = 50;
//! assert!(Config::new(invalid).is_err());
//! ```
//!
//! # Store a run and resume it
//!
//! ```
//! use loopbreak::{Config, Guard, Snapshot, Step};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut guard = Guard::new(Config::default());
//! guard.observe(&Step::from_json(r#"{"action":"look","outcome":"A dam."}"#)?);
//! let stored = serde_json::to_string(&guard.snapshot())?;
//!
//! let snapshot: Snapshot = serde_json::from_str(&stored)?;
//! let mut resumed = Guard::restore(Config::default(), snapshot)?;
//! let verdict = resumed.observe(&Step::from_json(r#"{"action":"look","outcome":"A dam."}"#)?);
//! assert_eq!(verdict.turn, 2);
//! # Ok(())
//! # }
//! ```
