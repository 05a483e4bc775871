//! Connections of clients: standard input and output, or HTTP.

mod bearer_token;
mod client_sessions;
mod http;
mod shutdown_signal;
mod stdio;

pub use bearer_token::BearerToken;
pub use http::{HttpOptions, serve as serve_http};
pub use stdio::serve as serve_stdio;
