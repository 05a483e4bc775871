//! What a detector is: it reads a context, and says what it sighted.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::report_latch::ReportLatch;
use super::{DetectorName, Pattern};
use crate::event::{Event, RunId};
use crate::evidence::Evidence;
use crate::fingerprint::{ActionKind, Fingerprints, VocabularyTables};
use crate::memory::Key;
use crate::place::{PlaceMap, PlaceTrail};
use crate::step::{Action, Step};
use crate::verdict::{Intervention, Severity, StepProgress};

/// One way of being stuck. Its memory is bounded and serializable; its settings are given to it, for they are no part
/// of the memory.
pub(crate) trait Detector: Default + Serialize + DeserializeOwned {
    /// Its options.
    type Settings;

    /// Reads a step and says what it sighted.
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &Self::Settings,
        out: &mut DetectionCollector<'_>,
    );

    /// What it takes in a snapshot, at most, where a turn takes so many digits.
    fn bytes(&self, digits: usize) -> usize;

    /// Says what it thinks of a proposal.
    fn weigh(&self, _bid: &ProposalContext<'_>, _settings: &Self::Settings, _draft: &mut ProposalReview) {}
}

/// A step with everything that is known about it before any detector looks.
pub(crate) struct StepContext<'s> {
    pub(crate) step: &'s Step<'s>,
    /// The step got further than any before it.
    pub(crate) further: bool,
    /// The run tells how far it got: by a score, an objective, a mark or a place.
    pub(crate) measured: bool,
    /// It does so by more than places, so that `stagnation` knows when it has been stuck for too long.
    pub(crate) scored: bool,
    /// The agent's step before this one was nothing but waiting.
    pub(crate) after_wait: bool,
    /// The step's fingerprints, where it has an action that no rule of the user's allows.
    pub(crate) prints: Option<&'s Fingerprints<'s>>,
    /// How many changes there were so far, this step's included.
    pub(crate) epoch: u64,
    /// The tables by which actions and replies are understood.
    pub(crate) tables: &'s VocabularyTables,
    /// The run's id.
    pub(crate) run: &'s RunId,
    pub(crate) turn: u64,
    /// How many turns the run has had, this one included.
    pub(crate) turns: u64,
    /// The latest time seen, and the first.
    pub(crate) now: Option<i64>,
    pub(crate) started: Option<i64>,
    /// The time since the step before, where both have one.
    pub(crate) passed: Option<i64>,
    pub(crate) agent: &'s str,
    /// Whether the agent is at another place than before.
    pub(crate) moved: bool,
    pub(crate) trail: &'s PlaceTrail,
    pub(crate) map: &'s PlaceMap,
    /// How the step's action was weighed before it was taken, where the critic had scored it.
    pub(crate) weighed: Option<&'s WeighedProposal>,
}

/// How an action was weighed.
#[derive(Debug)]
pub(crate) struct WeighedProposal {
    /// The proposal: this action at this place.
    pub(crate) proposal: Key,
    pub(crate) base: f64,
    pub(crate) accept_at: f64,
    pub(crate) rejected: bool,
    pub(crate) review: ProposalReview,
}

/// A proposal with everything that is known about it.
pub(crate) struct ProposalContext<'b> {
    pub(crate) action: &'b Action<'b>,
    /// The turn the proposal is for.
    pub(crate) turn: u64,
    /// Where the agent is.
    pub(crate) from: Option<Key>,
    /// Where the action is known to lead.
    pub(crate) destination: Option<Key>,
    /// Whether a critic scored it.
    pub(crate) scored: bool,
    /// Its fingerprints, where no rule of the user's allows it and someone reads them.
    pub(crate) prints: Option<ProposalFingerprint>,
    pub(crate) tables: &'b VocabularyTables,
    /// A rule of the user's says that this action is never a loop.
    pub(crate) allowed: bool,
    pub(crate) trail: &'b PlaceTrail,
    pub(crate) map: &'b PlaceMap,
}

/// What is known of a proposal before anything came of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProposalFingerprint {
    /// The agent.
    pub(crate) agent: Key,
    pub(crate) kind: ActionKind,
    /// The action, however it was written down.
    pub(crate) call: Key,
    /// How many changes there were so far: after a change, the same call is another experiment.
    pub(crate) epoch: u64,
    /// The run tells how far it got.
    pub(crate) measured: bool,
}

/// Findings of one family can be findings of one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) enum LoopFamily {
    /// No progress.
    Progress,
    /// The same places.
    Place,
    /// The same proposals, refused.
    Proposal,
    /// The same actions.
    Action,
    /// The same outputs.
    Output,
    /// The same task.
    Task,
    /// A limit.
    Limit,
    /// Errors in a row.
    Errors,
    /// The same runs.
    Run,
}

/// What a detector sighted in one step.
#[derive(Clone, Debug)]
pub(crate) struct Detection {
    pub(crate) pattern: Pattern,
    pub(crate) family: LoopFamily,
    /// The same for every detection of one loop.
    pub(crate) identity: Key,
    pub(crate) since: u64,
    /// How bad it is; nothing for a mere repeat, which matters only to a loop that was warned of before.
    pub(crate) severity: Option<Severity>,
    /// Grades inside one severity.
    pub(crate) stage: u8,
    pub(crate) count: u32,
    /// What is to be done about it where that is not plain from the severity.
    pub(crate) requested_intervention: Option<Intervention>,
}

