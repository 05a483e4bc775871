//! `drift`: calls of one tool that fail in the same way, searches that are only reworded, and amounts that
//! only grow.
//!
//! Catches: one tool that fails in the same way, whatever its arguments and whatever other calls lie between
//! (`same_failure`); a search that is only reworded (`rephrased`); an amount that only grows (`sweep`: a
//! depth of 2, 3, 4, …, pages beyond the last one, or a command that is appended to itself); a test that fails in the
//! same way after each of several edits (`vain_edits`); and a tool that gives one answer, whatever it is asked
//! (`same_answer`). Without logged results: one field that gets ever other values (`same_field`), and calls of one tool
//! that are announced in nearly the same words (`same_announcement`). Rounds of the same calls with new text in each, of
//! which one edit is rejected every time (`rejected_rounds`).
//! Must not catch: a batch over many files with identical replies, because successes may look alike;
//! different searches without a match; pages with content; a few failures with changes between them; waiting.
//! Origin: complaints 13, 16, 18, 22.

mod answer_tracker;
mod failure_tracker;
mod rephrase_tracker;
mod round_tracker;
pub(crate) mod settings;
mod sweep_tracker;
mod texts;
mod unlogged_tracker;

use self::answer_tracker::AnswerTracker;
use self::failure_tracker::FailureTracker;
use self::rephrase_tracker::RephraseTracker;
use self::round_tracker::RoundTracker;
use self::settings::DriftSettings;
use self::sweep_tracker::SweepTracker;
use self::unlogged_tracker::UnloggedTracker;
use super::{DetectionCollector, Detector, DetectorSubject, DetectorTexts, StepContext, StepDetector};
use crate::fingerprint::ActionKind;
use crate::memory::snapshot_type;

snapshot_type! {
    /// The detector `drift`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct DriftDetector {
        fails: FailureTracker,
        asks: RephraseTracker,
        sweep: SweepTracker,
        answers: AnswerTracker,
        unlogged: UnloggedTracker,
        rounds: RoundTracker,
    }
}

impl Detector for DriftDetector {
    type Settings = DriftSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Call;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for DriftDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            *self = DriftDetector::default();
        }
        let Some(prints) = context.prints else { return };
        if prints.kind == ActionKind::Wait {
            return;
        }
        self.fails.observe(context, prints, settings, out);
        self.sweep.observe(context, prints, settings, out);
        self.answers.observe(context, prints, settings, out);
        self.unlogged.observe(context, prints, settings, out);
        self.rounds.observe(context, prints, settings, out);
        if prints.kind == ActionKind::Search {
            self.asks.observe(context, prints, settings, out);
        } else {
            // After another action, a search is a new question, even in the same words.
            self.asks.reset();
        }
    }
}
