//! What each tool answers. The doc comments are what a model reads of it.

use std::collections::BTreeMap;

use loopbreak_store::{LoopStatus, RunStatus, StatusSummary};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What the guard says of a step.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepOutput {
    /// The run it was recorded in.
    pub(crate) run: String,
    /// The number of the step.
    pub(crate) turn: u64,
    /// `clear`, `warn` (change course) or `stop` (something has to be done about it). It stays so for as long as the steps
    /// belong to the loop.
    pub(crate) verdict: &'static str,
    /// What was found anew, or is worse than before: each loop is told once for each severity.
    pub(crate) findings: Vec<FindingOutput>,
    /// What to do about it.
    pub(crate) interventions: Vec<ActOutput>,
    /// Texts for the agent.
    pub(crate) advice: Vec<String>,
    /// Texts for the human who runs the agent.
    pub(crate) for_user: Vec<String>,
    /// Why the run is to be ended now, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop: Option<String>,
    /// How the task of the step stands, where it reported an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<LoopOutput>,
}

/// What a detector saw.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FindingOutput {
    /// Since which turn it has been going on.
    pub(crate) since: u64,
    /// Who saw it.
    pub(crate) detector: String,
    /// What it is.
    pub(crate) pattern: String,
    /// `hint`, `warn` or `hard`.
    pub(crate) severity: String,
    /// How often it repeated.
    pub(crate) count: u32,
    /// The name of the loop.
    #[serde(rename = "loop")]
    pub(crate) loop_id: String,
    /// Whose step it was.
    pub(crate) agent: String,
    /// False where the guard only observes.
    pub(crate) acted: bool,
    /// What it rests on.
    pub(crate) evidence: Map<String, Value>,
}

/// What is to be done.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActOutput {
    /// `hint`, `warn`, `penalize`, `reject`, `force_next`, `unblock_authority`, `escalate` or `stop`.
    pub(crate) intervention: String,
    /// What was found.
    pub(crate) pattern: String,
    /// Why, in one sentence.
    pub(crate) reason: String,
    /// The name of the loop.
    #[serde(rename = "loop")]
    pub(crate) loop_id: String,
    /// False where the guard only observes: it is told, and not to be carried out.
    pub(crate) acted: bool,
}

/// What a proposal is worth.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RulingOutput {
    /// The run it was weighed in.
    pub(crate) run: String,
    /// Whether to take the action.
    pub(crate) accepted: bool,
    /// What it is worth now.
    pub(crate) score: f64,
    /// What it was worth before.
    pub(crate) base: f64,
    /// From which worth on an action is accepted.
    pub(crate) accept_at: f64,
    /// `penalize` or `reject`, where something speaks against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intervention: Option<String>,
    /// What was added and taken away, and why.
    pub(crate) adjustments: Vec<AdjustmentOutput>,
    /// Texts for the agent.
    pub(crate) advice: Vec<String>,
}

/// One adjustment of a worth.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdjustmentOutput {
    /// Whose.
    pub(crate) detector: String,
    /// How much.
    pub(crate) amount: f64,
    /// Why.
    pub(crate) reason: String,
    /// False where it is only told and not applied.
    pub(crate) acted: bool,
}

/// Whether something goes round in circles.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoopOutput {
    /// The run.
    pub(crate) run: String,
    /// The task, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    /// Whether it does.
    pub(crate) is_looping: bool,
    /// In which way: `completed_task_revisit`, `blocked_task_spin`, `no_progress_repeat`, or the pattern of a detector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loop_type: Option<String>,
    /// How many attempts or repeats.
    pub(crate) attempt_count: u32,
    /// What to do: of a task `force_next`, `unblock_authority` or `escalate`, which `apply_recovery` does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recommendation: Option<String>,
    /// Why, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// What it rests on.
    pub(crate) evidence: Map<String, Value>,
}

/// What came of an attempt.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptOutput {
    /// The run it was recorded in.
    pub(crate) run: String,
    /// The task as it stands now.
    pub(crate) task: TaskOutput,
    /// Whether the task goes round in circles: then ask `apply_recovery` before you take it up again.
    pub(crate) check: LoopOutput,
    /// Checks that could not be made and were put off, so that the task is not blocked by them.
    pub(crate) deferred: Vec<String>,
}