/// A detection on its way to the policy.
#[derive(Debug)]
pub(crate) struct DetectorReport {
    pub(crate) detector: DetectorName,
    pub(crate) acted: bool,
    pub(crate) detection: Detection,
    /// Not reported before, or worse than when it was.
    pub(crate) news: bool,
    pub(crate) evidence: Evidence,
}

/// Collects what one detector sights in one step.
pub(crate) struct DetectionCollector<'o> {
    pub(super) detector: DetectorName,
    pub(super) acted: bool,
    pub(super) latch: &'o mut ReportLatch,
    /// The number of the step among those the detector sees.
    pub(super) step: u64,
    /// Standing advice is given on every turn.
    pub(super) repeat: bool,
    pub(super) reports: &'o mut Vec<DetectorReport>,
    pub(super) events: &'o mut Vec<Event>,
    pub(super) progress: &'o mut StepProgress,
}

impl DetectionCollector<'_> {
    /// Notes a detection. Gives the evidence to fill in: a detection that is no news can still be acted on, where a
    /// loop that had paused goes on, and then the act has to say why.
    pub(crate) fn add(&mut self, detection: Detection) -> &mut Evidence {
        let news = detection.severity.is_some_and(|severity| {
            self.latch.is_news(detection.identity, severity, detection.stage, detection.count, self.step)
        });
        self.add_as(detection, news)
    }

    /// The same for a detector that knows by itself what is news.
    pub(crate) fn add_as(&mut self, detection: Detection, news: bool) -> &mut Evidence {
        let (detector, acted, at) = (self.detector, self.acted, self.reports.len());
        self.reports.push(DetectorReport { detector, acted, detection, news, evidence: Evidence::default() });
        &mut self.reports[at].evidence
    }

    /// Whether the detection just noted is told of: it is news, or standing advice is given on every turn.
    pub(crate) fn is_reported(&self) -> bool {
        let last = self.reports.last();
        last.is_some_and(|report| report.news || (self.repeat && report.detection.severity.is_some()))
    }

    /// Notes what happened, for the log.
    pub(crate) fn event(&mut self, event: impl Into<Event>) {
        self.events.push(event.into());
    }

    /// Notes that the step was progress.
    pub(crate) fn progress(&mut self, progress: StepProgress) {
        *self.progress = progress;
    }
}

/// What the detectors think of a proposal.
#[derive(Debug, Default)]
pub(crate) struct ProposalReview {
    pub(crate) adjustments: Vec<ReviewAdjustment>,
    pub(crate) hints: Vec<(DetectorName, Pattern, Evidence)>,
    /// Who is being asked, and whether it acts.
    pub(super) speaker: Option<(DetectorName, bool)>,
    /// What a proposal loses that goes on with a loop of actions.
    repeat_penalty: f64,
}

/// One adjustment of a proposal's score.
#[derive(Debug, Clone)]
pub(crate) struct ReviewAdjustment {
    pub(crate) detector: DetectorName,
    /// False where the detector only observes: told, but not applied.
    pub(crate) acted: bool,
    pub(crate) amount: f64,
    pub(crate) reason: String,
    /// How many recent visits it is about, where that matters.
    pub(crate) visits: u32,
    /// How bad the loop of actions is that the proposal would go on with, where it is about one.
    pub(crate) repeats: Option<Severity>,
}

impl ProposalReview {
    /// A review for a proposal that loses so much if it goes on with a loop of actions.
    pub(crate) fn new(repeat_penalty: f64) -> Self {
        ProposalReview { repeat_penalty, ..ProposalReview::default() }
    }

    /// Raises or lowers the score.
    pub(crate) fn adjust(&mut self, amount: f64, visits: u32, reason: String) {
        if let Some((detector, acted)) = self.speaker {
            let repeats = None;
            self.adjustments.push(ReviewAdjustment { detector, acted, amount, reason, visits, repeats });
        }
    }

    /// Says that the proposal would go on with a loop of actions.
    pub(crate) fn repeats(&mut self, severity: Severity, reason: String) {
        if let Some((detector, acted)) = self.speaker {
            let (amount, repeats) = (self.repeat_penalty, Some(severity));
            self.adjustments.push(ReviewAdjustment { detector, acted, amount, reason, visits: 0, repeats });
        }
    }

    /// What a hint of this pattern says.
    pub(crate) fn hint_of(&self, pattern: Pattern) -> Option<&Evidence> {
        self.hints.iter().find(|(_, known, _)| *known == pattern).map(|(_, _, evidence)| evidence)
    }

    /// Adds a hint.
    pub(crate) fn hint(&mut self, pattern: Pattern, evidence: Evidence) {
        if let Some((detector, _)) = self.speaker {
            self.hints.push((detector, pattern, evidence));
        }
    }
}
