//! Errors of the API: a status, a code for programs, what happened, and what to do.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http_body_util::Full;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use loopbreak_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::protocol::ToolError;
use crate::service::IngestError;

/// An error of the API.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(super) status: StatusCode,
    code: &'static str,
    message: String,
    hint: String,
    retry_after: Option<Duration>,
}

/// The body of an error.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ErrorBody {
    /// The error.
    error: ErrorDetail,
}

/// An error.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorDetail {
    /// Kind of the error, for programs.
    code: String,
    /// Description of the problem.
    message: String,
    /// Advice on how to fix it.
    hint: String,
}

impl ApiError {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        ApiError { status, code, message: message.into(), hint: hint.into(), retry_after: None }
    }

    /// Returns what happened.
    #[cfg(feature = "grpc")]
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error for a request that cannot be used.
    pub(crate) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "invalid_request", message, hint)
    }

    /// Returns the error for a request that is well-formed and makes no sense.
    pub(crate) fn unusable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "unusable", message, hint)
    }

    /// Returns the error for arguments that do not have the form of the call. Those that have it and cannot be read all the same,
    /// such as a time that is not in the calendar, are unusable.
    pub(super) fn malformed(error: ToolError) -> Self {
        let (message, hint) = error.into_parts();
        if message.starts_with("Invalid arguments: ") {
            return ApiError::unusable(message, "See /openapi.json; nothing was recorded");
        }
        ApiError::invalid(message, hint.replace("See the input schema of the tool", "See /openapi.json"))
    }

    /// Returns the error for something that does not exist.
    pub(crate) fn not_found(what: &str, name: &str) -> Self {
        let name = loopbreak::text::clip(name, 200);
        let hint = "Check the name and the project of the token: a token sees only the runs of its project";
        ApiError::new(StatusCode::NOT_FOUND, "not_found", format!("{what} {name:?} not found"), hint)
    }

    /// Returns the error for a server that cannot answer now.
    pub(crate) fn unavailable(message: impl Into<String>, retry_after: Duration) -> Self {
        let hint = "Send the request again with the same idempotency keys after the time in Retry-After";
        let error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message, hint);
        ApiError { retry_after: Some(retry_after), ..error }
    }

    /// Returns the error for a client that asks too much.
    pub(crate) fn too_many(message: impl Into<String>, retry_after: Duration) -> Self {
        let hint =
            "Wait for the time in Retry-After, then send the request again with the same idempotency keys";
        let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message, hint);
        ApiError { retry_after: Some(retry_after), ..error }
    }

    /// Returns the same error about one of several steps.
    pub(super) fn in_step(self, index: usize) -> Self {
        ApiError { message: format!("Step {index}: {}", self.message), ..self }
    }

    /// Returns the same error with a code of its own.
    pub(super) fn with_code(self, code: &'static str) -> Self {
        ApiError { code, ..self }
    }

    /// Returns the body as JSON.
    pub(super) fn json(&self) -> String {
        let detail = ErrorDetail {
            code: self.code.to_owned(),
            message: self.message.clone(),
            hint: self.hint.clone(),
        };
        serde_json::to_string(&ErrorBody { error: detail }).unwrap_or_default()
    }

    /// Adds the headers of the error.
    pub(super) fn add_headers(&self, headers: &mut hyper::HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(time) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(time.as_secs().max(1)));
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = Response::new(axum::body::Body::new(Full::from(self.json())));
        *response.status_mut() = self.status;
        self.add_headers(response.headers_mut());
        response
    }
}

impl From<IngestError> for ApiError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::InvalidStep { index: 0, message, hint } => ApiError::unusable(message, hint),
            IngestError::InvalidStep { index, message, hint } => {
                ApiError::unusable(format!("Step {index}: {message}"), hint)
            }
            IngestError::Overloaded { retry_after } => {
                ApiError::too_many("More steps arrive than the server can handle", retry_after)
                    .with_code("overloaded")
            }
            IngestError::Unavailable { message, retry_after } => ApiError::unavailable(message, retry_after),
        }
    }
}

impl From<ToolError> for ApiError {
    fn from(error: ToolError) -> Self {
        let (message, hint) = error.into_parts();
        ApiError::unusable(message, hint)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        ApiError::unavailable(error.to_string(), Duration::from_secs(1))
    }
}
