//! The API of the service over HTTP.
//!
//! - `service_gate`: checks every request before a route sees it
//! - `caller_access`: the sender of a request, and what it may do
//! - `service_api`: what the routes share, and the list of them
//! - `step_routes`, `task_routes`, `run_routes`, `loop_routes`, `alert_routes`, `event_stream`, `metrics_page`, `start_page`: the routes
//! - `telemetry_routes`: OTLP
//! - `openapi`: their description, from the same types
//! - `run_output`, `alert_output`, `api_error`: what is returned
//! - `project_choice`: whose rows are returned

mod alert_output;
mod alert_routes;
mod api_error;
mod caller_access;
mod event_stream;
mod loop_routes;
mod metrics_page;
mod openapi;
mod project_choice;
mod rate_limit;
mod run_output;
mod run_routes;
mod service_api;
mod service_gate;
mod start_page;
mod step_routes;
mod task_routes;
mod telemetry_routes;

pub(crate) use api_error::ApiError;
pub(crate) use caller_access::{CallerAccess, hex_text, random_text};
pub(crate) use rate_limit::RateLimits;
pub(super) use service_api::typed;
pub(crate) use service_api::{ServiceApi, service_router};
pub(crate) use service_gate::{GateOptions, ServiceGate};
#[cfg(feature = "grpc")]
pub(crate) use telemetry_routes::telemetry_grpc_router;
