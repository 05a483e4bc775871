//! The body of a request: its form and its compression.

use std::io::Read as _;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use flate2::read::MultiGzDecoder;
use loopbreak_trace::TelemetryEncoding;

use super::otlp_failure::OtlpFailure;
use super::telemetry_intake::IntakeError;

/// Largest body, before and after it is unpacked, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// A body as it was sent. It is unpacked only when it is its turn: a thousand times as many bytes may come out.
#[derive(Clone, Debug)]
pub(super) struct OtlpBody {
    bytes: Bytes,
    is_packed: bool,
}

impl OtlpBody {
    pub(super) fn new(bytes: Bytes, is_packed: bool) -> Self {
        OtlpBody { bytes, is_packed }
    }

    /// Returns the message.
    pub(super) fn unpack(self) -> Result<Vec<u8>, IntakeError> {
        if self.is_packed { unpack(&self.bytes) } else { Ok(self.bytes.into()) }
    }
}

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

/// Reads a body.
pub(super) async fn read_body(headers: &HeaderMap, body: Body) -> Result<OtlpBody, OtlpFailure> {
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
            IntakeError::TooLarge.into()
        } else {
            OtlpFailure::new(StatusCode::BAD_REQUEST, "the body ends too early")
        }
    })?;
    Ok(OtlpBody::new(body, is_packed))
}

/// Unpacks a body, up to the limit.
fn unpack(packed: &[u8]) -> Result<Vec<u8>, IntakeError> {
    let mut body = Vec::new();
    let read = MultiGzDecoder::new(packed).take(MAX_BODY_BYTES as u64 + 1).read_to_end(&mut body);
    if read.is_err() {
        return Err(IntakeError::Malformed("the body is not valid gzip".to_owned()));
    }
    if body.len() > MAX_BODY_BYTES { Err(IntakeError::TooLarge) } else { Ok(body) }
}
