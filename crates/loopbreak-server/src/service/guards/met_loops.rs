//! The loops that a step belongs to, as the store adds them up over all runs.

use std::collections::BTreeMap;

use loopbreak::settings::AllowRule;
use loopbreak::text::clip;
use loopbreak::{DetectorName, Finding, Severity, Step, Verdict};
use loopbreak_store::KnownLoop;
use loopbreak_store::service::{LoopUpdate, RunVerdict};

use super::step_figures::{cost_of, tokens_of};

/// Longest text of a loop that is stored, in bytes.
const TEXT_BYTES: usize = 200;

/// Adds the loops of a verdict to those that are not stored yet. `known` are the loops of the run, and `model` is the last model.
/// Returns the detector of the loop that the step belongs to, if there is one.
pub(super) fn note_loops(
    known: &[KnownLoop],
    model: &str,
    step: &Step<'_>,
    verdict: &Verdict,
    judged: RunVerdict,
    loops: &mut BTreeMap<String, LoopUpdate>,
) -> Option<String> {
    let mut met: Vec<String> = Vec::new();
    for finding in verdict.findings.iter().filter(|finding| finding.severity != Severity::Hint) {
        let id = finding.loop_id.to_string();
        let update = loops.entry(id.clone()).or_default();
        describe_loop(update, &id, finding, step, model);
        if !met.contains(&id) {
            update.findings += 1;
            met.push(id);
        }
    }
    for id in &verdict.sighted {
        let id = id.to_string();
        let is_reported = known.iter().any(|known| known.id == id && known.severity != "hint");
        if is_reported && !met.contains(&id) {
            met.push(id);
        }
    }
    for id in &met {
        let update = loops.entry(id.clone()).or_default();
        update.loop_id.clone_from(id);
        if let Some(known) = known.iter().find(|known| known.id == *id).filter(|_| update.detector.is_empty())
        {
            update.detector.clone_from(&known.detector);
            update.pattern.clone_from(&known.pattern);
        }
        update.steps += 1;
        update.cost += cost_of(step);
        update.tokens = update.tokens.saturating_add(tokens_of(step));
    }
    let first = met.first().filter(|_| judged != RunVerdict::Clear)?;
    Some(loops.get(first).map_or_else(String::new, |update| update.detector.clone()))
}

/// Describes a loop by a finding.
fn describe_loop(update: &mut LoopUpdate, id: &str, finding: &Finding, step: &Step<'_>, model: &str) {
    id.clone_into(&mut update.loop_id);
    // The detector that found the loop first describes it.
    if update.detector.is_empty() {
        update.detector = finding.detector.to_string();
        update.pattern = finding.pattern.to_string();
    }
    update.severity = finding.severity.to_string();
    clip(finding.reason(), 2 * TEXT_BYTES).clone_into(&mut update.reason);
    step.model.as_deref().unwrap_or(model).clone_into(&mut update.model);
    let Some(action) = &step.action else { return };
    clip(&action.name, TEXT_BYTES).clone_into(&mut update.tool);
    let line = finding.evidence.text("action").map_or_else(|| action.line().into_owned(), str::to_owned);
    update.action = loopbreak_store::redact_and_truncate(&line);
    if is_about_a_call(finding.detector) && action.args.is_some() {
        update.rule = serde_json::to_string(&AllowRule::of_call(action)).unwrap_or_default();
    }
}

/// Returns whether the loops of a detector are about one call, which a rule can let pass.
fn is_about_a_call(detector: DetectorName) -> bool {
    matches!(
        detector,
        DetectorName::Cycle
            | DetectorName::Recurrence
            | DetectorName::Drift
            | DetectorName::FailingTarget
            | DetectorName::Noop
            | DetectorName::Poll
            | DetectorName::Rework
    )
}
