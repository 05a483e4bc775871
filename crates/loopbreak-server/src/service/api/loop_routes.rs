//! Loops over all runs, and decisions about them.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Request;
use axum::response::Response;
use loopbreak_store::now;
use loopbreak_store::service::{IssueState, LoopOrder, LoopQuery, TokenScope};
use schemars::JsonSchema;
use serde::Deserialize;

use super::api_error::ApiError;
use super::run_output::{IssueOutput, IssuePage, LoopAction, LoopDecision};
use super::run_routes::{check_limit, invalid_cursor};
use super::service_api::{ApiRequest, ServiceApi, json};

/// Selects loops.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LoopsQuery {
    /// Largest number of loops.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// The place to continue at: `next` of the last page.
    #[schemars(regex(pattern = r"^[0-9]{1,9}$"))]
    cursor: Option<String>,
    /// Only loops in this state.
    state: Option<LoopStateName>,
    /// Only loops that were seen at or after this time, in milliseconds since 1970.
    since: Option<i64>,
    /// Order: the most expensive, the most frequent, or the latest first.
    order: Option<LoopOrderName>,
}

/// The state of a loop.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoopStateName {
    Open,
    Allowed,
    Fixed,
    Muted,
}

/// An order of loops.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoopOrderName {
    Cost,
    Count,
    LastSeen,
}

pub(super) async fn list_loops(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let query: LoopsQuery = request.query()?;
    let limit = check_limit(query.limit)?;
    let offset =
        query.cursor.map(|cursor| cursor.parse::<u32>().map_err(|_| invalid_cursor())).transpose()?;
    let offset = offset.unwrap_or_default() as usize;
    let query = LoopQuery {
        project: Some(request.caller.project.to_string()),
        state: query.state.map(|state| match state {
            LoopStateName::Open => IssueState::Open,
            LoopStateName::Allowed => IssueState::Allowed,
            LoopStateName::Fixed => IssueState::Fixed,
            LoopStateName::Muted => IssueState::Muted,
        }),
        since: query.since,
        opened_since: None,
        order: match query.order {
            None | Some(LoopOrderName::Cost) => LoopOrder::Cost,
            Some(LoopOrderName::Count) => LoopOrder::Count,
            Some(LoopOrderName::LastSeen) => LoopOrder::LastSeen,
        },
        offset,
        limit,
    };
    let loops = api.ask(move |store| store.loops(&query)).await?;
    let next = (loops.len() == limit).then(|| (offset + limit).to_string());
    json(&IssuePage { loops: loops.into_iter().map(IssueOutput::from).collect(), next })
}

pub(super) async fn get_loop(
    State(api): State<ServiceApi>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let (project, loop_id) = (request.caller.project.to_string(), id.clone());
    let found = api.ask(move |store| store.find_loop(&project, &loop_id)).await?;
    json(&IssueOutput::from(found.ok_or_else(|| ApiError::not_found("Loop", &id))?))
}

pub(super) async fn decide(
    State(api): State<ServiceApi>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Admin)?;
    let caller = request.caller.clone();
    let LoopDecision { action } = request.read().await?;
    let state = match action {
        LoopAction::Allow => IssueState::Allowed,
        LoopAction::Fixed => IssueState::Fixed,
        LoopAction::Mute => IssueState::Muted,
        LoopAction::Open => IssueState::Open,
    };
    let (project, loop_id) = (caller.project.to_string(), id.clone());
    let found = api
        .ask(move |store| {
            let known = store.set_loop_state(&project, &loop_id, state, now())?;
            if known { store.find_loop(&project, &loop_id) } else { Ok(None) }
        })
        .await?;
    let found = found.ok_or_else(|| ApiError::not_found("Loop", &id))?;
    api.pool.refresh_rules(&caller.project);
    api.audit(&caller, format!("loop.{}", state.as_str()), id, String::new()).await?;
    api.announce().await?;
    json(&IssueOutput::from(found))
}
