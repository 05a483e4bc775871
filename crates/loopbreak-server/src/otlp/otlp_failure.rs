//! Answers of OTLP, in protobuf and JSON.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use loopbreak_trace::TelemetryEncoding;
use serde_json::json;

use super::otlp_body::MAX_BODY_BYTES;
use super::telemetry_intake::{IntakeError, TakenTelemetry};

/// The kind of a request, which names what was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtlpSignal {
    Traces,
    Logs,
    Metrics,
}

/// A request that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OtlpFailure {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) retry_after: Option<Duration>,
}

impl OtlpSignal {
    /// Returns the field of the answer that has the number of rejected items.
    fn rejected_field(self) -> &'static str {
        match self {
            OtlpSignal::Traces => "rejectedSpans",
            OtlpSignal::Logs => "rejectedLogRecords",
            OtlpSignal::Metrics => "rejectedDataPoints",
        }
    }
}

impl OtlpFailure {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        OtlpFailure { status, message: message.into(), retry_after: None }
    }

    /// Writes the failure: a status of gRPC in the form of the request.
    pub(super) fn into_response(self, encoding: TelemetryEncoding) -> Response<Body> {
        let code = grpc_code(self.status);
        let body = match encoding {
            TelemetryEncoding::Protobuf => {
                let mut body = Vec::new();
                put_number(1, code.into(), &mut body);
                put_bytes(2, self.message.as_bytes(), &mut body);
                body
            }
            TelemetryEncoding::Json => {
                json!({"code": code, "message": self.message}).to_string().into_bytes()
            }
        };
        let mut response = response(self.status, encoding, body);
        if let Some(time) = self.retry_after {
            let seconds = time.as_secs().max(1);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<IntakeError> for OtlpFailure {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::Malformed(message) => OtlpFailure::new(StatusCode::BAD_REQUEST, message),
            IntakeError::TooLarge => OtlpFailure::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!(
                    "the body is too large: at most {} MiB are accepted; lower the batch size of the exporter",
                    MAX_BODY_BYTES / (1024 * 1024)
                ),
            ),
            IntakeError::Overloaded(time) => OtlpFailure {
                retry_after: Some(time),
                ..OtlpFailure::new(StatusCode::TOO_MANY_REQUESTS, "more arrives than can be handled")
            },
            IntakeError::Unavailable(time) => OtlpFailure {
                retry_after: Some(time),
                ..OtlpFailure::new(StatusCode::SERVICE_UNAVAILABLE, "steps cannot be stored now")
            },
        }
    }
}

impl TakenTelemetry {
    /// Writes the answer.
    pub(super) fn into_response(self, signal: OtlpSignal, encoding: TelemetryEncoding) -> Response<Body> {
        let body = match encoding {
            TelemetryEncoding::Protobuf => self.to_protobuf(),
            TelemetryEncoding::Json if self == TakenTelemetry::default() => b"{}".to_vec(),
            TelemetryEncoding::Json => {
                let mut partial = json!({"errorMessage": self.message});
                partial[signal.rejected_field()] = self.rejected.to_string().into();
                json!({"partialSuccess": partial}).to_string().into_bytes()
            }
        };
        response(StatusCode::OK, encoding, body)
    }

    /// Returns the message, which is the same for all signals.
    pub(super) fn to_protobuf(&self) -> Vec<u8> {
        let mut body = Vec::new();
        if *self != TakenTelemetry::default() {
            let mut partial = Vec::new();
            put_number(1, self.rejected, &mut partial);
            put_bytes(2, self.message.as_bytes(), &mut partial);
            put_bytes(1, &partial, &mut body);
        }
        body
    }
}

fn response(status: StatusCode, encoding: TelemetryEncoding, body: Vec<u8>) -> Response<Body> {
    let kind = match encoding {
        TelemetryEncoding::Protobuf => "application/x-protobuf",
        TelemetryEncoding::Json => "application/json",
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns the status of gRPC for a status of HTTP. Exporters try again after `UNAVAILABLE`.
pub(super) fn grpc_code(status: StatusCode) -> u8 {
    match status {
        StatusCode::OK => 0,
        StatusCode::BAD_REQUEST | StatusCode::UNSUPPORTED_MEDIA_TYPE => 3,
        StatusCode::REQUEST_TIMEOUT => 4,
        StatusCode::FORBIDDEN => 7,
        StatusCode::PAYLOAD_TOO_LARGE => 8,
        StatusCode::NOT_FOUND => 12,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => 14,
        StatusCode::UNAUTHORIZED => 16,
        _ => 2,
    }
}

fn put_number(field: u8, number: u64, message: &mut Vec<u8>) {
    if number > 0 {
        message.push(field << 3);
        put_varint(number, message);
    }
}

fn put_bytes(field: u8, bytes: &[u8], message: &mut Vec<u8>) {
    if !bytes.is_empty() {
        message.push(field << 3 | 2);
        put_varint(bytes.len() as u64, message);
        message.extend(bytes);
    }
}

fn put_varint(mut number: u64, message: &mut Vec<u8>) {
    while number >= 0x80 {
        message.push(number as u8 | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}
