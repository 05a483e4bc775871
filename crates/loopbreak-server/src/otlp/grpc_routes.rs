//! OTLP over gRPC: three unary calls, whose messages are those of HTTP.

use std::fmt::Write as _;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header};
use axum::routing::post;
use http_body_util::{BodyExt as _, Full};
use loopbreak_trace::{TelemetryEncoding, TelemetrySignal};

use super::otlp_body::{MAX_BODY_BYTES, OtlpBody};
use super::otlp_failure::{OtlpFailure, grpc_code};
use super::otlp_routes::{unauthorized, unused_metrics};
use super::telemetry_intake::{IntakeError, TakenTelemetry, TelemetryIntake};
use crate::service::{ProjectName, StepSink};

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
/// Bytes in front of a message: a flag for its compression, and its length.
const FRAME_BYTES: usize = 5;

/// Returns the calls of the three collector services of OTLP, to be served over HTTP/2.
///
/// A layer in front of them has to put the [`ProjectName`] of the client into the extensions of each request.
pub fn otlp_grpc_router<S: StepSink + 'static>(intake: TelemetryIntake<S>) -> Router {
    let service =
        |signal: &str, service: &str| format!("/opentelemetry.proto.collector.{signal}.v1.{service}/Export");
    Router::new()
        .route(&service("trace", "TraceService"), post(traces::<S>))
        .route(&service("logs", "LogsService"), post(logs::<S>))
        .route(&service("metrics", "MetricsService"), post(metrics))
        .fallback(unknown_call)
        .with_state(intake)
}

async fn traces<S: StepSink>(
    State(intake): State<TelemetryIntake<S>>,
    request: Request<Body>,
) -> Response<Body> {
    respond(take(&intake, TelemetrySignal::Traces, request).await)
}

async fn logs<S: StepSink>(
    State(intake): State<TelemetryIntake<S>>,
    request: Request<Body>,
) -> Response<Body> {
    respond(take(&intake, TelemetrySignal::Logs, request).await)
}

async fn metrics(request: Request<Body>) -> Response<Body> {
    respond(read_message(request).await.map(|_| unused_metrics()))
}

async fn unknown_call() -> Response<Body> {
    respond(Err(OtlpFailure::new(StatusCode::NOT_FOUND, "this call is not known")))
}

async fn take<S: StepSink>(
    intake: &TelemetryIntake<S>,
    signal: TelemetrySignal,
    request: Request<Body>,
) -> Result<TakenTelemetry, OtlpFailure> {
    let (project, message) = read_message(request).await?;
    Ok(intake.take(&project, signal, TelemetryEncoding::Protobuf, message).await?)
}

/// Reads the one message of a unary call.
async fn read_message(request: Request<Body>) -> Result<(ProjectName, OtlpBody), OtlpFailure> {
    let (parts, body) = request.into_parts();
    let project = parts.extensions.get::<ProjectName>().cloned().ok_or_else(unauthorized)?;
    let broken = || OtlpFailure::new(StatusCode::BAD_REQUEST, "the message is not framed as gRPC");
    let body = axum::body::to_bytes(body, MAX_BODY_BYTES + FRAME_BYTES).await;
    let mut frame = body.map_err(|_| IntakeError::TooLarge)?;
    if frame.len() < FRAME_BYTES {
        return Err(broken());
    }
    let message = frame.split_off(FRAME_BYTES);
    let [is_packed, length @ ..] = &frame[..] else { return Err(broken()) };
    let length: [u8; 4] = length.try_into().map_err(|_| broken())?;
    if u32::from_be_bytes(length) as usize != message.len() {
        return Err(broken());
    }
    let packing = parts.headers.get("grpc-encoding").map(HeaderValue::as_bytes);
    let message = match (is_packed, packing) {
        (0, _) => OtlpBody::new(message, false),
        (1, Some(b"gzip")) => OtlpBody::new(message, true),
        _ => return Err(OtlpFailure::new(StatusCode::NOT_FOUND, "only gzip is unpacked")),
    };
    Ok((project, message))
}

/// Refuses a call before its message is read.
pub(crate) fn grpc_refusal(status: StatusCode, message: &str) -> Response<Body> {
    respond(Err(OtlpFailure::new(status, message)))
}

fn respond(result: Result<TakenTelemetry, OtlpFailure>) -> Response<Body> {
    let mut trailers = HeaderMap::new();
    let mut response = match result {
        Ok(taken) => {
            let message = taken.to_protobuf();
            let mut frame = vec![0];
            frame.extend(u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
            frame.extend(message);
            trailers.insert(STATUS, HeaderValue::from_static("0"));
            let body = Full::new(Bytes::from(frame)).with_trailers(async move { Some(Ok(trailers)) });
            Response::new(Body::new(body))
        }
        Err(failure) => {
            // A failure has no message: its status stands in the headers.
            let mut response = Response::new(Body::empty());
            let headers = response.headers_mut();
            headers.insert(STATUS, HeaderValue::from(u16::from(grpc_code(failure.status))));
            headers.insert(MESSAGE, percent_encoded(&failure.message));
            response
        }
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// Encodes a message for a header: what is not plain ASCII becomes `%XX`.
fn percent_encoded(text: &str) -> HeaderValue {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if (b' '..=b'~').contains(&byte) && byte != b'%' {
            encoded.push(byte.into());
        } else {
            _ = write!(encoded, "%{byte:02X}");
        }
    }
    HeaderValue::from_str(&encoded).unwrap_or_else(|_| HeaderValue::from_static("failed"))
}
