//! `loopbreak mcp`: the MCP server. Here are only its arguments.

mod args;
mod command;

pub(crate) use args::McpArgs;
pub(crate) use command::{TOKEN, run};
