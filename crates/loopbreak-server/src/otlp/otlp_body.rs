//! The body of a request: its form and its compression.

use std::io::Read as _;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use flate2::read::MultiGzDecoder;
use loopbreak_trace::TelemetryEncoding;

use super::otlp_failure::OtlpFailure;

/// Largest body, before and after it is unpacked, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Returns the form of a body. `None` if it is none of OTLP.
pub(super) fn encoding_of(headers: &HeaderMap) -> Option<TelemetryEncoding> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/x-protobuf" | "application/protobuf" => Some(TelemetryEncoding::Protobuf),
        "application/json" => Some(TelemetryEncoding::Json),
        _ => None,
    }
}

/// Reads and unpacks a body.
pub(super) async fn read_body(headers: &HeaderMap, body: Body) -> Result<Vec<u8>, OtlpFailure> {
    let packing = headers.get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?"));
    let packing = packing.unwrap_or_default().trim().to_ascii_lowercase();
    let is_packed = match packing.as_str() {
        "" | "identity" => false,
        "gzip" => true,
        _ => {
            return Err(OtlpFailure::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body has a compression other than gzip",
            ));
        }
    };
    let body = axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(|error| {
        // The reason is hidden in an error of the body.
        let is_large = error.to_string().contains("length limit");
        if is_large {
            too_large()
        } else {
            OtlpFailure::new(StatusCode::BAD_REQUEST, "the body ends too early")
        }
    })?;
    if is_packed { unpack(&body) } else { Ok(body.into()) }
}

/// Unpacks a body, up to the limit.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, OtlpFailure> {
    let mut body = Vec::new();
    let read = MultiGzDecoder::new(packed).take(MAX_BODY_BYTES as u64 + 1).read_to_end(&mut body);
    if read.is_err() {
        return Err(OtlpFailure::new(StatusCode::BAD_REQUEST, "the body is not valid gzip"));
    }
    if body.len() > MAX_BODY_BYTES { Err(too_large()) } else { Ok(body) }
}

pub(super) fn too_large() -> OtlpFailure {
    let limit = MAX_BODY_BYTES / (1024 * 1024);
    OtlpFailure::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!(
            "the body is too large: at most {limit} MiB are accepted; lower the batch size of the exporter"
        ),
    )
}
