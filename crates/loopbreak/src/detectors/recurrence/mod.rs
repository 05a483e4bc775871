//! `recurrence`: the same action with the same outcome, repeated with other steps in between.
//!
//! Catches: one step that returns repeatedly after others (`again`), and a run in which many of the last
//! steps were done before, in any order (`recycling`). These loops have no period: 164 reads of one file that
//! wrap around, or a few failing calls in changing order.
//! Must not catch: edits that took effect, even if the same edit was made before; a run that makes progress meanwhile; the same call after a change, which is a new
//! experiment; a few repeats in a long run; waiting. Where a run reports progress (a score, an objective, a
//! place), returning to known ground is normal, so the limits are higher or there is only a warning.
//! Origin: complaints 15, 16, 21, 23.

pub(crate) mod settings;
mod texts;

use self::settings::RecurrenceSettings;
use super::repetition::RefusedProposals;
use super::repetition::{WHOLE, whole};
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, StepFingerprints};
use crate::memory::{
    HashKey, LruMap, RingBuffer, WideNumber, key_of, key_of_parts, snapshot_row, snapshot_type,
};
use crate::step::HarnessEvent;
use crate::verdict::Severity;

/// Number of fingerprints that are remembered for all agents together.
const KNOWN: usize = 192;
/// Number of agents whose last steps are kept.
const AGENTS: usize = 16;
/// Number of turns within which returns are close to each other.
const CLOSE: u64 = 8;
/// Number of calls that are remembered for all agents together, to compare proposals with.
const CALLS: usize = 64;

snapshot_type! {
    /// The detector `recurrence`. It has one store for all agents of the run, because fingerprints differ by
    /// agent.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct RecurrenceDetector {
        steps: LruMap<RecurringStep, KNOWN>,
        agents: RingBuffer<RecentSteps, AGENTS>,
        /// Counts the events after which a return starts a new count: progress, a change, a message from the
        /// user.
        era: u32,
        /// The last calls, by agent and place. A proposal is compared with these, because it has no outcome yet.
        calls: LruMap<RecurringCall, CALLS>,
        refusals: RefusedProposals,
    }
}

snapshot_row! {
    /// A call and its last outcome.
    #[derive(Clone, Copy, Debug)]
    struct RecurringCall {
        pair: HashKey,
        /// Number of times in a row with the same outcome.
        equal: u32,
        /// Number of changes before the call. After another change the call is worth trying again.
        epoch: u64,
    }
}

snapshot_row! {
    /// A step that was done before.
    #[derive(Clone, Copy, Debug)]
    struct RecurringStep {
        first: u64,
        /// Number of steps of its agent when it last occurred.
        last: u64,
        era: u32,
        /// The first turn of its returns in this era, their number and their weight.
        since: u64,
        count: u32,
        weight: u32,
    }
}

snapshot_type! {
    /// The last steps of an agent as bit sets, the newest step in the lowest bit. `repeats` marks steps that were
    /// done before, `slight` marks steps that are not plain repeats.
    #[derive(Clone, Copy, Debug, Default)]
    #[serde(default)]
    struct RecentSteps {
        agent: HashKey,
        steps: u64,
        repeats: WideNumber<u64>,
        slight: WideNumber<u64>,
        first: u64,
        /// Number of repeats at the last report, and whether that was hard. Reset when at most half of `warn_at`
        /// repeats are left in the window.
        told: u32,
        hard: bool,
    }
}

