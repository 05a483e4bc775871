//! The operations of the API.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::input_schemas::{any_body, run_body, step_body, telemetry_body};
use crate::mcp::tools::output::{
    AttemptOutput, LoopOutput, PlanOutput, RecoveryOutput, StatusOutput, TasksOutput,
};
use crate::mcp::tools::{AttemptInput, LoopInput, PlanInput, ProposalInput, RecoveryInput, TaskStatusInput};
use crate::service::api::alert_output::AlertPage;
use crate::service::api::alert_routes::AlertsQuery;
use crate::service::api::event_stream::EventsQuery;
use crate::service::api::loop_routes::LoopsQuery;
use crate::service::api::run_output::{
    DoneOutput, EntryPage, HealthOutput, IssueOutput, IssuePage, LoopDecision, RunOutput, RunPage,
    StopRequest, UsageOutput,
};
use crate::service::api::run_routes::{DaysQuery, EntriesQuery, RunsQuery, StatusQuery};
use crate::service::guards::RulingReply;

/// Function that returns a schema and adds what it refers to.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// An operation of the API.
pub(super) struct ApiOperation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    /// Scope that a token needs, empty if none is needed.
    pub(super) scope: &'static str,
    pub(super) query: Option<SchemaOf>,
    pub(super) body: Option<SchemaOf>,
    pub(super) reply: ReplyForm,
}

/// The form of the answer of an operation.
pub(super) enum ReplyForm {
    Json(SchemaOf),
    /// The answers to steps, in the form in which they came.
    Steps,
    /// The answer to telemetry.
    Telemetry,
    Text(&'static str),
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Returns the schema of an object itself, not a reference to it.
fn inline<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

const fn get(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    query: Option<SchemaOf>,
    reply: ReplyForm,
) -> ApiOperation {
    ApiOperation { method: "get", path, id, summary, scope: "read", query, body: None, reply }
}

const fn post(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    scope: &'static str,
    body: SchemaOf,
    reply: ReplyForm,
) -> ApiOperation {
    ApiOperation { method: "post", path, id, summary, scope, query: None, body: Some(body), reply }
}

const fn open(path: &'static str, id: &'static str, summary: &'static str, reply: ReplyForm) -> ApiOperation {
    ApiOperation { method: "get", path, id, summary, scope: "", query: None, body: None, reply }
}

const fn telemetry(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    body: SchemaOf,
) -> ApiOperation {
    post(path, id, summary, "ingest", body, ReplyForm::Telemetry)
}

/// All operations.
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation {
        method: "post",
        path: "/v1/steps",
        id: "postSteps",
        summary: "Records steps and returns a verdict on each, in their order",
        scope: "ingest",
        query: None,
        body: Some(step_body),
        reply: ReplyForm::Steps,
    },
    post(
        "/v1/weigh",
        "weigh",
        "Asks whether to take an action. Records nothing",
        "ingest",
        run_body::<ProposalInput>,
        ReplyForm::Json(schema::<RulingReply>),
    ),
    post(
        "/v1/attempts",
        "recordAttempt",
        "Records an attempt at a task",
        "ingest",
        run_body::<AttemptInput>,
        ReplyForm::Json(schema::<AttemptOutput>),
    ),
    post(
        "/v1/detect_loop",
        "detectLoop",
        "Asks whether a run or a task loops. Records nothing",
        "ingest",
        run_body::<LoopInput>,
        ReplyForm::Json(schema::<LoopOutput>),
    ),
    post(
        "/v1/plan_next",
        "planNext",
        "Adds tasks and returns the next one",
        "ingest",
        run_body::<PlanInput>,
        ReplyForm::Json(schema::<PlanOutput>),
    ),
    post(
        "/v1/apply_recovery",
        "applyRecovery",
        "Applies the recommended recovery to a looping task",
        "ingest",
        run_body::<RecoveryInput>,
        ReplyForm::Json(schema::<RecoveryOutput>),
    ),
    post(
        "/v1/task_status",
        "taskStatus",
        "Returns the tasks of a run",
        "ingest",
        run_body::<TaskStatusInput>,
        ReplyForm::Json(schema::<TasksOutput>),
    ),
    get(
        "/v1/status",
        "status",
        "Returns the status of the runs of the last hour",
        Some(inline::<StatusQuery>),
        ReplyForm::Json(schema::<StatusOutput>),
    ),
    get(
        "/v1/usage",
        "usage",
        "Returns usage and waste by day",
        Some(inline::<DaysQuery>),
        ReplyForm::Json(schema::<UsageOutput>),
    ),
    get(
        "/v1/alerts",
        "listAlerts",
        "Returns alerts, the latest first",
        Some(inline::<AlertsQuery>),
        ReplyForm::Json(schema::<AlertPage>),
    ),
    get(
        "/v1/runs",
        "listRuns",
        "Returns runs, the latest first",
        Some(inline::<RunsQuery>),
        ReplyForm::Json(schema::<RunPage>),
    ),
    get("/v1/runs/{run}", "getRun", "Returns a run", None, ReplyForm::Json(schema::<RunOutput>)),
    ApiOperation {
        method: "delete",
        path: "/v1/runs/{run}",
        id: "forgetRun",
        summary: "Deletes a run with everything that is stored of it",
        scope: "admin",
        query: None,
        body: None,
        reply: ReplyForm::Json(schema::<DoneOutput>),
    },
    get(
        "/v1/runs/{run}/steps",
        "runSteps",
        "Returns the steps of a run with their answers",
        Some(inline::<EntriesQuery>),
        ReplyForm::Json(schema::<EntryPage>),
    ),
    get(
        "/v1/runs/{run}/events",
        "runEvents",
        "Returns what was found and done in a run",
        Some(inline::<EntriesQuery>),
        ReplyForm::Json(schema::<EntryPage>),
    ),
    post(
        "/v1/runs/{run}/stop",
        "stopRun",
        "Asks to stop a run: its next verdicts are `stop`",
        "admin",
        schema::<StopRequest>,
        ReplyForm::Json(schema::<DoneOutput>),
    ),
    get(
        "/v1/loops",
        "listLoops",
        "Returns loops over all runs",
        Some(inline::<LoopsQuery>),
        ReplyForm::Json(schema::<IssuePage>),
    ),
    get("/v1/loops/{loop}", "getLoop", "Returns a loop", None, ReplyForm::Json(schema::<IssueOutput>)),
    post(
        "/v1/loops/{loop}",
        "decideLoop",
        "Decides about a loop",
        "admin",
        schema::<LoopDecision>,
        ReplyForm::Json(schema::<IssueOutput>),
    ),
    get(
        "/v1/events",
        "events",
        "Streams entries as they are stored, as server-sent events",
        Some(inline::<EventsQuery>),
        ReplyForm::Text("text/event-stream"),
    ),
    get("/metrics", "metrics", "Returns metrics for Prometheus", None, ReplyForm::Text("text/plain")),
    telemetry("/v1/traces", "postTraces", "Takes spans of OpenTelemetry as steps", telemetry_body),
    telemetry("/v1/logs", "postLogs", "Takes events of OpenTelemetry as steps", telemetry_body),
    telemetry("/v1/metrics", "postMetrics", "Accepts metrics of OpenTelemetry, and drops them", any_body),
    open("/healthz", "health", "Returns whether the server runs", ReplyForm::Json(schema::<HealthOutput>)),
    open(
        "/readyz",
        "readiness",
        "Returns whether the store can be used",
        ReplyForm::Json(schema::<HealthOutput>),
    ),
];
