//! Results of the tools. Models read the doc comments.

use loopbreak_store::StatusSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Verdict on a step.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordStepOutput {
    /// Run that it was recorded in.
    pub(crate) run: String,
    /// Number of the step.
    pub(crate) turn: u64,
    /// `clear`, `warn` (try something else) or `stop` (the loop has to be broken). It stays the same as long as the steps
    /// belong to the loop.
    pub(crate) verdict: &'static str,
    /// Findings that are new or worse than before. Each loop is reported once per severity.
    pub(crate) findings: Vec<FindingOutput>,
    /// Interventions against the findings.
    pub(crate) interventions: Vec<ActOutput>,
    /// Texts for the agent.
    pub(crate) advice: Vec<String>,
    /// Texts for the human who runs the agent.
    pub(crate) for_user: Vec<String>,
    /// Texts for the critic that scores actions.
    #[serde(default)]
    pub(crate) for_critic: Vec<String>,
    /// Events of the engine, such as `score_change`, each with its name under `event_type`.
    #[serde(default)]
    pub(crate) events: Vec<Value>,
    /// Reason why the run should end now, if it should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop: Option<String>,
    /// Judgement of the task, if the step reported an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<LoopOutput>,
}

/// Finding of a detector.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct FindingOutput {
    /// First turn of the loop.
    pub(crate) since: u64,
    /// Detector.
    pub(crate) detector: String,
    /// Pattern of the loop.
    pub(crate) pattern: String,
    /// `hint`, `warn` or `hard`.
    pub(crate) severity: String,
    /// Number of repetitions.
    pub(crate) count: u32,
    /// Id of the loop.
    #[serde(rename = "loop")]
    pub(crate) loop_id: String,
    /// Agent that took the step.
    pub(crate) agent: String,
    /// False if the guard only observes.
    pub(crate) acted: bool,
    /// Evidence.
    pub(crate) evidence: Map<String, Value>,
}

/// An intervention.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct ActOutput {
    /// `hint`, `warn`, `penalize`, `reject`, `force_next`, `unblock_authority`, `escalate` or `stop`.
    pub(crate) intervention: String,
    /// Pattern that was found.
    pub(crate) pattern: String,
    /// Reason, in one sentence.
    pub(crate) reason: String,
    /// Id of the loop.
    #[serde(rename = "loop")]
    pub(crate) loop_id: String,
    /// False if the guard only observes: the intervention is reported and must not be carried out.
    pub(crate) acted: bool,
}

/// Ruling on a proposal.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RulingOutput {
    /// Run that it was weighed in.
    pub(crate) run: String,
    /// True if the action should be taken.
    pub(crate) accepted: bool,
    /// Score after the adjustments.
    pub(crate) score: f64,
    /// Score before the adjustments.
    pub(crate) base: f64,
    /// Lowest score at which an action is accepted.
    pub(crate) accept_at: f64,
    /// `penalize` or `reject`, if something counts against the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intervention: Option<String>,
    /// Adjustments of the score.
    pub(crate) adjustments: Vec<AdjustmentOutput>,
    /// Texts for the agent.
    pub(crate) advice: Vec<String>,
    /// Texts for the critic that scores actions.
    #[serde(default)]
    pub(crate) for_critic: Vec<String>,
    /// Events of the engine, each with its name under `event_type`.
    #[serde(default)]
    pub(crate) events: Vec<Value>,
}

/// An adjustment of a score.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct AdjustmentOutput {
    /// Detector.
    pub(crate) detector: String,
    /// Amount.
    pub(crate) amount: f64,
    /// Reason.
    pub(crate) reason: String,
    /// False if the adjustment is only reported and not applied.
    pub(crate) acted: bool,
}

/// Judgement whether a task or a run is looping.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoopOutput {
    /// Run.
    pub(crate) run: String,
    /// Id of the task, if the judgement is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    /// True if it is looping.
    pub(crate) is_looping: bool,
    /// Kind of loop: `completed_task_revisit`, `blocked_task_spin`, `no_progress_repeat`, `task_cycle` (tasks in turn), or the
    /// pattern of a detector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loop_type: Option<String>,
    /// Number of attempts or repetitions.
    pub(crate) attempt_count: u32,
    /// Blockers of the task.
    #[serde(default)]
    pub(crate) blockers: Vec<String>,
    /// Recommended intervention. For a task: `force_next`, `unblock_authority` or `escalate`, and for a cycle of tasks first
    /// `warn`. `apply_recovery` carries it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recommendation: Option<String>,
    /// Reason, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Evidence.
    pub(crate) evidence: Map<String, Value>,
}

