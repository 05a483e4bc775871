//! `failing_target`: one target that keeps failing, whatever is tried.
//!
//! Catches: four failures at one target (a file, an address, a thing at a place), or eight for hard, across
//! different tools, verbs and replies: open, push, pry and kick one grating, write and replace one file, list
//! one folder that does not exist. A failure is marked as one or starts like one. A command in natural
//! language also fails if the reply contains a word of refusal.
//! Must not catch: a target that works in between; tests that fail between effective edits; a batch over many
//! files; searches; looking at many things; a thing that was left for a while, or that is tried again after
//! something else was done; polling with pauses.
//! Origin: complaints 22, 23, 24.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::FailingTargetSettings;
use super::repetition::RefusedProposals;
use super::repetition::{WHOLE, whole};
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::fingerprint::{ActionAim, ActionKind, ActionManner, ActionTarget, ReplyMeaning};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::place::action_direction;
use crate::text::clip::clip;
use crate::text::quoted;
use crate::verdict::Severity;

/// Number of failing targets that are tracked at the same time.
const TARGETS: usize = 8;
/// Number of successful commands in natural language that are remembered.
const DEEDS: usize = 16;
/// Number of bytes of a failure that are searched for the name of a target.
const NAMING: usize = 600;

snapshot_type! {
    /// The detector `failing_target`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct FailingTargetDetector {
        targets: RingBuffer<FailureRecord, TARGETS>,
        /// Number of calls so far.
        calls: u64,
        /// The place of the agent after the last call.
        here: HashKey,
        /// The last successful commands in natural language.
        deeds: RingBuffer<HashKey, DEEDS>,
        refusals: RefusedProposals,
    }
}

snapshot_type! {
    /// A target that failed and has not succeeded since.
    #[derive(Clone, Copy, Debug)]
    struct FailureRecord {
        /// The target at its place.
        #[serde(rename = "k")]
        key: HashKey,
        /// The tool that failed last.
        #[serde(rename = "t")]
        tool: HashKey,
        /// The strongest manner in which it was tried.
        #[serde(rename = "m")]
        manner: ActionManner,
        #[serde(rename = "c")]
        count: u32,
        #[serde(rename = "w")]
        weight: u32,
        #[serde(rename = "s")]
        since: u64,
        /// The number of the call that failed last.
        #[serde(rename = "l")]
        last: u64,
    }
}

impl FailureRecord {
    /// Returns whether a success shows that the target works after all. A file that can be read may still not
    /// be editable, and an edit that was made before does not count.
    fn is_cleared_by(&self, aim: &ActionAim, kind: ActionKind, effect: bool) -> bool {
        match aim.manner {
            ActionManner::Do if kind == ActionKind::Edit => effect,
            ActionManner::Do => true,
            ActionManner::Look => self.manner == ActionManner::Look,
            ActionManner::Run => self.manner == ActionManner::Look || self.tool == aim.tool,
        }
    }

    /// Returns whether an action would be another attempt. Looking at a thing that cannot be changed is not
    /// one.
    fn is_tried_by(&self, aim: &ActionAim) -> bool {
        match aim.manner {
            ActionManner::Do => true,
            ActionManner::Look => self.manner == ActionManner::Look,
            ActionManner::Run => self.tool == aim.tool,
        }
    }
}

