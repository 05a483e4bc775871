//! Connections of clients: standard input and output, any pair of streams, or HTTP.

mod answer_body;
mod bearer_token;
mod client_sessions;
mod http;
mod http_gate;
mod http_listener;
mod json_line;
mod line_transport;
mod open_connections;
mod open_file_limit;
mod request_body;
mod shutdown_signal;
mod stdio;
mod stream;
mod token_file;

pub use bearer_token::BearerToken;
pub use http::{HttpOptions, serve_http};
pub use stdio::serve_stdio;
pub use stream::serve_stream;
