//! Questions about runs, and what people do to them.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Request;
use axum::response::Response;
use loopbreak::text::inert;
use loopbreak_store::service::{
    EntryKind, EntryOrder, EntryQuery, LoopOrder, LoopQuery, RunQuery, RunVerdict, ServiceRun, ServiceRunKey,
    TokenScope, UsageQuery,
};
use loopbreak_store::{LIVE_MS, now};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::api_error::ApiError;
use super::caller_access::ApiCaller;
use super::project_choice::ProjectChoice;
use super::run_output::{DoneOutput, EntryOutput, EntryPage, RunOutput, RunPage, StopRequest, UsageOutput};
use super::service_api::{ApiRequest, ServiceApi, json};
use crate::mcp::tools::output::StatusOutput;

/// Largest number of rows in an answer, and the number if none is given.
const MAX_ROWS: usize = 500;
const ROWS: usize = 50;
/// Longest reason for stopping a run, in characters.
const REASON_LENGTH: usize = 200;

/// Selects runs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RunsQuery {
    /// Largest number of runs.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// The place to continue at: `next` of the last page.
    #[schemars(regex(pattern = r"^[0-9]{1,18}\.[0-9]{1,18}$"))]
    cursor: Option<String>,
    /// Only runs whose last verdict is at least `warn` or `stop`.
    verdict: Option<RunVerdictName>,
    /// Only runs that were seen at or after this time, in milliseconds since 1970.
    since: Option<i64>,
    /// Only runs whose name contains this text.
    q: Option<String>,
    /// Only runs in which the loop with this id was found.
    #[serde(rename = "loop")]
    loop_id: Option<String>,
}

/// A verdict.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum RunVerdictName {
    Clear,
    Warn,
    Stop,
}

/// Selects entries of a run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EntriesQuery {
    /// Largest number of entries.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// The place to continue at: `next` of the last page.
    #[schemars(regex(pattern = r"^[0-9]{1,18}$"))]
    cursor: Option<String>,
}

/// Selects days.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DaysQuery {
    /// Number of days, today included.
    #[schemars(range(min = 1, max = 400))]
    days: Option<i64>,
    /// `all` for the usage of all projects. Only the owner gets it; others get that of their project.
    projects: Option<ProjectChoice>,
}

/// Selects the runs of a status.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StatusQuery {
    /// Only this run.
    run: Option<String>,
    /// Also show runs that were not seen in the last hour.
    all: Option<bool>,
}

/// Checks the number of rows that a client asks for.
pub(super) fn check_limit(limit: Option<usize>) -> Result<usize, ApiError> {
    let limit = limit.unwrap_or(ROWS);
    if (1..=MAX_ROWS).contains(&limit) {
        return Ok(limit);
    }
    Err(ApiError::invalid("Invalid parameter `limit`", format!("Use 1 to {MAX_ROWS}")))
}

pub(super) fn invalid_cursor() -> ApiError {
    ApiError::invalid(
        "Invalid parameter `cursor`",
        "Use `next` of the last page, and no cursor for the first",
    )
}

pub(super) async fn list_runs(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let query: RunsQuery = request.query()?;
    let limit = check_limit(query.limit)?;
    let after = query.cursor.map(|cursor| {
        let (seen, id) = cursor.split_once('.')?;
        Some((seen.parse().ok()?, id.parse().ok()?))
    });
    let after = after.map(|after| after.ok_or_else(invalid_cursor)).transpose()?;
    let query = RunQuery {
        project: Some(request.caller.project.to_string()),
        since: query.since,
        verdict: query.verdict.map(|verdict| match verdict {
            RunVerdictName::Clear => RunVerdict::Clear,
            RunVerdictName::Warn => RunVerdict::Warn,
            RunVerdictName::Stop => RunVerdict::Stop,
        }),
        text: query.q,
        loop_id: query.loop_id,
        after,
        limit,
    };
    let runs = api.ask(move |store| store.runs(&query)).await?;
    let next = runs.last().filter(|_| runs.len() == limit).map(|run| format!("{}.{}", run.seen, run.id));
    json(&RunPage { runs: runs.into_iter().map(RunOutput::from).collect(), next })
}

/// Finds a run of the caller's project.
async fn find(api: &ServiceApi, caller: &ApiCaller, name: &str) -> Result<ServiceRun, ApiError> {
    let key = run_key(caller, name);
    let found = api.ask(move |store| store.run(&key)).await?;
    // A run that was claimed and has no step yet does not exist for others.
    found.filter(|run| run.last_seq > 0).ok_or_else(|| ApiError::not_found("Run", name))
}

fn run_key(caller: &ApiCaller, name: &str) -> ServiceRunKey {
    ServiceRunKey { project: caller.project.to_string(), run: name.to_owned() }
}

pub(super) async fn get_run(
    State(api): State<ServiceApi>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    json(&RunOutput::from(find(&api, &request.caller, &name).await?))
}

pub(super) async fn run_steps(
    State(api): State<ServiceApi>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    run_entries(&api, &name, request, true).await
}

pub(super) async fn run_events(
    State(api): State<ServiceApi>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    run_entries(&api, &name, request, false).await
}

/// Returns the steps of a run, or what happened in it apart from steps without a finding.
async fn run_entries(
    api: &ServiceApi,
    name: &str,
    request: Request<Body>,
    steps: bool,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let query: EntriesQuery = request.query()?;
    let limit = check_limit(query.limit)?;
    let after = query.cursor.map(|cursor| cursor.parse().map_err(|_| invalid_cursor())).transpose()?;
    let run = find(api, &request.caller, name).await?;
    let query = EntryQuery {
        project: None,
        run: Some(run.id),
        kinds: if steps { vec![EntryKind::Step] } else { Vec::new() },
        notable: !steps,
        order: EntryOrder::OldestFirst,
        after,
        limit,
    };
    let entries = api.ask(move |store| store.entries(&query)).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.id.to_string());
    json(&EntryPage {
        entries: entries.into_iter().map(|entry| EntryOutput::new(entry, steps)).collect(),
        next,
    })
}

