//! Connections of clients: standard input and output, any pair of streams, or HTTP.

mod client_sessions;
mod http;
mod http_gate;
mod json_line;
mod line_transport;
mod stdio;
mod stream;

pub use http::{HttpOptions, serve_http};
pub use stdio::{serve_stdio, serve_stdio_asking};
pub use stream::serve_stream;
