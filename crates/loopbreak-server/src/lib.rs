//! Servers that agents and programs ask over a protocol: MCP, over standard input and output or over HTTP.
//!
//! Nothing is decided here: steps and attempts go to the engine, and what it says is kept in the store and told. This is
//! the only crate with an asynchronous runtime, and it starts one only while it serves.

pub mod mcp;