impl Detector for RecurrenceDetector {
    type Settings = RecurrenceSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Call;
    const MAY_REFUSE_CALLS: bool = true;
    const WARNS_BEFORE_REFUSING: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for RecurrenceDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &RecurrenceSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        // After a compaction the agent has to look again. `rework` judges that.
        let compacted = context.origin.harness == Some(HarnessEvent::Compaction);
        if compacted {
            self.steps = LruMap::default();
        }
        let ends = context.origin.user || context.further || compacted;
        let changes = context.prints.is_some_and(|prints| prints.effect);
        self.era = self.era.wrapping_add(u32::from(ends || changes));
        if ends {
            self.calls = LruMap::default();
        }
        if ends {
            for recent in self.agents.iter_mut() {
                (recent.repeats, recent.slight) = Default::default();
            }
        }
        let Some(prints) = context.prints else { return };
        if prints.kind == ActionKind::Wait || context.moved || context.attempt.repeats_call {
            return;
        }
        let agent = key_of(context.agent);
        let here = context.trail.here().unwrap_or_default();
        let call = key_of_parts(&[agent, prints.call, here]);
        // A refused proposal was not carried out, so it does not count as a return.
        if context.step.refused {
            if let Some((_, reason)) = self.comes_back(agent, call, context.epoch, context.measured, settings)
            {
                self.refusals.insist(DetectorName::Recurrence, call, reason, context, out);
            }
            return;
        }
        // An edit that took effect is not a repeat, whatever was done before. One that is undone belongs to `noop`.
        if prints.kind == ActionKind::Edit && !prints.idle && !prints.failed && prints.outcome.is_some() {
            return;
        }
        self.note_call(call, prints.pair, context.epoch);
        let mut recent = self.agents.iter().find(|recent| recent.agent == agent).copied().unwrap_or_default();
        recent.steps += 1;
        let (known, repeated) = self.note(context, prints, agent, recent.steps, settings.window);
        if ends {
            (recent.repeats, recent.slight) = Default::default();
        }
        if recent.repeats.0 == 0 {
            recent.first = known.first;
        }
        let window = (1_u64 << settings.window) - 1;
        let weight = context.weight_apart();
        recent.repeats.0 = ((recent.repeats.0 << 1) | u64::from(repeated)) & window;
        recent.slight.0 = ((recent.slight.0 << 1) | u64::from(weight < WHOLE)) & window;
        recent.agent = agent;
        if repeated {
            again(context, &known, key_of_parts(&[prints.pair, agent, HashKey(11)]), settings, out);
            recycling(context, &mut recent, &known, settings, out);
        } else if recent.repeats.0.count_ones() <= settings.warn_at / 2 {
            (recent.told, recent.hard) = (0, false);
        }
        self.agents.retain(|recent| recent.agent != agent);
        self.agents.push(recent);
    }

    fn weigh(
        &self,
        proposal: &ProposalContext<'_>,
        settings: &RecurrenceSettings,
        review: &mut ProposalReview,
    ) {
        let Some(prints) = &proposal.prints else { return };
        let call = key_of_parts(&[prints.agent, prints.call, proposal.from.unwrap_or_default()]);
        if let Some((severity, reason)) =
            self.comes_back(prints.agent, call, prints.epoch, prints.measured, settings)
        {
            review.object_to_repeat(severity, reason);
        }
    }
}

impl RecurrenceDetector {
    /// Records a step. Returns what is known about it, and whether it was done before.
    fn note(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        agent: HashKey,
        step: u64,
        window: u32,
    ) -> (RecurringStep, bool) {
        let here = context.trail.here().unwrap_or_default();
        // Text typed into an element is the same even if the element has another id after the page was loaded
        // again.
        let telling = prints.shape.filter(|shape| shape.masked && shape.telling);
        let same = telling.map_or(prints.pair, |shape| shape.key);
        let era = self.era;
        let key = key_of_parts(&[agent, same, here]);
        let repeated = self.steps.touch(key).is_some();
        let fresh =
            RecurringStep { first: context.turn, last: step, era, since: context.turn, count: 0, weight: 0 };
        let known = self.steps.touch_or_insert(key, || fresh);
        let gone_on = known.era == era && step - known.last.min(step) <= u64::from(window);
        if !gone_on {
            *known = RecurringStep { first: known.first, ..fresh };
        }
        // A step that directly follows itself is left to `cycle`. The first occurrence always has full
        // weight.
        let returns = known.count == 0 || step > known.last + 1;
        let weight = if known.count == 0 { WHOLE } else { context.weight_apart() };
        if returns {
            known.count = known.count.saturating_add(1);
            known.weight = known.weight.saturating_add(weight);
        }
        known.last = step;
        let known = *known;
        (known, repeated)
    }

