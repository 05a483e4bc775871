//! Parts that the servers over HTTP share: connections and bodies within limits, TLS, tokens, and the end of the program.

mod answer_body;
mod bearer_token;
mod bound_port;
mod connection_gate;
mod connection_security;
mod open_connections;
mod open_file_limit;
mod request_body;
mod shutdown_signal;
mod tls_files;
#[cfg(feature = "tls")]
mod tls_identity;
#[cfg(feature = "tls")]
mod tls_renewal;
mod token_file;

pub(crate) use answer_body::{AnswerBody, ByteStream};
pub use bearer_token::BearerToken;
#[cfg(feature = "grpc")]
pub(crate) use bound_port::ConnectionServer;
pub(crate) use bound_port::{BoundPort, accept_connections};
pub(crate) use connection_gate::ConnectionGate;
#[cfg(feature = "grpc")]
pub(crate) use connection_security::ByteChannel;
pub(crate) use connection_security::ConnectionSecurity;
pub(crate) use open_connections::{ConnectionPhase, ConnectionPlace, OpenConnections};
pub(crate) use open_file_limit::connection_limit;
pub(crate) use request_body::{BodyBudget, BodyRefusal};
pub use tls_files::{TlsError, TlsFiles};
#[cfg(feature = "tls")]
pub(crate) use tls_identity::TlsIdentity;
#[cfg(feature = "tls")]
pub(crate) use tls_renewal::TlsRenewal;

/// Largest body of a request, in bytes.
pub(crate) const BODY_BYTES: usize = crate::mcp::protocol::input_limits::MESSAGE_BYTES;
pub(crate) use shutdown_signal::wait_for_shutdown;
