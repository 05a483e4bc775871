//! Tests of the servers through their public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

mod memory_sink;
mod otlp_requests;
mod otlp_sdk;
mod tls_renewal;
