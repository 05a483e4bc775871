//! What each tool takes. The doc comments are what a model reads of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One step of the agent: what it did and what came of it. Every part is optional, but one of them is there.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepInput {
    /// Which run: any name of yours, the same for all steps of one job. Without it, the run of this connection.
    #[serde(skip_serializing)]
    pub(crate) run: Option<String>,
    /// The number of the step; without it, the last one + 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<u64>,
    /// When it was done: RFC 3339, or milliseconds since 1970. Without it, now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<When>")]
    pub(crate) at: Option<Value>,
    /// Which agent of the run, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// Which model it asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// What was done: a tool call, or a command as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOr<ActionInput>>")]
    pub(crate) action: Option<Value>,
    /// What came of it: the reply, as the agent saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOr<OutcomeInput>>")]
    pub(crate) outcome: Option<Value>,
    /// What the agent said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
    /// What a human said: it ends repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    /// Where the agent is after the step, in a world that has places.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOr<PlaceInput>>")]
    pub(crate) place: Option<Value>,
    /// The score after the step, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// Goals: `active`, those still open; `completed`, those reached in this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ObjectivesInput>")]
    pub(crate) objectives: Option<Value>,
    /// The attempt at a task that this step reports, as with `record_attempt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskInput>,
    /// Your own mark of progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<bool>,
    /// The action was proposed and refused: it is seen, but is no turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<bool>,
    /// The critic's opinion of the action, given before it was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) critic: Option<CriticInput>,
    /// What the step cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<UsageInput>,
}

/// A point in time: RFC 3339, or whole milliseconds since 1970.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it is only a schema")]
pub(crate) enum When {
    Text(String),
    Millis(i64),
}

/// A text alone, or the parts of it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it is only a schema")]
pub(crate) enum TextOr<T> {
    Text(String),
    Parts(T),
}

/// A tool call.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only a schema")]
pub(crate) struct ActionInput {
    /// The tool, or the command.
    name: String,
    /// Its arguments, any JSON.
    args: Option<Value>,
    /// What kind of doing it is: edit, read, run, search, wait, move or say.
    kind: Option<String>,
    /// What it is done to: a file, a test, a thing.
    target: Option<String>,
}

/// What came of an action.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only a schema")]
pub(crate) struct OutcomeInput {
    /// The reply.
    text: Option<String>,
    /// The action failed.
    error: Option<bool>,
}

/// A place.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only a schema")]
pub(crate) struct PlaceInput {
    /// A stable id: a number or a text.
    id: Option<Value>,
    /// Its name.
    name: Option<String>,
    /// The ways out.
    exits: Option<Vec<String>>,
}

/// Goals.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only a schema")]
pub(crate) struct ObjectivesInput {
    /// Still open.
    active: Option<Vec<String>>,
    /// Reached in this step.
    completed: Option<Vec<Value>>,
}

/// The critic's opinion.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CriticInput {
    /// From 0 (bad) to 1 (good).
    score: f64,
}

/// What a step cost.
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

/// The attempt at a task that a step reports.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskInput {
    /// Which task.
    pub(crate) id: String,
    /// How the attempt left it: pending, `in_progress`, blocked or done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<String>,
    /// What stands in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blockers: Vec<String>,
    /// What was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) work: Vec<String>,
    /// In which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

/// An action that is not taken yet.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalInput {
    /// Which run; without it, that of this connection.
    #[serde(skip_serializing)]
    pub(crate) run: Option<String>,
    /// The action: a tool call, or a command as a text.
    #[schemars(with = "TextOr<ActionInput>")]
    pub(crate) action: Value,
    /// What the action is worth in the eyes of a critic, from 0 to 1; without it, only loops speak against it.
    #[serde(skip_serializing)]
    pub(crate) score: Option<f64>,
    /// Whose proposal it is, where there are several agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// Where the agent is; without it, where it was seen last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TextOr<PlaceInput>>")]
    pub(crate) place: Option<Value>,
}

/// An attempt at a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AttemptInput {
    /// Which run; without it, that of this connection.
    pub(crate) run: Option<String>,
    /// Which task.
    pub(crate) task_id: String,
    /// How the attempt left the task: pending, `in_progress`, blocked or done.
    pub(crate) status: String,
    /// What stood in the way.
    #[serde(default)]
    pub(crate) blockers: Vec<String>,
    /// What was done in this attempt.
    #[serde(default)]
    pub(crate) completed_work: Vec<String>,
    /// In which session of yours.
    pub(crate) session_id: Option<String>,
    /// When: RFC 3339, or milliseconds since 1970. Without it, now.
    #[schemars(with = "Option<When>")]
    pub(crate) timestamp: Option<Value>,
}

/// What is asked about: a task, or the run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoopInput {
    /// Which run; without it, that of this connection.
    pub(crate) run: Option<String>,
    /// Which task; without it, the run as a whole.
    pub(crate) task_id: Option<String>,
}

/// A task that is to be got out of its loop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecoveryInput {
    /// Which run; without it, that of this connection.
    pub(crate) run: Option<String>,
    /// Which task.
    pub(crate) task_id: String,
}

/// What to plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlanInput {
    /// Which run; without it, that of this connection.
    pub(crate) run: Option<String>,
    /// Tasks to put into the roadmap first, in their order. One that is known keeps how it stands.
    #[serde(default)]
    pub(crate) tasks: Vec<PlannedInput>,
}

/// A task of a roadmap.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlannedInput {
    /// A short name of your own for it, at most 64 bytes.
    pub(crate) id: String,
    /// What it is about, on one line.
    #[serde(default)]
    pub(crate) title: String,
    /// What is to be done.
    #[serde(default)]
    pub(crate) details: String,
    /// The tasks that have to be finished before.
    #[serde(default)]
    pub(crate) after: Vec<String>,
}

/// Which tasks to tell of.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskStatusInput {
    /// Which run; without it, that of this connection.
    pub(crate) run: Option<String>,
    /// Which task; without it, all of the run.
    pub(crate) task_id: Option<String>,
}

/// Which runs to tell of.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusInput {
    /// Only this run.
    pub(crate) run: Option<String>,
    /// Also runs that ended, or were silent for more than an hour.
    #[serde(default)]
    pub(crate) all: bool,
}

/// Which run to tell the story of.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoryInput {
    /// Which run; without it, that of this connection.
    pub(crate) run: Option<String>,
}