impl Detector for FailingTargetDetector {
    type Settings = FailingTargetSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Call;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for FailingTargetDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &FailingTargetSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            self.targets.clear();
        }
        let here = context.trail.here().unwrap_or_default();
        let before = std::mem::replace(&mut self.here, here);
        // The first known place is where the agent already was.
        let moved = context.moved && before != HashKey::NONE;
        let (Some(prints), Some(action)) = (context.prints, context.action) else { return };
        if context.step.refused {
            let aim = context.tables.actions.aim(action, prints.kind);
            let known = aim.and_then(|aim| self.tried_again(&aim, here, settings));
            if let Some((_, reason)) = known {
                self.refusals.insist(DetectorName::FailingTarget, prints.call, reason, context, out);
            }
            return;
        }
        self.calls += 1;
        let (calls, forget_after) = (self.calls, u64::from(settings.forget_after));
        self.targets.retain(|known| calls <= known.last + forget_after);
        // A command after a change is a new experiment.
        if prints.effect {
            self.targets.retain(|known| known.manner != ActionManner::Run);
        }
        let text = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
        let goes = text.is_some() && action_direction(action).is_some();
        let outcome = match text {
            _ if prints.failed => ReplyMeaning::Refusal,
            _ if moved => ReplyMeaning::Success,
            // The reply of a tool is not judged by its words.
            Some(text) if goes || !action.is_structured() => context.tables.refusals.reply(text),
            Some(_) => ReplyMeaning::Success,
            None => return,
        };
        // In a log without places, a successful move leads away from all targets.
        if before == HashKey::NONE && here == HashKey::NONE && outcome == ReplyMeaning::Success && goes {
            self.targets.clear();
        }
        // Most calls succeed while no target is failing, so they need no target.
        if self.targets.len() == 0 && outcome != ReplyMeaning::Refusal {
            return;
        }
        let Some(aim) = context.tables.actions.aim(action, prints.kind) else { return };
        let place = if moved { before } else { here };
        if context.attempt.repeats_failure {
            return;
        }
        if prints.failed || (aim.spoken && outcome == ReplyMeaning::Refusal) {
            self.fail(&aim, place, text.unwrap_or_default(), context, settings, out);
        } else if !aim.spoken || outcome == ReplyMeaning::Success {
            // In a game, every new successful command may change the environment, so an earlier failure may
            // succeed now.
            if aim.spoken
                && aim.manner == ActionManner::Do
                && !self.deeds.iter().any(|deed| *deed == prints.call)
            {
                self.deeds.push(prints.call);
                self.targets.clear();
            }
            let cleared = |known: &FailureRecord| {
                aim.targets.iter().any(|target| at(target, place) == known.key)
                    && known.is_cleared_by(&aim, prints.kind, prints.effect)
            };
            self.targets.retain(|known| !cleared(known));
        }
    }

    fn weigh(
        &self,
        proposal: &ProposalContext<'_>,
        settings: &FailingTargetSettings,
        review: &mut ProposalReview,
    ) {
        let Some(prints) = &proposal.prints else { return };
        if self.targets.iter().all(|known| known.weight < whole(settings.warn_at)) {
            return;
        }
        let aim = proposal.tables.actions.aim(proposal.action, prints.kind);
        let here = proposal.from.unwrap_or_default();
        if let Some((severity, reason)) = aim.and_then(|aim| self.tried_again(&aim, here, settings)) {
            review.object_to_repeat(severity, reason);
        }
    }
}

impl FailingTargetDetector {
    fn fail(
        &mut self,
        aim: &ActionAim,
        place: HashKey,
        failure: &str,
        context: &StepContext<'_>,
        settings: &FailingTargetSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        // A failed look in natural language is not an attempt, because things are looked at to see what can
        // be seen.
        if aim.spoken && aim.manner == ActionManner::Look {
            return;
        }
        let named = |target: &&ActionTarget| !aim.to_be_named || clip(failure, NAMING).contains(&target.text);
        let Some(target) = aim.targets.iter().find(named) else { return };
        let key = at(target, place);
        let known = self.targets.iter().find(|known| known.key == key).copied();
        let mut failing = known.unwrap_or(FailureRecord {
            key,
            tool: aim.tool,
            manner: aim.manner,
            count: 0,
            weight: 0,
            since: context.turn,
            last: 0,
        });
        self.targets.retain(|known| known.key != key);
        failing.weight =
            failing.weight.saturating_add(if failing.count == 0 { WHOLE } else { context.weight() });
        failing.count = failing.count.saturating_add(1);
        failing.manner = failing.manner.max(aim.manner);
        (failing.tool, failing.last) = (aim.tool, self.calls);
        self.targets.push(failing);
        let Some(severity) = settings.severity(failing.weight) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::FailingTarget,
            family: LoopFamily::Action,
            identity: key_of_parts(&[key, HashKey(10)]),
            since: failing.since,
            severity: Some(severity),
            stage: 0,
            count: failing.count,
            requested_intervention: None,
        });
        evidence.quote("target", &target.text).note("failures", failing.count).quote("failure", failure);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }

    /// Returns how bad another attempt would be and why, if the action targets something that keeps failing.
    fn tried_again(
        &self,
        aim: &ActionAim,
        here: HashKey,
        settings: &FailingTargetSettings,
    ) -> Option<(Severity, String)> {
        aim.targets.iter().find_map(|target| {
            let key = at(target, here);
            let known = self.targets.iter().find(|known| known.key == key && known.is_tried_by(aim))?;
            let severity = settings.severity(known.weight)?;
            let (text, count, since) = (quoted(&target.text), known.count, known.since);
            Some((severity, format!("tries {text} again, which failed {count} times since turn {since}")))
        })
    }
}

/// Returns the key of a target at a place.
fn at(target: &ActionTarget, place: HashKey) -> HashKey {
    key_of_parts(&[target.key, place])
}
