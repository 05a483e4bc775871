//! `loopbreak mcp`: starts the MCP server.

mod args;
mod command;

pub(crate) use args::McpArgs;
pub(crate) use command::run;
