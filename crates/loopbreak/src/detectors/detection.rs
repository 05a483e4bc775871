//! Detections: reports of a detector about a step.

use super::report_latch::ReportLatch;
use super::{DetectorName, Pattern};
use crate::event::Event;
use crate::evidence::Evidence;
use crate::memory::{HashKey, snapshot_type};
use crate::verdict::{Intervention, Severity, StepProgress};

snapshot_type! {
    /// The kind of thing that a loop consists of. Overlapping detections of one family can belong to one loop.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum LoopFamily {
        /// Turns without progress.
        Progress,
        /// Places.
        Place,
        /// Refused proposals.
        Proposal,
        /// Calls.
        Action,
        /// Side effects and work that is done again. They are loops of their own, whatever other calls repeat.
        Effect,
        /// Outputs.
        Output,
        /// Attempts at a task.
        Task,
        /// A limit.
        Limit,
        /// Errors in a row.
        Errors,
        /// Runs.
        Run,
        /// Anything that a detector of the user looks for.
        Custom,
    }
}

/// One finding of a detector in one step.
#[derive(Clone, Debug)]
pub(crate) struct Detection {
    pub(crate) pattern: Pattern,
    pub(crate) family: LoopFamily,
    /// Identifies the loop: every detection of one loop has the same value.
    pub(crate) identity: HashKey,
    pub(crate) since: u64,
    /// The severity. None for a plain repeat, which only matters to a loop that is already known.
    pub(crate) severity: Option<Severity>,
    /// Grades within one severity.
    pub(crate) stage: u8,
    pub(crate) count: u32,
    /// The intervention, if it does not follow from the severity.
    pub(crate) requested_intervention: Option<Intervention>,
}

/// A detection on its way to the policy.
#[derive(Debug)]
pub(crate) struct DetectorReport {
    pub(crate) detector: DetectorName,
    pub(crate) enforced: bool,
    pub(crate) detection: Detection,
    /// True if it is new, or worse than when it was last reported.
    pub(crate) news: bool,
    pub(crate) evidence: Evidence,
}

/// Collects the detections of one detector in one step.
pub(crate) struct DetectionCollector<'o> {
    pub(super) detector: DetectorName,
    pub(super) enforced: bool,
    pub(super) latch: &'o mut ReportLatch,
    /// The number of the step among those that the detector reads.
    pub(super) step: u64,
    /// True if standing advice is given on every turn.
    pub(super) repeat: bool,
    pub(super) reports: &'o mut Vec<DetectorReport>,
    pub(super) events: &'o mut Vec<Event>,
    pub(super) progress: &'o mut StepProgress,
}

impl DetectionCollector<'_> {
    /// Adds a detection and returns its evidence, which is still empty. Evidence is needed even if the detection is not
    /// new: the policy may act on a loop that continues after a pause.
    pub(crate) fn add(&mut self, detection: Detection) -> &mut Evidence {
        let news = detection.severity.is_some_and(|severity| {
            self.latch.is_news(detection.identity, severity, detection.stage, detection.count, self.step)
        });
        self.add_as(detection, news)
    }

    /// Adds a detection of a detector that decides which of its detections are news.
    pub(crate) fn add_as(&mut self, detection: Detection, news: bool) -> &mut Evidence {
        let (detector, enforced, at) = (self.detector, self.enforced, self.reports.len());
        self.reports.push(DetectorReport {
            detector,
            enforced,
            detection,
            news,
            evidence: Evidence::default(),
        });
        &mut self.reports[at].evidence
    }

    /// Returns whether the last detection is reported: it is new, or standing advice is given on every turn.
    pub(crate) fn is_reported(&self) -> bool {
        let last = self.reports.last();
        last.is_some_and(|report| report.news || (self.repeat && report.detection.severity.is_some()))
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, event: impl Into<Event>) {
        self.events.push(event.into());
    }

    /// Records the kinds of progress that the step made.
    pub(crate) fn progress(&mut self, progress: StepProgress) {
        *self.progress = progress;
    }
}