pub(super) async fn stop_run(
    State(api): State<ServiceApi>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Admin)?;
    let caller = request.caller.clone();
    let StopRequest { reason, stop } = request.read().await?;
    find(&api, &caller, &name).await?;
    if reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_LENGTH) {
        return Err(ApiError::invalid("Invalid `reason`", format!("Use at most {REASON_LENGTH} characters")));
    }
    let reason = inert(&reason.unwrap_or_else(|| "no reason was given".to_owned()));
    let reason = stop.unwrap_or(true).then_some(reason);
    let (key, stored) = (run_key(&caller, &name), reason.clone());
    let exists = api.ask({
        let key = key.clone();
        move |store| store.request_stop(&key, stored.as_deref(), now())
    });
    if !exists.await? {
        return Err(ApiError::not_found("Run", &name));
    }
    api.pool.set_stop(key, reason.clone());
    let action = if reason.is_some() { "run.stop" } else { "run.continue" };
    api.audit(&caller, action.to_owned(), name, reason.unwrap_or_default()).await?;
    api.announce().await?;
    json(&DoneOutput { done: true })
}

pub(super) async fn forget_run(
    State(api): State<ServiceApi>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Admin)?;
    let key = run_key(&request.caller, &name);
    let deleted = api.ask({
        let key = key.clone();
        move |store| store.forget(&key)
    });
    if !deleted.await? {
        return Err(ApiError::not_found("Run", &name));
    }
    api.pool.forget(key);
    api.audit(&request.caller, "run.forget".to_owned(), name, String::new()).await?;
    json(&DoneOutput { done: true })
}

pub(super) async fn usage(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let DaysQuery { days, projects } = request.query()?;
    let days = days.unwrap_or(30);
    if !(1..=400).contains(&days) {
        return Err(ApiError::invalid("Invalid parameter `days`", "Use 1 to 400"));
    }
    let since_day = now().div_euclid(DAY_MS) - (days - 1);
    let project = ProjectChoice::project_of(projects, &request.caller);
    let limit = if project.is_some() { 10_000 } else { 50_000 };
    let query = UsageQuery { project, since_day, limit };
    let usage = api.ask(move |store| store.usage(&query)).await?;
    json(&UsageOutput { usage: usage.into_iter().map(Into::into).collect() })
}

pub(super) async fn status(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let StatusQuery { run, all } = request.query()?;
    let project = request.caller.project.to_string();
    let since = (!all.unwrap_or(false)).then(|| now().saturating_sub(LIVE_MS));
    let runs = if let Some(name) = &run {
        vec![find(&api, &request.caller, name).await?]
    } else {
        let query =
            RunQuery { project: Some(project.clone()), since, limit: MAX_ROWS, ..RunQuery::default() };
        api.ask(move |store| store.runs(&query)).await?
    };
    let of_run = run.as_ref().and(runs.first()).map(|run| run.id);
    let (loops, recoveries) = api
        .ask(move |store| {
            let query = LoopQuery {
                project: Some(project.clone()),
                since,
                order: LoopOrder::LastSeen,
                limit: MAX_ROWS,
                ..LoopQuery::default()
            };
            let recoveries = EntryQuery {
                project: Some(project),
                run: of_run,
                kinds: vec![EntryKind::Recovery],
                order: EntryOrder::LatestFirst,
                limit: MAX_ROWS,
                ..EntryQuery::default()
            };
            Ok((store.loops(&query)?, store.entries(&recoveries)?))
        })
        .await?;
    let loops: Map<String, Value> = loops
        .into_iter()
        .filter(|known| run.is_none() || run.as_ref() == Some(&known.last_run))
        .map(|known| {
            let detail = json!({
                "loop": known.loop_id, "detector": known.detector, "pattern": known.pattern,
                "severity": known.severity, "attemptCount": known.steps, "lastAttempt": known.last_seen,
                "action": known.action, "reason": known.reason, "state": known.state.as_str(),
            });
            (known.loop_id, detail)
        })
        .collect();
    let live_since = now().saturating_sub(LIVE_MS);
    let status = StatusOutput {
        running: runs.iter().any(|run| run.seen >= live_since),
        tick_count: runs.iter().map(|run| run.figures.turn).sum(),
        loop_count: loops.len() as u64,
        recovery_count: recoveries.len() as u64,
        measures: Map::new(),
        loop_detection: loops.clone(),
        loops,
        tasks: Map::new(),
        runs: runs.iter().map(|run| run_status(run, live_since)).collect(),
    };
    json(&status)
}

/// Describes a run with the keys that other reports of a status have.
fn run_status(run: &ServiceRun, live_since: i64) -> Map<String, Value> {
    let time = |at: i64| loopbreak::step::EpochMillis(at).rfc3339();
    let mut status = Map::new();
    let fields = [
        ("source", json!("service")),
        ("session", json!(run.run)),
        ("startedAt", json!(time(run.started))),
        ("lastEventAt", json!(time(run.seen))),
        ("running", json!(run.seen >= live_since)),
        ("tickCount", json!(run.figures.turn)),
        ("verdict", json!(run.figures.verdict.as_str())),
        ("cost", json!(run.figures.cost)),
        ("stoppedByGuard", json!(!run.figures.stopped.is_empty())),
    ];
    for (name, value) in fields {
        status.insert(name.to_owned(), value);
    }
    if run.figures.held_out == Some(true) {
        status.insert("heldOut".to_owned(), true.into());
    }
    status
}
