//! The list of the routes, and the parts that they share.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{get, post};
use loopbreak_store::service::{AuditRecord, ServiceStore, TokenScope};
use loopbreak_store::{StoreError, now};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::api_error::ApiError;
use super::caller_access::{ApiCaller, CallerAccess};
use super::rate_limit::RateLimits;
use super::{
    alert_routes, event_stream, loop_routes, metrics_page, openapi, run_routes, start_page, step_routes,
    task_routes, telemetry_routes,
};
use crate::otlp::TelemetryIntake;
use crate::service::dashboard::dashboard_router;
use crate::service::guards::GuardPool;

/// The parts that the routes share.
#[derive(Clone, Debug)]
pub(crate) struct ServiceApi {
    pub(crate) pool: GuardPool,
    pub(crate) store: Arc<dyn ServiceStore>,
    pub(crate) access: CallerAccess,
    pub(crate) limits: RateLimits,
    pub(crate) telemetry: TelemetryIntake<GuardPool>,
}

/// Returns the routes of the service.
pub(crate) fn service_router(api: ServiceApi) -> Router {
    Router::new()
        .route("/", get(start_page::start_page))
        .route("/healthz", get(metrics_page::health))
        .route("/readyz", get(metrics_page::readiness))
        .route("/metrics", get(metrics_page::metrics))
        .route("/openapi.json", get(openapi::openapi))
        .route("/v1/steps", post(step_routes::post_steps))
        .route("/v1/weigh", post(step_routes::weigh))
        .route("/v1/attempts", post(task_routes::record_attempt))
        .route("/v1/detect_loop", post(task_routes::detect_loop))
        .route("/v1/plan_next", post(task_routes::plan_next))
        .route("/v1/apply_recovery", post(task_routes::apply_recovery))
        .route("/v1/task_status", post(task_routes::task_status))
        .route("/v1/status", get(run_routes::status))
        .route("/v1/usage", get(run_routes::usage))
        .route("/v1/alerts", get(alert_routes::list_alerts))
        .route("/v1/runs", get(run_routes::list_runs))
        .route("/v1/runs/{run}", get(run_routes::get_run).delete(run_routes::forget_run))
        .route("/v1/runs/{run}/steps", get(run_routes::run_steps))
        .route("/v1/runs/{run}/events", get(run_routes::run_events))
        .route("/v1/runs/{run}/stop", post(run_routes::stop_run))
        .route("/v1/loops", get(loop_routes::list_loops))
        .route("/v1/loops/{loop}", get(loop_routes::get_loop).post(loop_routes::decide))
        .route("/v1/events", get(event_stream::events))
        .merge(dashboard_router())
        .merge(telemetry_routes::telemetry_router(&api))
        .fallback(no_route)
        .method_not_allowed_fallback(wrong_method)
        .with_state(api)
}

impl ServiceApi {
    /// Asks the store something, on a thread on which it may wait.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn ServiceStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = Arc::clone(&self.store);
        let answer = tokio::task::spawn_blocking(move || question(&*store)).await;
        let answer =
            answer.map_err(|_| ApiError::unavailable("The server is ending", Duration::from_secs(5)))?;
        Ok(answer?)
    }

    /// Writes into the audit log that a caller changed something.
    pub(super) async fn audit(
        &self,
        caller: &ApiCaller,
        action: String,
        subject: String,
        detail: String,
    ) -> Result<(), ApiError> {
        let (project, actor) = (caller.project.to_string(), caller.id.clone());
        let record = AuditRecord { id: 0, at: now(), project, actor, action, subject, detail };
        self.ask(move |store| store.audit(&record)).await
    }

    /// Wakes those who wait for events, after one was added by a person.
    pub(super) async fn announce(&self) -> Result<(), ApiError> {
        let last = self.ask(|store| store.last_entry()).await?;
        self.pool.note_entry(last);
        Ok(())
    }
}

/// The body of a request and what it says about itself.
pub(super) struct ApiRequest {
    pub(super) caller: ApiCaller,
    pub(super) headers: HeaderMap,
    pub(super) uri: Uri,
    body: Body,
}

