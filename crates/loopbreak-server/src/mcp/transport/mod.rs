//! Connections of clients: standard input and output, any pair of streams, or HTTP.

mod bearer_token;
mod client_sessions;
mod http;
mod shutdown_signal;
mod stdio;
mod stream;

pub use bearer_token::BearerToken;
pub use http::{HttpOptions, serve_http};
pub use stdio::serve_stdio;
pub use stream::serve_stream;
