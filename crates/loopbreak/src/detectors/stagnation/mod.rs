//! `stagnation`: no progress for too long.
//!
//! Catches: a run whose score does not change, that completes no objective and has no progress mark for
//! `max_turns` turns. Warns from `warn_at` turns on, and stops at the first check after `max_turns`.
//! Must not catch: a run without any of these facets; a run that completes objectives while its score stays
//! the same; the first score, which is a baseline and not a change; an objective that was completed before.
//! With `patience = "exploring"`: a run that still discovers something, or that is not slower than before,
//! within bounds.
//! Origin: documents 000 (phase 1A and 1C), 001 (mechanism 1), 002. Mistakes 3, 4 and 5: the countdown ends
//! at the check that really stops the run, one objective resets the timer once, the old score is the old
//! score. The moving deadline exists because a fixed one stops every third of the known winning games.

mod exploration_tracker;
#[cfg(test)]
mod patience_tests;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
pub(crate) mod texts;
#[cfg(test)]
mod worth_tests;

use self::exploration_tracker::ExplorationTracker;
use self::settings::{ProgressWorth, ScoreProgress, StagnationPatience, StagnationSettings};
use self::texts::WarningUrgency;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::event::{LoopBreakWarning, ProgressCheck, ProgressDetected, ScoreChange};
use crate::evidence::whole_or_float;
use crate::memory::{HashKey, RingBuffer, key_of, key_of_parts, snapshot_type};
use crate::step::Step;
use crate::verdict::{Intervention, Severity, StepProgress};

/// Number of completed objectives that are remembered, so that each counts as progress once.
const OBJECTIVES: usize = 192;

snapshot_type! {
    /// The detector `stagnation`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct StagnationDetector {
        /// None until a step has a score, objectives or a progress mark.
        last_progress: Option<u64>,
        last_turn: u64,
        score: Option<f64>,
        highest: Option<f64>,
        last_score_change: Option<u64>,
        last_objective: Option<u64>,
        last_mark: Option<u64>,
        completed: RingBuffer<HashKey, OBJECTIVES>,
        /// Turns that are allowed after the last progress. None for `max_turns`.
        #[serde(skip_serializing_if = "Option::is_none")]
        bought: Option<u64>,
        /// Empty if the deadline is fixed.
        exploring: ExplorationTracker,
    }
}

impl Detector for StagnationDetector {
    type Settings = StagnationSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Progress;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(settings: &Self::Settings) -> bool {
        settings.patience == StagnationPatience::Exploring
    }
}

impl StepDetector for StagnationDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &StagnationSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.refused {
            return;
        }
        let (step, turn) = (context.step, context.turn);
        let before = std::mem::replace(&mut self.last_turn, turn);
        let objectives = step.objectives.as_ref().filter(|_| settings.objectives);
        let score = step.score.filter(|score| score.is_finite());
        if score.is_some() || objectives.is_some() || step.progress.is_some() {
            self.last_progress.get_or_insert(turn.saturating_sub(1));
        }
        let Some(last_progress) = self.last_progress else { return };
        let stuck_before = turn.saturating_sub(last_progress);

        let mut progress = StepProgress { mark: step.progress == Some(true), ..StepProgress::default() };
        if let Some(score) = score {
            progress.score = self.score_moves(score, context, settings, out);
        }
        let completed = if objectives.is_some() { self.completes(step, turn) } else { None };
        progress.objective = completed.is_some();
        let (latest, bought) = self.buy_turns(progress, completed, last_progress, turn, settings);
        out.progress(progress);

        let stuck = turn.saturating_sub(latest);
        let check = turn - turn % settings.check_interval;
        let gap = progress.any().then_some(stuck_before);
        let (allowed, at_check) = self.turns_allowed(context, settings, bought, gap, check < turn);
        let recent = |then: Option<u64>, worth: ProgressWorth| {
            then.is_some_and(|then| turn.saturating_sub(then) < worth.turns)
        };
        // The documents count a score that never changed from turn 0.
        let score_since = self.score.map(|_| self.last_score_change.unwrap_or(0));
        let score_progress = recent(score_since, settings.score_worth());
        let objective_progress = recent(self.last_objective, settings.objective_worth());
        let mark_progress = recent(self.last_mark, settings.mark_worth());
        out.event(ProgressCheck {
            episode_id: context.run.clone(),
            turn,
            score_progress,
            objective_progress,
            progress_made: score_progress || objective_progress || mark_progress,
            last_score_change_turn: self.last_score_change,
            last_objective_completion_turn: self.last_objective,
            turns_stuck: stuck,
            turns_allowed: (allowed != settings.max_turns).then_some(allowed),
        });
        if progress.any() && stuck_before > 0 {
            out.event(ProgressDetected {
                episode_id: context.run.clone(),
                turn,
                score_progress: progress.score,
                objective_progress: progress.objective,
                last_score_change_turn: self.last_score_change,
                last_objective_completion_turn: self.last_objective,
                turns_stuck_before_reset: stuck_before,
            });
        }

        // A log may skip turns. A check is made when its turn is reached or passed, and uses the state of its
        // own turn. Otherwise the countdown would not end where the run does.
        let ends = check > before && check.saturating_sub(latest) >= at_check;
        if !ends && (stuck < settings.warn_after(bought) || !settings.warnings) {
            return;
        }
        let left = settings.turns_left(turn, latest, allowed, ends);
        let detection = Detection {
            pattern: Pattern::StuckNoProgress,
            family: LoopFamily::Progress,
            identity: key_of_parts(&[HashKey(latest), HashKey(4)]),
            since: latest,
            severity: Some(if ends { Severity::Hard } else { Severity::Warn }),
            stage: WarningUrgency::from_turns_left(left) as u8,
            count: stuck.min(u64::from(u32::MAX)) as u32,
            requested_intervention: Some(Intervention::Stop),
        };
        let evidence = out.add(detection);
        evidence.note("turns_stuck", stuck).note("turns_left", left);
        evidence.note("score", self.score.map(whole_or_float));
        evidence.note("last_score_change_turn", self.last_score_change);
        evidence.note("last_objective_completion_turn", self.last_objective);
        evidence.note("max_turns_stuck", bought);
        if settings.patience == StagnationPatience::Exploring {
            let (finds, idle) = self.exploring.counts();
            evidence.note("turns_allowed", allowed).note("finds", finds).note("idle", idle);
        }
        if !ends {
            out.event(LoopBreakWarning {
                episode_id: context.run.clone(),
                turn,
                turns_stuck: stuck,
                last_score_change_turn: self.last_score_change,
                last_objective_completion_turn: self.last_objective,
                score_progress,
                objective_progress,
            });
        }
    }
}

