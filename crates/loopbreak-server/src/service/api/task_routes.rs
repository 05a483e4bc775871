//! The calls about tasks.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use loopbreak::text::mask_secrets;
use loopbreak_store::service::TokenScope;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::api_error::ApiError;
use super::service_api::{ApiRequest, ServiceApi, json_text};
use super::step_routes::{check_depth, missing_run, whole_numbers};
use crate::mcp::protocol::tool_arguments::read;
use crate::mcp::tools::{AttemptInput, LoopInput, PlanInput, RecoveryInput, TaskStatusInput};
use crate::service::guards::RunCall;

/// Reads the body of a call, and carries it out in the run that it names.
async fn call<T: DeserializeOwned + JsonSchema + std::any::Any>(
    api: ServiceApi,
    request: Request<Body>,
    make: impl FnOnce(T) -> (Option<String>, RunCall),
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Ingest)?;
    let (caller, key) = (request.caller.clone(), request.idempotency_key()?);
    let mut object = request.object().await?;
    check_depth(&object)?;
    whole_numbers(&mut object);
    let input = mask_secrets(&serde_json::Value::Object(object.clone()).to_string()).into_owned();
    let (run, call) = make(read(object).map_err(ApiError::malformed)?);
    let run = run.ok_or_else(missing_run)?;
    // The log has what was received, unless masking made it unreadable.
    let input =
        if serde_json::from_str::<serde::de::IgnoredAny>(&input).is_ok() { input } else { "{}".to_owned() };
    let answer = api.pool.call(&caller.project, &run, call, key, input).await??;
    Ok(json_text(answer))
}

pub(super) async fn record_attempt(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    call(api, request, |mut input: AttemptInput| (input.run.take(), RunCall::Attempt(Box::new(input)))).await
}

pub(super) async fn detect_loop(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    call(api, request, |input: LoopInput| (input.run, RunCall::DetectLoop(input.task_id))).await
}

pub(super) async fn plan_next(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    call(api, request, |mut input: PlanInput| (input.run.take(), RunCall::Plan(input))).await
}

pub(super) async fn apply_recovery(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    call(api, request, |input: RecoveryInput| (input.run, RunCall::Recover(input.task_id))).await
}

pub(super) async fn task_status(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    call(api, request, |input: TaskStatusInput| {
        (input.run, RunCall::TaskStatus { task: input.task_id, offset: input.offset })
    })
    .await
}
