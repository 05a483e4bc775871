//! The types that the API returns and accepts.

use loopbreak_store::service::{DailyUsage, LogEntry, LoopIssue, ServiceRun};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest text of an action in a list, in bytes.
const ACTION_BYTES: usize = 300;

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunOutput {
    /// Name of the run.
    run: String,
    /// Number of steps.
    steps: u64,
    /// Verdict on the last step: `clear`, `warn` or `stop`.
    verdict: String,
    /// Cost in US dollars.
    cost: f64,
    /// Project.
    project: String,
    /// The worst verdict so far.
    worst: String,
    /// Number of the last turn.
    turn: u64,
    /// Number of findings.
    findings: u64,
    /// Number of tokens.
    tokens: u64,
    /// Number of steps in loops.
    wasted_steps: u64,
    /// Their cost in US dollars.
    wasted_cost: f64,
    /// Their tokens.
    wasted_tokens: u64,
    /// Name of the last model, empty if it is not known.
    model: String,
    /// Name of the agent, empty if it is not known.
    agent: String,
    /// Reason why the run was stopped, empty if it was not.
    stopped: String,
    /// Reason why somebody asked to stop the run.
    stop_request: Option<String>,
    /// True if the run is held out, null if no runs are.
    held_out: Option<bool>,
    /// Turn of the first warning.
    warned_at: Option<u64>,
    /// Time of the first step, in milliseconds since 1970.
    started: i64,
    /// Time of the last step.
    seen: i64,
}

impl From<ServiceRun> for RunOutput {
    fn from(run: ServiceRun) -> Self {
        let figures = run.figures;
        RunOutput {
            run: run.run,
            steps: figures.steps,
            verdict: figures.verdict.as_str().to_owned(),
            cost: figures.cost,
            project: run.project,
            worst: figures.worst.as_str().to_owned(),
            turn: figures.turn,
            findings: figures.findings,
            tokens: figures.tokens,
            wasted_steps: figures.wasted_steps,
            wasted_cost: figures.wasted_cost,
            wasted_tokens: figures.wasted_tokens,
            model: figures.model,
            agent: figures.agent,
            stopped: figures.stopped,
            stop_request: run.stop_request,
            held_out: figures.held_out,
            warned_at: figures.warned_at,
            started: run.started,
            seen: run.seen,
        }
    }
}

/// A page of runs, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunPage {
    /// The runs.
    pub(super) runs: Vec<RunOutput>,
    /// The `cursor` of the next page, null on the last one.
    pub(super) next: Option<String>,
}

/// An entry of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryOutput {
    /// Number of the entry. Later entries have larger numbers.
    pub(super) id: i64,
    /// Run, null for what is about the project.
    run: Option<String>,
    /// Number within the run, 0 if it is not part of it.
    seq: u64,
    /// Time of the server, in milliseconds since 1970.
    at: i64,
    /// `step`, `attempt`, `plan`, `recovery`, `rules`, `loop`, `stop_request` or `spending`.
    kind: String,
    /// Verdict: `clear`, `warn` or `stop`.
    verdict: String,
    /// True if something was found, or if it is not a step.
    notable: bool,
    /// The beginning of the action, for steps.
    action: String,
    /// The content that was received. Only in lists of steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    /// The answer.
    answer: Value,
}

impl EntryOutput {
    /// Converts an entry. Steps may be long: `whole` asks for what was received.
    pub(super) fn new(entry: LogEntry, whole: bool) -> Self {
        let input: Value = serde_json::from_str(&entry.input).unwrap_or_default();
        let action = match &input["action"] {
            Value::String(text) => text.clone(),
            Value::Object(action) => {
                let name = action.get("name").and_then(Value::as_str).unwrap_or_default();
                match action.get("args") {
                    Some(args) => format!("{name} {args}"),
                    None => name.to_owned(),
                }
            }
            _ => String::new(),
        };
        let is_step = entry.seq > 0;
        EntryOutput {
            id: entry.id,
            run: entry.run,
            seq: entry.seq,
            at: entry.at,
            kind: entry.kind.as_str().to_owned(),
            verdict: entry.verdict.as_str().to_owned(),
            notable: entry.notable,
            action: loopbreak::text::clip(&action, ACTION_BYTES).to_owned(),
            input: (whole || !is_step).then_some(input),
            answer: serde_json::from_str(&entry.answer).unwrap_or_default(),
        }
    }
}

