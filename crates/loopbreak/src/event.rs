//! Events for the log. One struct per event, written as one flat JSON object.

mod safety_guard;

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::detectors::Pattern;
use crate::evidence::{Evidence, whole_or_float};
use crate::verdict::Intervention;

pub use safety_guard::{EndingMark, EscalationOption, SafetyGuard};

/// The id of the run, shared by all its events.
pub type RunId = Arc<str>;

/// Writes a figure without a fraction that is zero: a score of 10 is `10`, not `10.0`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn figure<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    whole_or_float(*number).serialize(serializer)
}

/// Writes a figure as [`figure`] does, if there is one.
#[expect(clippy::ref_option, reason = "serde passes a reference")]
fn optional_figure<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(whole_or_float).serialize(serializer)
}

/// Declares the events: the struct, its variant of [`Event`] and its name in JSON.
macro_rules! events {
    ($($(#[$doc:meta])* $type:ident = $name:literal { $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)* })*) => {
        /// Something that happened. Written as one JSON object with its name under `event_type`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "event_type")]
        #[non_exhaustive]
        pub enum Event {
            $(#[doc = concat!("See [`", stringify!($type), "`].")] #[serde(rename = $name)] $type($type),)*
        }

        impl Event {
            /// Returns the name of the event, as under `event_type`.
            pub fn name(&self) -> &'static str {
                match self { $(Event::$type(_) => $name,)* }
            }
        }

        $(
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            $(#[$doc])*
            pub struct $type { $($(#[$field_doc])* pub $field: $field_type,)* }

            impl From<$type> for Event {
                fn from(event: $type) -> Self {
                    Event::$type(event)
                }
            }
        )*
    };
}

events! {
    /// The score changed.
    ScoreChange = "score_change" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The score before.
        #[serde(serialize_with = "figure")]
        old_score: f64,
        /// The score now.
        #[serde(serialize_with = "figure")]
        new_score: f64,
        /// Number of turns without progress before this one.
        was_stuck_for: u64,
    }
    /// The state of progress, reported every turn.
    ProgressCheck = "progress_check" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// True if the score changed within the last `max_turns`.
        score_progress: bool,
        /// True if an objective was completed within the last `max_turns`.
        objective_progress: bool,
        /// True if the score changed, an objective was completed or a step was marked as progress within the last
        /// `max_turns`.
        progress_made: bool,
        /// Turn of the last change of the score.
        last_score_change_turn: Option<u64>,
        /// Turn of the last completed objective.
        last_objective_completion_turn: Option<u64>,
        /// Number of turns without progress.
        turns_stuck: u64,
        /// Number of turns without progress that are currently allowed, if it differs from `max_turns`
        /// (`patience = "exploring"`).
        #[serde(skip_serializing_if = "Option::is_none")]
        turns_allowed: Option<u64>,
    }
    /// Progress was made after turns without any.
    ProgressDetected = "progress_detected" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// True if the score changed.
        score_progress: bool,
        /// True if an objective was completed.
        objective_progress: bool,
        /// Turn of the last change of the score.
        last_score_change_turn: Option<u64>,
        /// Turn of the last completed objective.
        last_objective_completion_turn: Option<u64>,
        /// Number of turns without progress before this one.
        turns_stuck_before_reset: u64,
    }
    /// The run will be stopped soon unless it makes progress.
    LoopBreakWarning = "loop_break_warning" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Number of turns without progress.
        turns_stuck: u64,
        /// Turn of the last change of the score.
        last_score_change_turn: Option<u64>,
        /// Turn of the last completed objective.
        last_objective_completion_turn: Option<u64>,
        /// True if the score changed within the last `max_turns`.
        score_progress: bool,
        /// True if an objective was completed within the last `max_turns`.
        objective_progress: bool,
    }
    /// The run is stopped because it made no progress.
    StuckTermination = "stuck_termination" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Number of turns without progress.
        turns_stuck: u64,
        /// The score at the end.
        #[serde(serialize_with = "optional_figure")]
        score: Option<f64>,
        /// Number of turns without progress after which the run is stopped.
        max_turns_stuck: u64,
        /// The mark of the ending: `loop_break`.
        ending: EndingMark,
        /// The pattern that stopped the run: `stuck_no_progress`.
        termination_reason: Pattern,
    }
    /// The score of a proposal was lowered because the action leads back to a recent place.
    LocationPenaltyApplied = "location_penalty_applied" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Id of the place that the action leads to.
        location_id: Value,
        /// Its name.
        location_name: String,
        /// Number of recent visits to it.
        recent_visits: u32,
        /// The critic's score.
        #[serde(serialize_with = "figure")]
        base_score: f64,
        /// The score after the penalty, and after the adjustments before it.
        #[serde(serialize_with = "figure")]
        adjusted_score: f64,
        /// The penalty, before the score was limited to its range.
        #[serde(serialize_with = "figure")]
        penalty: f64,
    }
    /// The score of a proposal was adjusted.
    LoopPenaltyApplied = "loop_penalty_applied" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The proposed action.
        action: String,
        /// The critic's score.
        #[serde(serialize_with = "figure")]
        base_score: f64,
        /// The score after all adjustments.
        #[serde(serialize_with = "figure")]
        adjusted_score: f64,
        /// Every adjustment with its reason.
        reason: String,
    }
    /// The agent moves back and forth between two places.
    OscillationDetected = "oscillation_detected" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Always `true`.
        detected: bool,
        /// Ids of the two places.
        pattern_ids: Vec<Value>,
        /// Their names.
        pattern_names: Vec<String>,
        /// Ids of the last places; consecutive turns at one place are counted once.
        recent_locations: Vec<Value>,
    }
    /// The agent spent most of the last turns at one place.
    CampingDetected = "camping_detected" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Always `true`.
        detected: bool,
        /// Id of the place.
        camped_location_id: Value,
        /// Its name.
        camped_location_name: String,
        /// Number of turns spent there.
        visit_count: u32,
        /// Number of recent turns in the window.
        window_size: u32,
    }
    /// A task or an iteration repeats itself.
    #[serde(rename_all = "camelCase")]
    LoopDetected = "loop_detected" {
        /// Id of the run.
        #[serde(rename = "episode_id")]
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// Always `true`.
        is_looping: bool,
        /// The pattern of the loop.
        loop_type: Pattern,
        /// The task, if the loop is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<String>,
        /// Number of attempts or repeats.
        attempt_count: u32,
        /// The blockers of the task.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blockers: Vec<String>,
        /// The repeated signature of the output, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// The chosen intervention.
        recommendation: Intervention,
        /// The reason, in one sentence.
        reason: String,
        /// The facts behind it.
        evidence: Evidence,
    }
    /// A recovery was applied to a task.
    #[serde(rename_all = "camelCase")]
    LoopRecovery = "loop_recovery" {
        /// Id of the run.
        #[serde(rename = "episode_id")]
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The task.
        task_id: String,
        /// The intervention that was applied.
        recovery: Intervention,
        /// The pattern of the loop.
        loop_type: Pattern,
        /// Number of attempts.
        attempt_count: u32,
        /// The reason, in one sentence.
        reason: String,
    }
    /// A human is asked to decide.
    EscalationRequest = "escalation" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The pattern that led to it.
        pattern: Pattern,
        /// The task, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<String>,
        /// The repeated signature of the output, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// The reason, in one sentence.
        reason: String,
        /// The choices of the human.
        options: Vec<EscalationOption>,
    }
    /// A safety guard ended the run. Every guard that tripped at the step is reported.
    GuardTripped = "guard_tripped" {
        /// Id of the run.
        episode_id: RunId,
        /// The turn.
        turn: u64,
        /// The safety guard.
        guard: SafetyGuard,
        /// The pattern that tripped it.
        pattern: Pattern,
        /// True for the first one in the order of [`SafetyGuard`], which names the reason of the stop.
        first: bool,
        /// The limit, if there is one.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_figure")]
        limit: Option<f64>,
        /// The value that reached the limit.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_figure")]
        value: Option<f64>,
    }
}
