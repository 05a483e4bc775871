//! `drift`: other arguments, the same failure; the same question in other words; ever more of the same.
//!
//! Catches: one tool that fails in the same way whatever it is given and whatever lies between (`same_failure`), a
//! search that is only reworded (`rephrased`), an amount that only grows (`sweep`: a depth of 2, 3, 4, …, pages beyond
//! the last one, or a command that is appended to itself), and a test that fails in the same way after one edit after the other (`vain_edits`).
//! Must not catch: a batch over many files with equal replies, for a success may look like the last one; different
//! searches without a match; pages with something on them; a failure after which something was changed, a few times;
//! waiting.
//! From: complaints 13, 16, 18, 22.

mod failure_tracker;
mod rephrase_tracker;
mod sweep_tracker;

use serde::{Deserialize, Serialize};

use self::failure_tracker::Failures;
use self::rephrase_tracker::Question;
use self::sweep_tracker::Sweep;
use super::repetition::whole;
use super::{DetectionCollector, Detector, StepContext};
use crate::fingerprint::ActionKind;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Other arguments, the same failure; the same question in other words; ever more of the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DriftSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// Warn at so many failures alike, or questions alike; half as many again where an amount only grows, and twice as
    /// many where an edit lies between two failures.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Act at so many failures alike, half as many again where an amount only grows; 0 for never. Questions alike and
    /// failures with an edit between them are only warned of.
    pub hard_at: u32,
    /// From this part of its words on, a question is the one before.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.3, max = 1.0)))]
    pub likeness: f64,
}

impl Default for DriftSettings {
    fn default() -> Self {
        DriftSettings { mode: Mode::Enforce, warn_at: 4, hard_at: 8, likeness: 0.6 }
    }
}

impl DriftSettings {
    pub(crate) fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.within("likeness", self.likeness, &(0.3..=1.0));
    }

    /// How bad it is that something came so often.
    fn severity(&self, weight: u32) -> Option<Severity> {
        if self.hard_at > 0 && weight >= whole(self.hard_at) {
            Some(Severity::Hard)
        } else {
            (weight >= whole(self.warn_at)).then_some(Severity::Warn)
        }
    }
}

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Drift {
    fails: Failures,
    asks: Question,
    sweep: Sweep,
}

impl Detector for Drift {
    type Settings = DriftSettings;

    fn bytes(&self, digits: usize) -> usize {
        60 + self.fails.bytes(digits) + self.asks.bytes(digits) + self.sweep.bytes(digits)
    }

    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.user.is_some() || context.further {
            *self = Drift::default();
        }
        let Some(prints) = context.prints else { return };
        if prints.kind == ActionKind::Wait {
            return;
        }
        self.fails.observe(context, prints, settings, out);
        self.sweep.observe(context, prints, settings, out);
        if prints.kind == ActionKind::Search {
            self.asks.observe(context, prints, settings, out);
        } else {
            // Whoever did something with an answer asks a new question, even in the same words.
            self.asks = Question::default();
        }
    }
}