    /// Records a call and its outcome.
    fn note_call(&mut self, call: HashKey, pair: HashKey, epoch: u64) {
        let known = self.calls.touch_or_insert(call, || RecurringCall { pair, equal: 0, epoch });
        known.equal =
            if (known.pair, known.epoch) == (pair, epoch) { known.equal.saturating_add(1) } else { 1 };
        (known.pair, known.epoch) = (pair, epoch);
    }

    /// Returns how bad it is to make this call again and why, if it keeps returning with the same outcome.
    fn comes_back(
        &self,
        agent: HashKey,
        call: HashKey,
        epoch: u64,
        measured: bool,
        settings: &RecurrenceSettings,
    ) -> Option<(Severity, String)> {
        let known = self.calls.peek(call).filter(|known| known.epoch == epoch)?;
        if let Some(severity) = settings.again(whole(known.equal), measured, false) {
            let reason = format!("was done {} times before, each time with the same outcome", known.equal);
            return Some((severity, reason));
        }
        // If most of the last calls were made before, another one of them continues that. In a run that
        // reports progress, none of them brought any. In other runs that is unknown.
        let recycles = measured && self.agents.iter().any(|recent| recent.agent == agent && recent.told > 0);
        let reason = || "was done before with the same outcome, as were most of the last calls".to_owned();
        recycles.then(|| (Severity::Warn, reason()))
    }
}

/// Reports one step that returns repeatedly.
fn again(
    context: &StepContext<'_>,
    known: &RecurringStep,
    identity: HashKey,
    settings: &RecurrenceSettings,
    out: &mut DetectionCollector<'_>,
) {
    let logged = context.prints.is_some_and(|prints| prints.outcome.is_some());
    let close = logged && context.turn.saturating_sub(known.since) < CLOSE;
    let Some(severity) = settings.again(known.weight, context.measured, close) else { return };
    let evidence = out.add(Detection {
        pattern: Pattern::Again,
        family: LoopFamily::Action,
        identity,
        since: known.since,
        severity: Some(severity),
        stage: 0,
        count: known.count,
        requested_intervention: None,
    });
    evidence.note("times", known.count).note("first_turn", known.since);
    if let Some(action) = &context.step.action {
        evidence.quote("action", &action.line());
    }
    if let Some(text) = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
        evidence.quote("outcome", text);
    }
}

/// Reports many steps that were all done before.
fn recycling(
    context: &StepContext<'_>,
    recent: &mut RecentSteps,
    known: &RecurringStep,
    settings: &RecurrenceSettings,
    out: &mut DetectionCollector<'_>,
) {
    let count = recent.repeats.0.count_ones();
    let slight = (recent.repeats.0 & recent.slight.0).count_ones();
    // Slight repeats count two fifths.
    let weight = whole(count) - 3 * slight;
    if count < 2 {
        return;
    }
    let hard = if context.measured { whole(settings.hard_at) * 5 / 2 } else { whole(settings.hard_at) };
    let severity = if settings.hard_at > 0 && !context.scored && weight >= hard {
        Some(Severity::Hard)
    } else {
        (weight >= whole(settings.warn_at)).then_some(Severity::Warn)
    };
    // Other steps lie between the repeats, but the loop stays the same.
    let hard = severity == Some(Severity::Hard);
    let news = severity.is_some() && (recent.told == 0 || (hard && !recent.hard) || count >= 2 * recent.told);
    if news {
        (recent.told, recent.hard) = (count, hard || recent.hard);
    }
    let detection = Detection {
        pattern: Pattern::Recycling,
        family: LoopFamily::Action,
        identity: key_of_parts(&[recent.agent, HashKey(6)]),
        since: recent.first,
        severity,
        stage: 0,
        count,
        requested_intervention: None,
    };
    let evidence = out.add_as(detection, news);
    evidence.note("repeats", count).note("window", settings.window).note("first_turn", known.first);
    if let Some(action) = &context.step.action {
        evidence.quote("action", &action.line());
    }
}
