//! The MCP server: questions and reports of an agent or an orchestrator, as tools and resources.
//!
//! - `transport`: standard input and output, or HTTP
//! - `protocol`: the server as MCP sees it: capabilities, arguments, limits, errors, resources
//! - `tools`: one file per tool, with the types of their arguments and results
//! - `state`: the queue of calls, the store and the settings

pub(crate) mod protocol;
pub(crate) mod state;
pub(crate) mod tools;
mod transport;

pub use crate::http::BearerToken;
pub use protocol::{McpOptions, ServeEnd, ServeError};
pub use transport::{HttpOptions, serve_http, serve_stdio, serve_stdio_asking, serve_stream};
