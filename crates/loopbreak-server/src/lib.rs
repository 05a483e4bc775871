//! Servers for agents and the programs that drive them: MCP over standard input and output, or over HTTP, and a guard
//! that answers lines of JSON.
//!
//! The server decides nothing: it shows steps and attempts to the engine, writes the result to the store, and returns
//! the verdict. This is the only crate with an asynchronous runtime, which runs only while it serves.
//!
//! ```no_run
//! use loopbreak::Settings;
//! use loopbreak_server::mcp::{McpOptions, serve_stdio};
//!
//! let options = McpOptions {
//!     settings: Settings::default(),
//!     store: "/var/lib/loopbreak.db".parse()?,
//!     folder: "/project".to_owned(),
//!     run: None,
//! };
//! serve_stdio(options)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod http;
pub mod lines;
pub mod mcp;
pub mod otlp;
pub mod service;
