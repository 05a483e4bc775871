//! Rounds of the same calls on the same targets, with new text in each, of which one edit is rejected every time.

use super::settings::DriftSettings;
use crate::detectors::repetition::{PeriodTracker, WHOLE};
use crate::detectors::{Detection, DetectionCollector, LoopFamily, Pattern, StepContext};
use crate::fingerprint::{ActionKind, StepFingerprints};
use crate::memory::{HashKey, WideNumber, key_of, key_of_parts, snapshot_type};
use crate::verdict::Severity;

/// Longest round, in calls.
const LONGEST: u32 = 8;

snapshot_type! {
    /// The calls without the texts they write.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct RoundTracker {
        rounds: PeriodTracker,
        /// One bit for each of the last calls, the newest in the lowest bit: set if it is a rejected edit.
        rejected: WideNumber<u32>,
    }
}

impl RoundTracker {
    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if prints.outcome.is_none() || context.measured || context.step.refused {
            return;
        }
        let rejected = prints.failed && prints.kind == ActionKind::Edit;
        self.rejected.0 = (self.rejected.0 << 1) | u32::from(rejected);
        // Without a rejected edit there is no such round.
        if self.rejected.0 == 0 {
            return;
        }
        let key = coarse_key(context, prints);
        let Some(round) = self.rounds.push(key, context.turn, WHOLE, LONGEST) else { return };
        // A round of one or two calls belongs to other patterns, and edits that are not rejected are experiments.
        if round.period < 3 || self.rejected.0 & ((1 << round.period) - 1) == 0 {
            return;
        }
        let severity = if settings.hard_at > 0 && round.times >= settings.hard_at.saturating_sub(1) {
            Severity::Hard
        } else if round.times >= settings.warn_at {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::RejectedRounds,
            family: LoopFamily::Action,
            identity: key_of_parts(&[self.rounds.identity(round.period), HashKey(21)]),
            since: round.since,
            severity: Some(severity),
            stage: 0,
            count: round.times,
            requested_intervention: None,
        });
        evidence.note("period", round.period).note("rounds", round.times);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
        if let Some(text) = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
            evidence.quote("outcome", text);
        }
    }
}

/// Returns the key of a call by its tool, its target and whether it failed, without the text it writes.
fn coarse_key(context: &StepContext<'_>, prints: &StepFingerprints<'_>) -> HashKey {
    let table = &context.tables.actions;
    let target = context.action.and_then(|action| {
        let path = table.path_of(action).map(|path| key_of(path.trim()));
        path.or_else(|| table.command(action).map(|command| key_of(command.trim())))
    });
    let failure = prints.outcome.filter(|_| prints.failed).unwrap_or(HashKey(1));
    key_of_parts(&[prints.tool, target.unwrap_or(prints.call), failure])
}