/// A page of entries.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryPage {
    /// The entries, in the order of their numbers.
    pub(super) entries: Vec<EntryOutput>,
    /// The `cursor` of the next page, null on the last one.
    pub(super) next: Option<String>,
}

/// A loop over all runs of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IssueOutput {
    /// Id of the loop.
    #[serde(rename = "loop")]
    loop_id: String,
    /// `open`, `allowed`, `fixed` or `muted`.
    state: String,
    /// Detector.
    detector: String,
    /// Pattern.
    pattern: String,
    /// Worst severity: `warn` or `hard`.
    severity: String,
    /// Reason of the last finding, in one sentence.
    reason: String,
    /// Name of the tool, empty if the loop is not about calls.
    tool: String,
    /// The repeated action.
    action: String,
    /// Name of the last model, empty if it is not known.
    model: String,
    /// Number of findings.
    count: u64,
    /// Number of runs.
    runs: u64,
    /// Number of steps.
    steps: u64,
    /// Cost of the steps in US dollars.
    cost: f64,
    /// Tokens of the steps.
    tokens: u64,
    /// Time of the first finding, in milliseconds since 1970.
    first_seen: i64,
    /// Time of the last one.
    last_seen: i64,
    /// Run in which it was found last.
    last_run: String,
}

impl From<LoopIssue> for IssueOutput {
    fn from(known: LoopIssue) -> Self {
        IssueOutput {
            loop_id: known.loop_id,
            state: known.state.as_str().to_owned(),
            detector: known.detector,
            pattern: known.pattern,
            severity: known.severity,
            reason: known.reason,
            tool: known.tool,
            action: known.action,
            model: known.model,
            count: known.count,
            runs: known.runs,
            steps: known.steps,
            cost: known.cost,
            tokens: known.tokens,
            first_seen: known.first_seen,
            last_seen: known.last_seen,
            last_run: known.last_run,
        }
    }
}

/// A page of loops.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IssuePage {
    /// The loops.
    pub(super) loops: Vec<IssueOutput>,
    /// The `cursor` of the next page, null on the last one.
    pub(super) next: Option<String>,
}

/// Usage of a day, by model, or the part of it that a detector found to be wasted.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UsageRow {
    /// Project.
    project: String,
    /// Day, counted from 1970-01-01 (UTC).
    day: i64,
    /// Model, empty if it is not known.
    model: String,
    /// Detector that found the steps to be wasted. Empty in the row of all steps.
    detector: String,
    /// Number of steps.
    steps: u64,
    /// Tokens.
    tokens: u64,
    /// Cost in US dollars.
    cost: f64,
}

impl From<DailyUsage> for UsageRow {
    fn from(usage: DailyUsage) -> Self {
        let DailyUsage { project, day, model, detector, steps, tokens, cost } = usage;
        UsageRow { project, day, model, detector, steps, tokens, cost }
    }
}

/// Usage and waste by day, the latest day first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UsageOutput {
    /// The rows.
    pub(super) usage: Vec<UsageRow>,
}

/// A decision about a loop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoopDecision {
    /// `allow`: guards let it pass. `fixed`: its cause was removed; it opens again when it is found again. `mute`: guards act on
    /// it, and nobody is told. `open`: none of that.
    pub(super) action: LoopAction,
}

/// An action on a loop.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LoopAction {
    Allow,
    Fixed,
    Mute,
    Open,
}

/// A request to stop a run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StopRequest {
    /// Reason, for the agent.
    #[schemars(length(max = 200))]
    pub(super) reason: Option<String>,
    /// Set to false to withdraw the request.
    pub(super) stop: Option<bool>,
}

/// Confirmation of a change.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DoneOutput {
    /// Always true.
    pub(super) done: bool,
}

/// Health of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HealthOutput {
    /// `ok`.
    pub(super) status: String,
}