impl ApiRequest {
    /// Checks that the caller may send such a request.
    pub(super) fn new(request: Request<Body>, scope: TokenScope) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let caller = parts.extensions.get::<ApiCaller>().cloned().ok_or_else(|| {
            ApiError::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "The request has no token",
                "Send a token",
            )
        })?;
        caller.require(scope)?;
        Ok(ApiRequest { caller, headers: parts.headers, uri: parts.uri, body })
    }

    /// Reads the parameters of the query.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let query = self.uri.query().unwrap_or_default();
        axum::extract::Query::try_from_uri(&self.uri).map(|axum::extract::Query(read)| read).map_err(
            |error| {
                let hint = format!(
                    "See /openapi.json for the parameters of this address; given: {:?}",
                    loopbreak::text::clip(query, 200)
                );
                ApiError::invalid(error.to_string(), hint)
            },
        )
    }

    /// Returns the type of the body, in lower case and without its parameters. Only UTF-8 is accepted.
    pub(super) fn content_type(&self) -> String {
        let value = self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Reads the body. Its size was limited before.
    pub(super) async fn bytes(self) -> Result<Vec<u8>, ApiError> {
        let bytes = axum::body::to_bytes(self.body, usize::MAX).await;
        bytes.map(Into::into).map_err(|_| ApiError::invalid("The body could not be read", "Send it again"))
    }

    /// Reads the body as a JSON object.
    pub(super) async fn object(self) -> Result<serde_json::Map<String, serde_json::Value>, ApiError> {
        if self.content_type() != "application/json" {
            return Err(wrong_type("application/json"));
        }
        let bytes = self.bytes().await?;
        match serde_json::from_slice(&bytes) {
            Ok(serde_json::Value::Object(object)) => Ok(object),
            Ok(_) => Err(ApiError::invalid("The body is not a JSON object", "Send one JSON object")),
            Err(error) => {
                Err(ApiError::invalid(format!("The body is not JSON: {error}"), "Send one JSON object"))
            }
        }
    }

    /// Reads the body as a value, with an error that names the wrong field.
    pub(super) async fn read<T: DeserializeOwned>(self) -> Result<T, ApiError> {
        let object = self.object().await?;
        serde_json::from_value(object.into())
            .map_err(|error| ApiError::invalid(format!("Invalid body: {error}"), "See /openapi.json"))
    }

    /// Returns the idempotency key of the request.
    pub(super) fn idempotency_key(&self) -> Result<Option<String>, ApiError> {
        let Some(value) = self.headers.get("idempotency-key") else { return Ok(None) };
        let key = value.to_str().ok().map(str::trim).filter(|key| !key.is_empty() && key.len() <= 150);
        key.map(|key| Some(key.to_owned())).ok_or_else(|| {
            ApiError::invalid("Invalid header Idempotency-Key", "Use 1 to 150 visible ASCII characters")
        })
    }
}

/// Returns the error for a body of another type.
pub(super) fn wrong_type(expected: &str) -> ApiError {
    ApiError::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "The body has a type that is not accepted here",
        format!("Send the header Content-Type: {expected}"),
    )
}

/// Writes an answer.
pub(super) fn json(value: &impl Serialize) -> Result<Response, ApiError> {
    let text = serde_json::to_string(value).map_err(|error| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string(), "Report this")
    })?;
    Ok(json_text(text))
}

/// Writes an answer that is JSON already.
pub(super) fn json_text(text: String) -> Response {
    typed("application/json", text)
}

/// Writes a text of a type.
pub(in crate::service) fn typed(content_type: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

async fn no_route(uri: Uri) -> ApiError {
    let path = loopbreak::text::clip(uri.path(), 200);
    let hint = "GET /openapi.json lists the addresses";
    ApiError::new(StatusCode::NOT_FOUND, "not_found", format!("Nothing is served at {path:?}"), hint)
}

async fn wrong_method(method: Method) -> ApiError {
    let message = format!("{method} is not possible here");
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message, "See the header Allow")
}
