//! The reason for the verdict on a run.

use std::borrow::Cow;

use loopbreak::{DetectorName, Pattern};

use loopbreak_analysis::RunReport;

/// The finding that decides the verdict: the ending, or the first intervention, or the first warning.
#[derive(Clone, Debug)]
pub(super) struct VerdictReason<'r> {
    pub(super) turn: u64,
    pub(super) detector: DetectorName,
    pub(super) pattern: Pattern,
    pub(super) reason: Cow<'r, str>,
}

impl<'r> VerdictReason<'r> {
    /// Returns the reason, or `None` for a clear run.
    pub(super) fn from_run(run: &'r RunReport) -> Option<Self> {
        let ending = run.ending.as_ref().map(|it| (it.turn, it.detector, it.pattern));
        let stop = run.first_stop.as_ref().map(|it| (it.turn, it.detector, it.pattern));
        let warning = run.first_warning.as_ref().map(|it| (it.turn, it.detector, it.pattern));
        let (turn, detector, pattern) = ending.or(stop).or(warning)?;
        Some(VerdictReason { turn, detector, pattern, reason: run.reason_of(turn, detector, pattern) })
    }
}
