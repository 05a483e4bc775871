//! Telemetry in: OTLP over HTTP and gRPC becomes steps.
//!
//! The mapping from spans and events to steps is that of `loopbreak-trace`, so a request gives the steps that a file with this
//! request gives. A request is answered when all of its steps are stored.
//!
//! | module | content |
//! |---|---|
//! | `telemetry_intake` | requests to steps, steps to the sink |
//! | `otlp_routes`, `otlp_body`, `otlp_failure` | OTLP over HTTP |
//! | `grpc_routes`, `grpc_listener` | OTLP over gRPC |

#[cfg(feature = "grpc")]
mod grpc_listener;
#[cfg(feature = "grpc")]
mod grpc_routes;
mod otlp_body;
mod otlp_failure;
mod otlp_routes;
mod telemetry_intake;

#[cfg(feature = "grpc")]
pub(crate) use grpc_listener::GrpcServer;
#[cfg(feature = "grpc")]
pub use grpc_listener::serve_grpc;
#[cfg(feature = "grpc")]
pub(crate) use grpc_routes::grpc_refusal;
#[cfg(feature = "grpc")]
pub use grpc_routes::otlp_grpc_router;
pub use otlp_routes::otlp_http_router;
pub use telemetry_intake::TelemetryIntake;
