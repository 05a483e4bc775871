//! OTLP over HTTP.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, Response, StatusCode};
use axum::routing::post;
use loopbreak_trace::{TelemetryEncoding, TelemetrySignal};

use super::otlp_body::{encoding_of, read_body};
use super::otlp_failure::{OtlpFailure, OtlpSignal};
use super::telemetry_intake::{TakenTelemetry, TelemetryIntake};
use crate::service::{ProjectName, StepSink};

/// Returns the routes `/v1/traces`, `/v1/logs` and `/v1/metrics`.
///
/// A layer in front of them has to put the [`ProjectName`] of the client into the extensions of each request. Requests
/// without one are refused.
pub fn otlp_http_router<S: StepSink + 'static>(intake: TelemetryIntake<S>) -> Router {
    Router::new()
        .route("/v1/traces", post(traces::<S>))
        .route("/v1/logs", post(logs::<S>))
        .route("/v1/metrics", post(metrics))
        .with_state(intake)
}

async fn traces<S: StepSink>(
    State(intake): State<TelemetryIntake<S>>,
    request: Request<Body>,
) -> Response<Body> {
    answer(&intake, OtlpSignal::Traces, TelemetrySignal::Traces, request).await
}

async fn logs<S: StepSink>(
    State(intake): State<TelemetryIntake<S>>,
    request: Request<Body>,
) -> Response<Body> {
    answer(&intake, OtlpSignal::Logs, TelemetrySignal::Logs, request).await
}

/// Metrics say nothing about single steps. They are accepted, so that exporters that always send them do not try again.
async fn metrics(request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let encoding = encoding_of(&parts.headers);
    let answer_encoding = encoding.unwrap_or(TelemetryEncoding::Json);
    if parts.extensions.get::<ProjectName>().is_none() {
        return unauthorized().into_response(answer_encoding);
    }
    if encoding.is_none() {
        return wrong_type().into_response(answer_encoding);
    }
    match read_body(&parts.headers, body).await {
        Ok(_) => unused_metrics().into_response(OtlpSignal::Metrics, answer_encoding),
        Err(failure) => failure.into_response(answer_encoding),
    }
}

/// Returns the answer to metrics.
pub(super) fn unused_metrics() -> TakenTelemetry {
    TakenTelemetry {
        rejected: 0,
        message: "metrics are not used: set OTEL_METRICS_EXPORTER=none to save the traffic".to_owned(),
    }
}

async fn answer<S: StepSink>(
    intake: &TelemetryIntake<S>,
    signal: OtlpSignal,
    content: TelemetrySignal,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let Some(encoding) = encoding_of(&parts.headers) else {
        return wrong_type().into_response(TelemetryEncoding::Json);
    };
    let Some(project) = parts.extensions.get::<ProjectName>() else {
        return unauthorized().into_response(encoding);
    };
    let body = match read_body(&parts.headers, body).await {
        Ok(body) => body,
        Err(failure) => return failure.into_response(encoding),
    };
    match intake.take(project, content, encoding, body).await {
        Ok(taken) => taken.into_response(signal, encoding),
        Err(error) => OtlpFailure::from(error).into_response(encoding),
    }
}

fn wrong_type() -> OtlpFailure {
    OtlpFailure::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "the body is neither application/x-protobuf nor application/json",
    )
}

pub(super) fn unauthorized() -> OtlpFailure {
    OtlpFailure::new(StatusCode::UNAUTHORIZED, "the request has no valid token")
}
