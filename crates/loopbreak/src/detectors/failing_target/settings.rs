//! Options of `failing_target`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::detectors::repetition::whole;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Options of the detector `failing_target`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FailingTargetSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of failures at one target, without a success in between, that gives a warning.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of failures at one target that triggers an intervention. 0 disables it.
    pub hard_at: u32,
    /// Number of other calls after which a target is forgotten.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub forget_after: u32,
    /// Words or phrases that mark the first sentence of a short reply as a refusal. They apply to commands in natural
    /// language, not to tool calls.
    pub refusals: Vec<String>,
}

/// Words that refuse a command, in games and elsewhere.
const REFUSALS: [&str; 22] = [
    "can't",
    "cannot",
    "couldn't",
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "isn't",
    "aren't",
    "not",
    "there is no",
    "there's no",
    "no such",
    "no way",
    "no effect",
    "nothing",
    "never",
    "unable",
    "locked",
    "impossible",
    "refuses",
    "already",
];

impl Default for FailingTargetSettings {
    fn default() -> Self {
        FailingTargetSettings {
            mode: Mode::Enforce,
            warn_at: 4,
            hard_at: 8,
            forget_after: 20,
            refusals: REFUSALS.map(str::to_owned).to_vec(),
        }
    }
}

impl DetectorSettings for FailingTargetSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.within("forget_after", self.forget_after, &(1..=1000));
    }
}

impl FailingTargetSettings {
    /// Returns how bad repeats of this weight are.
    pub(super) fn severity(&self, weight: u32) -> Option<Severity> {
        if self.hard_at > 0 && weight >= whole(self.hard_at) {
            Some(Severity::Hard)
        } else {
            (weight >= whole(self.warn_at)).then_some(Severity::Warn)
        }
    }
}
