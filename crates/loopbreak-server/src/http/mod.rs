//! Parts that the servers over HTTP share: connections and bodies within limits, tokens, and the end of the program.

mod answer_body;
mod bearer_token;
mod http_listener;
mod open_connections;
mod open_file_limit;
mod request_body;
mod shutdown_signal;
mod token_file;

pub(crate) use answer_body::{AnswerBody, ByteStream};
pub use bearer_token::BearerToken;
pub(crate) use http_listener::{ConnectionGate, accept_connections};
pub(crate) use open_connections::{ConnectionPhase, ConnectionPlace, OpenConnections};
pub(crate) use open_file_limit::connection_limit;
pub(crate) use request_body::{BodyBudget, BodyRefusal};

/// Largest body of a request, in bytes.
pub(crate) const BODY_BYTES: usize = crate::mcp::protocol::input_limits::MESSAGE_BYTES;
pub(crate) use shutdown_signal::wait_for_shutdown;
