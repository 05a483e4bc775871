//! The traits that every detector implements.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    DetectionCollector, DetectorSubject, DetectorTexts, Pattern, ProposalContext, ProposalReview, StepContext,
};
use crate::event::SafetyGuard;
use crate::evidence::Evidence;
use crate::memory::SnapshotSize;
use crate::settings::{Profile, SettingsChecks};

/// One way of being stuck, and everything that the rest of the program has to know about it.
pub(crate) trait Detector {
    /// The options.
    type Settings: DetectorSettings;

    /// The subject of its findings.
    const SUBJECT: DetectorSubject;

    /// True if the profile `documents` uses it. That profile never gets a new detector.
    const IN_DOCUMENTS_PROFILE: bool = false;

    /// True if a hook may refuse a call because of it: its objections are about the proposed call itself, not
    /// about the target of the call, for which another approach may be right.
    const MAY_REFUSE_CALLS: bool = false;

    /// True if a hook refuses a call because of it only after the agent was warned. A call that returns from
    /// time to time is healthy in a long session.
    const WARNS_BEFORE_REFUSING: bool = false;

    /// The texts about its findings.
    const TEXTS: &'static DetectorTexts;

    /// Returns whether it reads fingerprints with these settings. Fingerprints are computed only if a
    /// detector reads them.
    fn reads_fingerprints(_settings: &Self::Settings) -> bool {
        false
    }

    /// Returns the number of recent places it needs.
    fn place_history(_settings: &Self::Settings) -> u32 {
        0
    }

    /// Returns the safety guard that ends a run because of a pattern.
    fn safety_guard(_pattern: Pattern) -> SafetyGuard {
        SafetyGuard::LoopDetection
    }

    /// Returns how later warnings mention a finding, if not by its reason.
    fn label(_evidence: &Evidence) -> Option<String> {
        None
    }
}

/// A detector that reads the steps of a run. Its state is declared by `snapshot_type!`, which makes it bounded
/// and serializable. The settings are passed in, because they are not part of the state.
pub(crate) trait StepDetector:
    Detector + Default + Serialize + DeserializeOwned + SnapshotSize
{
    /// Reads a step and reports what it found.
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &Self::Settings,
        out: &mut DetectionCollector<'_>,
    );

    /// Reviews a proposal.
    fn weigh(
        &self,
        _proposal: &ProposalContext<'_>,
        _settings: &Self::Settings,
        _review: &mut ProposalReview,
    ) {
    }
}

/// The options of a detector.
pub(crate) trait DetectorSettings: Clone + Default {
    /// Changes the defaults for a profile.
    fn adjust_for(&mut self, _profile: Profile) {}

    /// Changes the limits for a proposal without a score: the proposed call counts like the calls that were made. Asked
    /// only of detectors that may refuse calls.
    fn count_proposed_call(&mut self) {}

    /// Checks the options.
    fn check(&self, checks: &mut SettingsChecks);
}
