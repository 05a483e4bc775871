//! What happened, for the log: one struct an event, under the names and with all the keys that the five documents use.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::detectors::Pattern;
use crate::verdict::Intervention;

/// The id of the run, shared by all its events.
pub type RunId = Arc<str>;

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        /// Something that happened. Written as one JSON object with its name under `event_type`.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(tag = "event_type", rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Event {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name),)*
        }

        $(
            #[derive(Clone, Debug, PartialEq, Serialize)]
            $(#[$doc])*
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

            impl From<$name> for Event {
                fn from(event: $name) -> Self {
                    Event::$name(event)
                }
            }
        )*
    };
}

events! {
    /// The score changed.
    ScoreChange {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The score before.
        old_score: f64,
        /// The score now.
        new_score: f64,
        /// For how many turns there had been no progress.
        was_stuck_for: u64,
    }
    /// Every turn: how the run stands.
    ProgressCheck {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The score changed within the last `max_turns`.
        score_progress: bool,
        /// An objective was completed within the last `max_turns`.
        objective_progress: bool,
        /// This turn was progress.
        progress_made: bool,
        /// When the score last changed.
        last_score_change_turn: Option<u64>,
        /// When an objective was last completed.
        last_objective_completion_turn: Option<u64>,
        /// Turns without progress.
        turns_stuck: u64,
        /// How many of them are too many just now, where that is not `max_turns` (`patience = "exploring"`).
        #[serde(skip_serializing_if = "Option::is_none")]
        turns_allowed: Option<u64>,
    }
    /// Progress after a time without.
    ProgressDetected {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The score changed.
        score_progress: bool,
        /// An objective was completed.
        objective_progress: bool,
        /// When the score last changed.
        last_score_change_turn: Option<u64>,
        /// When an objective was last completed.
        last_objective_completion_turn: Option<u64>,
        /// For how many turns there had been no progress.
        turns_stuck_before_reset: u64,
    }
    /// The run comes near its end for want of progress.
    LoopBreakWarning {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Turns without progress.
        turns_stuck: u64,
        /// When the score last changed.
        last_score_change_turn: Option<u64>,
        /// When an objective was last completed.
        last_objective_completion_turn: Option<u64>,
        /// The score changed within the last `max_turns`.
        score_progress: bool,
        /// An objective was completed within the last `max_turns`.
        objective_progress: bool,
    }
    /// The run is ended for want of progress.
    StuckTermination {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Turns without progress.
        turns_stuck: u64,
        /// The score it was stuck at.
        score: Option<f64>,
        /// The limit.
        max_turns_stuck: u64,
        /// How the end is marked: `loop_break`.
        ending: &'static str,
        /// Why: `stuck_no_progress`.
        termination_reason: Pattern,
    }
    /// A proposal lost worth because it leads back to a recent place.
    LocationPenaltyApplied {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The place it leads to.
        location_id: Value,
        /// Its name.
        location_name: String,
        /// How often it was visited lately.
        recent_visits: u32,
        /// The score before.
        base_score: f64,
        /// The score after.
        adjusted_score: f64,
        /// The difference that was asked for.
        penalty: f64,
    }
    /// A proposal's score was adjusted.
    LoopPenaltyApplied {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The proposal.
        action: String,
        /// The critic's score.
        base_score: f64,
        /// The score that decides.
        adjusted_score: f64,
        /// Every adjustment and why.
        reason: String,
    }
    /// To and fro between two places.
    OscillationDetected {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Always true.
        detected: bool,
        /// The two places.
        pattern_ids: Vec<Value>,
        /// Their names.
        pattern_names: Vec<String>,
        /// The last places, stays collapsed.
        recent_locations: Vec<Value>,
    }
    /// Most of the last turns at one place.
    CampingDetected {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Always true.
        detected: bool,
        /// The place.
        camped_location_id: Value,
        /// Its name.
        camped_location_name: String,
        /// Turns spent there.
        visit_count: u32,
        /// Among so many.
        window_size: u32,
    }
    /// A task or an iteration goes round in circles.
    #[serde(rename_all = "camelCase")]
    LoopDetected {
        /// The run.
        #[serde(rename = "episode_id")]
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Always true.
        is_looping: bool,
        /// In which way.
        loop_type: Pattern,
        /// The task, if it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<String>,
        /// How many attempts or repeats.
        attempt_count: u32,
        /// What stands in the way of the task.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        blockers: Vec<String>,
        /// The repeated signature, if it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// What is to be done.
        recommendation: Intervention,
        /// Why.
        reason: String,
        /// What it rests on.
        evidence: Value,
    }
    /// A recovery was applied to a task.
    #[serde(rename_all = "camelCase")]
    LoopRecovery {
        /// The run.
        #[serde(rename = "episode_id")]
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The task.
        task_id: String,
        /// What was done.
        recovery: Intervention,
        /// In which way it had looped.
        loop_type: Pattern,
        /// How many attempts.
        attempt_count: u32,
        /// Why.
        reason: String,
    }
    /// A human is needed.
    Escalation {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// In which way it is stuck.
        pattern: Pattern,
        /// The task, if it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<String>,
        /// The repeated signature, if it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// Why.
        reason: String,
        /// What the human can choose from.
        options: Vec<&'static str>,
    }
    /// A safety guard ended the run.
    GuardTripped {
        /// The run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Which: `max_iterations`, `max_runtime`, `loop_detection`, `consecutive_errors`, `max_cost`.
        guard: &'static str,
        /// The pattern that tripped it.
        pattern: Pattern,
        /// Whether it names the reason of the stop; the others that held are reported too.
        first: bool,
        /// The limit, where there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<f64>,
        /// What was reached.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<f64>,
    }
}

impl Event {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Event::ScoreChange(_) => "score_change",
            Event::ProgressCheck(_) => "progress_check",
            Event::ProgressDetected(_) => "progress_detected",
            Event::LoopBreakWarning(_) => "loop_break_warning",
            Event::StuckTermination(_) => "stuck_termination",
            Event::LocationPenaltyApplied(_) => "location_penalty_applied",
            Event::LoopPenaltyApplied(_) => "loop_penalty_applied",
            Event::OscillationDetected(_) => "oscillation_detected",
            Event::CampingDetected(_) => "camping_detected",
            Event::LoopDetected(_) => "loop_detected",
            Event::LoopRecovery(_) => "loop_recovery",
            Event::Escalation(_) => "escalation",
            Event::GuardTripped(_) => "guard_tripped",
        }
    }
}