/// What a recovery did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecoveryOutput {
    /// The run.
    pub(crate) run: String,
    /// Whether anything was done now.
    pub(crate) applied: bool,
    /// What was done: `force_next`, `unblock_authority` or `escalate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery: Option<String>,
    /// In which way the task had looped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loop_type: Option<String>,
    /// How many attempts there had been.
    pub(crate) attempt_count: u32,
    /// Why it was done, or why nothing was.
    pub(crate) reason: String,
    /// What the agent has to know from now on: put it into its context.
    pub(crate) advice: Vec<String>,
    /// The task as it stands now.
    pub(crate) task: TaskOutput,
}

/// How a task stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskOutput {
    /// Which task.
    pub(crate) id: String,
    /// What it is about.
    pub(crate) title: String,
    /// What is to be done.
    pub(crate) details: String,
    /// `pending`, `in_progress`, `blocked` or `done`.
    pub(crate) status: String,
    /// The same in a word for people, such as `forced` or `escalated`.
    pub(crate) standing: String,
    /// It was moved on from and is not finished: nobody must mistake it for done work.
    pub(crate) forced: bool,
    /// What stands in its way.
    pub(crate) blockers: Vec<String>,
    /// The tasks that have to be finished before it, and are not.
    pub(crate) waits_for: Vec<String>,
    /// Why it stands so.
    pub(crate) reason: String,
    /// How many attempts at it were recorded.
    pub(crate) attempt_count: u64,
    /// When the last one was, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_attempt: Option<i64>,
}

/// Which task comes next.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanOutput {
    /// The run.
    pub(crate) run: String,
    /// `task`: there is one. `nothing`: all that is open waits, or is left to a human. `closed`: every task is closed.
    pub(crate) next: &'static str,
    /// The task to take up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskOutput>,
    /// Why, in one sentence.
    pub(crate) reason: String,
}

/// The tasks of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TasksOutput {
    /// The run.
    pub(crate) run: String,
    /// Its tasks, in the order of the roadmap.
    pub(crate) tasks: Vec<TaskOutput>,
}

/// How runs stand, as `loopbreak status --json` tells.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusOutput {
    /// Whether any of them is running.
    pub(crate) running: bool,
    /// The turns of all of them.
    pub(crate) tick_count: u64,
    /// The loops that were seen by their ids, and the tasks by theirs.
    pub(crate) loop_detection: Map<String, Value>,
    /// Each of them.
    pub(crate) runs: Vec<RunOutput>,
}

/// How a run stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunOutput {
    /// The program that told of it.
    pub(crate) source: String,
    /// Its name.
    pub(crate) session: String,
    /// The subagent; empty for the main one.
    pub(crate) agent: String,
    /// The folder it works in.
    pub(crate) folder: String,
    /// When it was first seen, in milliseconds since 1970.
    pub(crate) started: i64,
    /// When it was last seen.
    pub(crate) seen: i64,
    /// When it ended, if it said so.
    pub(crate) ended: Option<i64>,
    /// How many events were recorded.
    pub(crate) events: u64,
    /// It has not ended, and was not silent for long.
    pub(crate) running: bool,
    /// How many turns it had.
    pub(crate) tick_count: u64,
    /// The loops that were seen in it by their ids, and its tasks by theirs.
    pub(crate) loop_detection: Map<String, Value>,
}

/// The story of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoryOutput {
    /// The run.
    pub(crate) run: String,
    /// What happened, in words.
    pub(crate) story: String,
}

impl From<StatusSummary> for StatusOutput {
    fn from(summary: StatusSummary) -> Self {
        StatusOutput {
            running: summary.running,
            tick_count: summary.tick_count,
            loop_detection: to_values(summary.loop_detection),
            runs: summary.runs.into_iter().map(RunOutput::from).collect(),
        }
    }
}

impl From<RunStatus> for RunOutput {
    fn from(status: RunStatus) -> Self {
        RunOutput {
            source: status.run.source,
            session: status.run.session,
            agent: status.run.agent,
            folder: status.run.folder,
            started: status.run.started,
            seen: status.run.seen,
            ended: status.run.ended,
            events: status.run.events,
            running: status.running,
            tick_count: status.tick_count,
            loop_detection: to_values(status.loop_detection),
        }
    }
}

fn to_values(loops: BTreeMap<String, LoopStatus>) -> Map<String, Value> {
    let value = |status| serde_json::to_value(status).unwrap_or_default();
    loops.into_iter().map(|(id, status)| (id, value(status))).collect()
}
