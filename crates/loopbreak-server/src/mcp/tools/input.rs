//! Arguments of the tools. Models read the doc comments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One step of the agent: an action and its outcome. Every part is optional, but there must be one.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepInput {
    /// Run: any name, the same for all steps of one job. Default: the run of this connection.
    #[serde(skip_serializing)]
    pub(crate) run: Option<String>,
    /// Number of the step. Default: the last one + 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<u64>,
    /// Time: RFC 3339, or milliseconds since 1970. Default: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeInput>")]
    pub(crate) at: Option<Value>,
    /// Agent, if the run has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// Model that the agent used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// Action that was taken: a tool call, or a command as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOrParts<ActionInput>>")]
    pub(crate) action: Option<Value>,
    /// Outcome of the action: the reply as the agent saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOrParts<OutcomeInput>>")]
    pub(crate) outcome: Option<Value>,
    /// Message of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
    /// Message of a human. It ends a repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    /// Place of the agent after the step, in worlds that have places.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOrParts<PlaceInput>>")]
    pub(crate) place: Option<Value>,
    /// Score after the step, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// Goals: `active` are open, `completed` were reached in this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ObjectivesInput>")]
    pub(crate) objectives: Option<Value>,
    /// Attempt at a task that this step reports, as with `record_attempt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskInput>,
    /// Whether the step made progress, if you know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<bool>,
    /// The action was proposed and refused. It is observed, but does not count as a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<bool>,
    /// Opinion of a critic on the action, given before it was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) critic: Option<CriticInput>,
    /// Cost of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<UsageInput>,
}

/// A point in time: RFC 3339, or whole milliseconds since 1970.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum TimeInput {
    Text(String),
    Millis(i64),
}

/// A text, or an object with its parts.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum TextOrParts<T> {
    Text(String),
    Parts(T),
}

/// A tool call.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct ActionInput {
    /// Tool, or command.
    name: String,
    /// Arguments, any JSON.
    args: Option<Value>,
    /// Kind of the action: edit, read, run, search, wait, move or say.
    kind: Option<String>,
    /// Target of the action: a file, a test, an object.
    target: Option<String>,
}

/// Outcome of an action.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct OutcomeInput {
    /// Reply.
    text: Option<String>,
    /// The action failed.
    error: Option<bool>,
}

/// A place.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct PlaceInput {
    /// Stable id: a number or a text.
    id: Option<Value>,
    /// Name.
    name: Option<String>,
    /// Exits.
    exits: Option<Vec<String>>,
}

/// Goals.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct ObjectivesInput {
    /// Open goals.
    active: Option<Vec<String>>,
    /// Goals reached in this step.
    completed: Option<Vec<Value>>,
}

/// Opinion of a critic.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CriticInput {
    /// From 0 (bad) to 1 (good).
    score: f64,
}

/// Cost of a step.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageInput {
    /// Tokens read by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    /// Tokens written by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
}

/// Attempt at a task that a step reports.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskInput {
    /// Id of the task.
    pub(crate) id: String,
    /// Status after the attempt: pending, `in_progress`, blocked or done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<String>,
    /// What blocks the task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blockers: Vec<String>,
    /// Work that was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) work: Vec<String>,
    /// Session of the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

/// An action that was not taken yet.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalInput {
    /// Run. Default: the run of this connection.
    #[serde(skip_serializing)]
    pub(crate) run: Option<String>,
    /// Action: a tool call, or a command as text.
    #[schemars(with = "TextOrParts<ActionInput>")]
    pub(crate) action: Value,
    /// Score of a critic for the action, from 0 to 1. Without it, only loops count against the action.
    #[serde(skip_serializing)]
    pub(crate) score: Option<f64>,
    /// Agent, if the run has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// Place of the agent. Default: its last known place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOrParts<PlaceInput>>")]
    pub(crate) place: Option<Value>,
}

/// An attempt at a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AttemptInput {
    /// Run. Default: the run of this connection.
    pub(crate) run: Option<String>,
    /// Id of the task.
    pub(crate) task_id: String,
    /// Status after the attempt: pending, `in_progress`, blocked or done.
    pub(crate) status: String,
    /// What blocks the task.
    #[serde(default)]
    pub(crate) blockers: Vec<String>,
    /// Work done in this attempt.
    #[serde(default)]
    pub(crate) completed_work: Vec<String>,
    /// Your session.
    pub(crate) session_id: Option<String>,
    /// Time: RFC 3339, or milliseconds since 1970. Default: now.
    #[schemars(with = "Option<TimeInput>")]
    pub(crate) timestamp: Option<Value>,
}

/// A task, or a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoopInput {
    /// Run. Default: the run of this connection.
    pub(crate) run: Option<String>,
    /// Id of the task. Default: the run as a whole.
    pub(crate) task_id: Option<String>,
}

/// A looping task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecoveryInput {
    /// Run. Default: the run of this connection.
    pub(crate) run: Option<String>,
    /// Id of the task.
    pub(crate) task_id: String,
}

/// Tasks to add to a roadmap.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlanInput {
    /// Run. Default: the run of this connection.
    pub(crate) run: Option<String>,
    /// Tasks to add to the roadmap first, in order. A known task keeps its status.
    #[serde(default)]
    pub(crate) tasks: Vec<PlannedInput>,
}

/// A task of a roadmap.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlannedInput {
    /// Short id of your choice, at most 64 bytes.
    pub(crate) id: String,
    /// Title, on one line.
    #[serde(default)]
    pub(crate) title: String,
    /// Description of the work.
    #[serde(default)]
    pub(crate) details: String,
    /// Ids of the tasks that have to be finished first.
    #[serde(default)]
    pub(crate) after: Vec<String>,
}

/// Tasks of a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskStatusInput {
    /// Run. Default: the run of this connection.
    pub(crate) run: Option<String>,
    /// Id of the task. Default: all tasks of the run.
    pub(crate) task_id: Option<String>,
}

/// Runs to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusInput {
    /// Show only this run.
    pub(crate) run: Option<String>,
    /// Also show runs that ended, or were not seen for more than an hour.
    #[serde(default)]
    pub(crate) all: bool,
}

/// Run to describe.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainInput {
    /// Run. Default: the run of this connection.
    pub(crate) run: Option<String>,
}
