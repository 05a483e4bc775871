//! A tool that fails repeatedly in the same way, whatever its arguments.

use super::settings::DriftSettings;
use crate::detectors::repetition::WHOLE;
use crate::detectors::{Detection, DetectionCollector, LoopFamily, Pattern, StepContext};
use crate::fingerprint::{ActionKind, StepFingerprints};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::verdict::Severity;

/// Number of different failures that are tracked at the same time.
const FAILURES: usize = 4;

snapshot_type! {
    /// The recent failures of tools.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct FailureTracker {
        alike: RingBuffer<RepeatedFailure, FAILURES>,
        /// Failures of identical calls that came after a change. They are kept even if something is changed in
        /// between.
        vain: RingBuffer<RepeatedFailure, FAILURES>,
        /// True if something was changed since the last failure.
        changed: bool,
    }
}

snapshot_type! {
    /// One way in which a tool fails, or an identical call with its failure.
    #[derive(Clone, Copy, Debug)]
    struct RepeatedFailure {
        key: HashKey,
        /// True if something was only looked for. Then a success shows that the agent learns something.
        #[serde(default)]
        probes: bool,
        count: u32,
        weight: u32,
        since: u64,
    }
}

impl FailureTracker {
    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if prints.effect {
            self.alike.clear();
            self.changed = true;
        }
        if !prints.failed && prints.outcome.is_some() {
            self.alike.retain(|failure| !failure.probes);
        }
        // The failures of one message are one attempt.
        let counts = prints.failed && !context.attempt.repeats_failure;
        let Some(gist) = prints.outcome.filter(|_| counts) else { return };
        let probes = matches!(prints.kind, ActionKind::Read | ActionKind::Search);
        let alike = note(&mut self.alike, key_of_parts(&[prints.tool, gist]), probes, context);
        let call = key_of_parts(&[prints.call, gist]);
        if std::mem::take(&mut self.changed) {
            let vain = note(&mut self.vain, call, false, context);
            if let Some(severity) = settings.severity_of_vain_edits(vain.weight) {
                sight(context, Pattern::VainEdits, &vain, severity, out);
            }
        }
        if let Some(severity) = settings.severity(alike.weight) {
            sight(context, Pattern::SameFailure, &alike, severity, out);
        }
    }
}

/// Counts a failure.
fn note(
    among: &mut RingBuffer<RepeatedFailure, FAILURES>,
    key: HashKey,
    probes: bool,
    context: &StepContext<'_>,
) -> RepeatedFailure {
    let known = among.iter().find(|failure| failure.key == key).copied();
    let mut failure = known.unwrap_or(RepeatedFailure {
        key,
        probes,
        count: 0,
        weight: 0,
        since: context.turn,
    });
    among.retain(|failure| failure.key != key);
    failure.weight = failure.weight.saturating_add(if failure.count == 0 { WHOLE } else { context.weight() });
    failure.count = failure.count.saturating_add(1);
    among.push(failure);
    failure
}

fn sight(
    context: &StepContext<'_>,
    pattern: Pattern,
    failure: &RepeatedFailure,
    severity: Severity,
    out: &mut DetectionCollector<'_>,
) {
    let evidence = out.add(Detection {
        pattern,
        family: LoopFamily::Action,
        identity: key_of_parts(&[failure.key, HashKey(8)]),
        since: failure.since,
        severity: Some(severity),
        stage: 0,
        count: failure.count,
        requested_intervention: None,
    });
    evidence.note("failures", failure.count);
    if let Some(action) = &context.step.action {
        evidence.quote("action", &action.line());
    }
    if let Some(text) = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
        evidence.quote("failure", text);
    }
}
