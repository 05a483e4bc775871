//! The detectors of the user within a guard.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CustomContext, CustomDetector, CustomFindings, CustomReview};
use crate::detectors::report_latch::ReportLatch;
use crate::detectors::{
    CustomName, DetectionCollector, DetectorName, ObservationOutput, ProposalContext, ProposalReview,
    StepContext,
};
use crate::settings::{Mode, Settings};

/// Maximum number of detectors of the user in a guard.
pub const MAX_CUSTOM_DETECTORS: usize = 4;

/// Maximum size of the state of a detector of the user in a snapshot, as JSON in bytes.
pub const CUSTOM_STATE_BYTES: usize = 4096;

/// Upper bound of the name, the latch and the punctuation of one detector in a snapshot, in bytes.
const SLOT_BYTES: usize = 640;

/// A detector that cannot be added to a guard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddDetectorError {
    /// Another detector has this name.
    #[error("there is already a detector named {0}: choose another name")]
    NameTaken(CustomName),
    /// The guard has as many detectors of the user as it can have.
    #[error("a guard can have {MAX_CUSTOM_DETECTORS} detectors of your own: combine some of them")]
    TooMany,
}

/// The detectors of the user in one guard.
#[derive(Clone, Debug, Default)]
pub(crate) struct CustomSlots {
    slots: Vec<CustomSlot>,
    /// States from the snapshot that the guard was restored from, until their detectors are added.
    restored: Vec<CustomState>,
}

#[derive(Debug)]
struct CustomSlot {
    name: CustomName,
    latch: ReportLatch,
    detector: Box<dyn CustomDetector>,
}

impl Clone for CustomSlot {
    fn clone(&self) -> Self {
        CustomSlot { name: self.name, latch: self.latch.clone(), detector: self.detector.clone_detector() }
    }
}

impl From<Vec<CustomState>> for CustomSlots {
    /// Starts without detectors. Those that are added later continue from these states.
    fn from(restored: Vec<CustomState>) -> Self {
        CustomSlots { slots: Vec::new(), restored }
    }
}

/// The state of one detector of the user in a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CustomState {
    name: String,
    #[serde(default)]
    latch: ReportLatch,
    #[serde(default)]
    state: Value,
}

impl CustomSlots {
    /// Adds a detector. It continues from its state in the snapshot that the guard was restored from, if there is one.
    pub(crate) fn add(&mut self, mut detector: Box<dyn CustomDetector>) -> Result<(), AddDetectorError> {
        let name = detector.name();
        let is_known = DetectorName::ALL.iter().any(|known| known.as_str() == name.as_str());
        if is_known || self.slots.iter().any(|slot| slot.name == name) {
            return Err(AddDetectorError::NameTaken(name));
        }
        if self.slots.len() >= MAX_CUSTOM_DETECTORS {
            return Err(AddDetectorError::TooMany);
        }
        let state = self.restored.iter().position(|state| state.name == name.as_str());
        let latch = state.map_or_else(ReportLatch::default, |index| {
            let CustomState { latch, state, .. } = self.restored.swap_remove(index);
            if !state.is_null() {
                detector.restore(&state);
            }
            latch
        });
        self.slots.push(CustomSlot { name, latch, detector });
        Ok(())
    }

    /// Shows a step to every detector.
    pub(crate) fn observe(
        &mut self,
        context: &StepContext<'_>,
        step: u64,
        settings: &Settings,
        output: &mut ObservationOutput<'_>,
    ) {
        for slot in &mut self.slots {
            let detector = DetectorName::Custom(slot.name);
            let mode = settings.mode_of(detector);
            if mode == Mode::Off {
                continue;
            }
            if context.origin.user {
                slot.latch.reset();
            }
            let collector = DetectionCollector {
                detector,
                enforced: mode == Mode::Enforce,
                latch: &mut slot.latch,
                step,
                repeat: settings.policy.repeat_advice,
                reports: &mut output.reports,
                events: output.events,
                progress: &mut output.progress,
            };
            let mut findings = CustomFindings::new(collector, context.turn);
            slot.detector.observe(&CustomContext(context), &mut findings);
        }
    }

    /// Asks every detector to review a proposal. A rule of the user that allows the action overrides them.
    pub(crate) fn weigh(
        &self,
        proposal: &ProposalContext<'_>,
        settings: &Settings,
        review: &mut ProposalReview,
    ) {
        for slot in self.slots.iter().filter(|_| !proposal.allowed) {
            let detector = DetectorName::Custom(slot.name);
            let mode = settings.mode_of(detector);
            if mode != Mode::Off {
                review.speaker = Some((detector, mode == Mode::Enforce));
                slot.detector.weigh(proposal.action, proposal.turn, &mut CustomReview(review));
            }
        }
    }

    /// Returns the states for a snapshot. A state that is too large is left out.
    pub(crate) fn states(&self) -> Vec<CustomState> {
        let fits = |state: &Value| state.to_string().len() <= CUSTOM_STATE_BYTES;
        let states = self.slots.iter().map(|slot| CustomState {
            name: slot.name.as_str().to_owned(),
            latch: slot.latch.clone(),
            state: Some(slot.detector.snapshot()).filter(fits).unwrap_or_default(),
        });
        states.collect()
    }

    /// Returns an upper bound of the size of the states in a snapshot, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * (SLOT_BYTES + CUSTOM_STATE_BYTES)
    }
}