/// Result of an attempt.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptOutput {
    /// Run that it was recorded in.
    pub(crate) run: String,
    /// The task with its new status.
    pub(crate) task: TaskOutput,
    /// Judgement of the task. If it is looping, call `apply_recovery` before you attempt it again.
    pub(crate) check: LoopOutput,
    /// Checks that were deferred because their checker is not available, so that they do not block the task.
    pub(crate) deferred: Vec<String>,
}

/// Result of a recovery.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecoveryOutput {
    /// Run.
    pub(crate) run: String,
    /// True if a recovery was applied.
    pub(crate) applied: bool,
    /// Recovery that was applied: `force_next`, `unblock_authority`, `escalate`, or `warn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery: Option<String>,
    /// Kind of loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loop_type: Option<String>,
    /// Number of attempts.
    pub(crate) attempt_count: u32,
    /// Reason why the recovery was applied, or why none was.
    pub(crate) reason: String,
    /// Texts that the agent has to know from now on. Add them to its context.
    pub(crate) advice: Vec<String>,
    /// Events of the engine, such as `loop_recovery`, each with its name under `event_type`.
    #[serde(default)]
    pub(crate) events: Vec<Value>,
    /// The task with its new status.
    pub(crate) task: TaskOutput,
}

/// A task with its status.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskOutput {
    /// Id of the task.
    pub(crate) id: String,
    /// Title.
    pub(crate) title: String,
    /// Description of the work.
    pub(crate) details: String,
    /// `pending`, `in_progress`, `blocked` or `done`.
    pub(crate) status: String,
    /// Status for people, such as `forced` or `escalated`.
    pub(crate) standing: String,
    /// The task was closed without being finished.
    pub(crate) forced: bool,
    /// Blockers of the task.
    pub(crate) blockers: Vec<String>,
    /// Tasks that have to be finished first and are not.
    pub(crate) waits_for: Vec<String>,
    /// Reason for the status.
    pub(crate) reason: String,
    /// Number of recorded attempts.
    pub(crate) attempt_count: u64,
    /// Time of the last attempt, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_attempt: Option<i64>,
}

/// The next task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanOutput {
    /// Run.
    pub(crate) run: String,
    /// `task`: there is a next task. `nothing`: every open task waits or is left to a human. `closed`: every task is closed.
    pub(crate) next: &'static str,
    /// The next task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskOutput>,
    /// Reason, in one sentence.
    pub(crate) reason: String,
}

/// The tasks of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TasksOutput {
    /// Run.
    pub(crate) run: String,
    /// Tasks in the order of the roadmap.
    pub(crate) tasks: Vec<TaskOutput>,
    /// Number of tasks of the run.
    #[serde(default)]
    pub(crate) total: usize,
    /// The call that gets the other tasks, if these are not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) more: Option<String>,
}

/// Status of runs, as `loopbreak status --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusOutput {
    /// True if at least one run is running.
    pub(crate) running: bool,
    /// Number of turns and attempts in all runs.
    pub(crate) tick_count: u64,
    /// Number of loops, of steps and of tasks.
    #[serde(default)]
    pub(crate) loop_count: u64,
    /// Number of recoveries of tasks.
    #[serde(default)]
    pub(crate) recovery_count: u64,
    /// Number of times that the guard warned, refused, asked and stopped in all runs.
    #[serde(default)]
    pub(crate) measures: Map<String, Value>,
    /// Loops by their ids, and attempted tasks by theirs.
    pub(crate) loop_detection: Map<String, Value>,
    /// Only the loops.
    #[serde(default)]
    pub(crate) loops: Map<String, Value>,
    /// Only the attempted tasks.
    #[serde(default)]
    pub(crate) tasks: Map<String, Value>,
    /// The runs.
    pub(crate) runs: Vec<Map<String, Value>>,
}

/// Description of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainOutput {
    /// Run.
    pub(crate) run: String,
    /// Description, in words.
    pub(crate) story: String,
}

impl From<StatusSummary> for StatusOutput {
    fn from(summary: StatusSummary) -> Self {
        StatusOutput {
            running: summary.running,
            tick_count: summary.tick_count,
            loop_count: summary.loop_count,
            recovery_count: summary.recovery_count,
            measures: to_object(&summary.measures),
            loop_detection: to_object(&summary.loop_detection),
            loops: to_object(&summary.loops),
            tasks: to_object(&summary.tasks),
            runs: summary.runs.iter().map(to_object).collect(),
        }
    }
}

fn to_object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}
