//! The server as MCP sees it.

mod argument_check;
pub(crate) mod input_limits;
mod mcp_server;
mod resources;
mod serve_error;
pub(crate) mod tool_arguments;
mod tool_error;
mod tool_schemas;

pub use mcp_server::McpOptions;
pub(crate) use mcp_server::{McpServer, OwnRun};
pub use serve_error::{ServeEnd, ServeError};
pub(crate) use tool_arguments::ToolArguments;
pub(crate) use tool_error::ToolError;