impl StagnationDetector {
    /// Notes the progress of a step. Returns the turn of the latest progress, and the number of turns that are bought from
    /// there on. `completed` is the turn of a completed objective.
    fn buy_turns(
        &mut self,
        progress: StepProgress,
        completed: Option<u64>,
        last_progress: u64,
        turn: u64,
        settings: &StagnationSettings,
    ) -> (u64, u64) {
        let mut latest = last_progress;
        let mut due = last_progress.saturating_add(self.bought.unwrap_or(settings.max_turns));
        if let Some(completed) = completed {
            latest = latest.max(completed);
            self.last_objective = self.last_objective.max(Some(completed));
            due = settings.objective_worth().extend(due, completed);
        }
        if progress.score {
            latest = turn;
            due = settings.score_worth().extend(due, turn);
        }
        if progress.mark {
            latest = turn;
            self.last_mark = Some(turn);
            due = settings.mark_worth().extend(due, turn);
        }
        self.last_progress = Some(latest);
        let bought = due.saturating_sub(latest);
        if progress.any() {
            self.bought = Some(bought).filter(|bought| *bought != settings.max_turns);
        }
        (latest, bought)
    }

    /// Returns the number of turns without progress that are allowed now, and the number that was allowed at
    /// the last check, which may lie before this step. `bought` is the number that the last progress allows.
    fn turns_allowed(
        &mut self,
        context: &StepContext<'_>,
        settings: &StagnationSettings,
        bought: u64,
        ended_gap: Option<u64>,
        check_is_past: bool,
    ) -> (u64, u64) {
        if settings.patience == StagnationPatience::Fixed {
            return (bought, bought);
        }
        let before = self.exploring.patience(bought);
        self.exploring.read(context);
        if let Some(gap) = ended_gap {
            self.exploring.progress(gap);
        }
        let now = self.exploring.patience(bought);
        (now, if check_is_past { before } else { now })
    }

    /// Records a score. Returns whether it is progress.
    fn score_moves(
        &mut self,
        score: f64,
        context: &StepContext<'_>,
        settings: &StagnationSettings,
        out: &mut DetectionCollector<'_>,
    ) -> bool {
        let highest = self.highest.map_or(score, |highest| highest.max(score));
        let was_highest = self.highest.replace(highest);
        let Some(old) = self.score.replace(score) else { return false };
        #[expect(clippy::float_cmp, reason = "a score is a figure that was written down, not computed")]
        let changed = score != old;
        if changed {
            out.event(ScoreChange {
                episode_id: context.run.clone(),
                turn: context.turn,
                old_score: old,
                new_score: score,
                was_stuck_for: context.turn.saturating_sub(self.last_progress.unwrap_or_default()),
            });
        }
        let counts = match settings.progress {
            ScoreProgress::AnyChange => changed,
            ScoreProgress::Increase => score > old,
            ScoreProgress::HighWater => was_highest.is_some_and(|was| score > was),
        };
        if counts {
            self.last_score_change = Some(context.turn);
        }
        counts
    }

    /// Records completed objectives. Returns the turn of the latest one that was not completed before.
    fn completes(&mut self, step: &Step<'_>, turn: u64) -> Option<u64> {
        let mut latest = None;
        for done in step.objectives.iter().flat_map(|objectives| &objectives.completed) {
            let key = key_of(done.objective.trim());
            if self.completed.iter().any(|known| *known == key) {
                continue;
            }
            self.completed.push(key);
            latest = latest.max(Some(done.completed_turn.map_or(turn, |completed| completed.min(turn))));
        }
        latest
    }
}
