//! The reason why a request with telemetry cannot be read.

/// A request with telemetry that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The body is not a message in protobuf.
    NotProtobuf,
    /// The body is not JSON, or not OTLP. The text says where.
    NotJson(String),
    /// The attributes are nested too deeply.
    TooDeep,
}

impl std::fmt::Display for TelemetryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TelemetryError::NotProtobuf => f.write_str("the body is not an OTLP message in protobuf"),
            TelemetryError::NotJson(problem) => write!(f, "the body is not OTLP in JSON: {problem}"),
            TelemetryError::TooDeep => f.write_str("attributes are nested too deeply"),
        }
    }
}

impl std::error::Error for TelemetryError {}
