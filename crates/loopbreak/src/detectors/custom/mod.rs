//! Detectors of your own.
//!
//! A [`CustomDetector`] sees every step of a run and reports findings, like the detectors that Loopbreak has. Its
//! findings are latched, pass through the policy and its ladder, and appear in the verdict under
//! [`DetectorName::Custom`](crate::DetectorName::Custom) and [`Pattern::Custom`](crate::Pattern::Custom). The mode of the
//! whole guard applies to them: `observe` reports them without acting, `off` calls no detector.
//!
//! ```
//! use loopbreak::detectors::CustomName;
//! use loopbreak::detectors::custom::{CustomContext, CustomDetector, CustomFinding, CustomFindings};
//! use loopbreak::{Action, Config, Guard, Intervention, Severity, Step};
//!
//! /// Reports three deployments without a test run between them.
//! #[derive(Clone, Debug, Default)]
//! struct UntestedDeploys {
//!     deploys: u32,
//!     since: u64,
//! }
//!
//! impl CustomDetector for UntestedDeploys {
//!     fn name(&self) -> CustomName {
//!         const { CustomName::from_static("untested_deploys") }
//!     }
//!
//!     fn observe(&mut self, context: &CustomContext<'_>, findings: &mut CustomFindings<'_>) {
//!         match context.step().action.as_ref().map(|action| &*action.name) {
//!             Some("test") => self.deploys = 0,
//!             Some("deploy") => {
//!                 if self.deploys == 0 {
//!                     self.since = context.turn();
//!                 }
//!                 self.deploys += 1;
//!             }
//!             _ => return,
//!         }
//!         if self.deploys >= 3 {
//!             let pattern = const { CustomName::from_static("deploy_loop") };
//!             let reason = format!("{} deployments without a test run", self.deploys);
//!             let finding = CustomFinding::new(pattern, Severity::Warn, reason);
//!             findings.add(finding.since(self.since).count(self.deploys));
//!         }
//!     }
//! }
//!
//! let mut guard = Guard::new(Config::default()).with_detector(Box::new(UntestedDeploys::default()))?;
//! let verdicts: Vec<_> = (0..3)
//!     .map(|number| {
//!         let args = serde_json::json!({"build": number});
//!         guard.observe(&Step { action: Some(Action::new("deploy").with_args(&args)), ..Step::default() })
//!     })
//!     .collect();
//! assert_eq!(verdicts[2].strongest(), Some(Intervention::Warn));
//! assert_eq!(verdicts[2].findings[0].reason(), "3 deployments without a test run");
//! # Ok::<(), loopbreak::detectors::custom::AddDetectorError>(())
//! ```
//!
//! A detector must depend on nothing but the steps that it was shown, or a replay of the log gives other verdicts than
//! the live run. Its memory has to be bounded. See [`CustomDetector::snapshot`] for the part that a snapshot stores.

mod custom_context;
mod custom_detector;
mod custom_finding;
mod custom_slots;
#[cfg(test)]
mod tests;

pub use custom_context::{CustomContext, CustomReview};
pub use custom_detector::{CloneDetector, CustomDetector};
pub use custom_finding::{CustomFinding, CustomFindings};
pub use custom_slots::{AddDetectorError, CUSTOM_STATE_BYTES, MAX_CUSTOM_DETECTORS};
pub(crate) use custom_slots::{CustomSlots, CustomState};
