//! `errors`: errors in a row.
//!
//! Catches: so many steps in a row whose outcome is an error. A warning; a stop only where `hard_at` is set, as in the
//! profiles `iterations` and `documents`.
//! Must not catch: errors with a success between them; a step that has no outcome (a thought, a message) neither
//! counts nor resets.
//! From: document 004, the fourth safety guard.

use serde::{Deserialize, Serialize};

use super::{Detection, DetectionCollector, Detector, LoopFamily, Pattern, StepContext};
use crate::memory::key_of_parts;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::{Intervention, Severity};

/// Errors in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ErrorsSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// Warn at so many errors in a row; 0 for never.
    pub warn_at: u32,
    /// Stop the run at so many errors in a row; 0 for never.
    pub hard_at: u32,
}

impl Default for ErrorsSettings {
    fn default() -> Self {
        ErrorsSettings { mode: Mode::Enforce, warn_at: 3, hard_at: 0 }
    }
}

impl ErrorsSettings {
    pub(crate) fn check(&self, checks: &mut SettingsChecks) {
        checks.that(self.hard_at == 0 || self.hard_at >= self.warn_at, "hard_at", || {
            (
                format!("hard_at ({}) must be at least warn_at ({})", self.hard_at, self.warn_at),
                "a warning does not come after the stop: raise hard_at or lower warn_at".into(),
            )
        });
    }
}

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Errors {
    count: u32,
    since: u64,
}

impl Detector for Errors {
    type Settings = ErrorsSettings;

    fn bytes(&self, digits: usize) -> usize {
        32 + digits
    }

    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &ErrorsSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.user.is_some() {
            self.count = 0;
        }
        let Some(outcome) = context.step.outcome.as_ref().filter(|_| !context.step.refused) else { return };
        if !outcome.error {
            self.count = 0;
            return;
        }
        self.count = self.count.saturating_add(1);
        if self.count == 1 {
            self.since = context.turn;
        }
        let reached = |limit: u32| limit > 0 && self.count >= limit;
        let severity = if reached(settings.hard_at) {
            Severity::Hard
        } else if reached(settings.warn_at) {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::ConsecutiveErrors,
            family: LoopFamily::Errors,
            identity: key_of_parts(&[self.since, 3]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.count,
            requested_intervention: Some(Intervention::Stop),
        });
        evidence.note("errors", self.count);
        if let Some(text) = &outcome.text {
            evidence.quote("last_error", text);
        }
    }
}
