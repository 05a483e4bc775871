//! The MCP server: what an agent or an orchestrator can ask and tell, as tools and resources.

#[cfg(test)]
mod at_once;
mod desk;
mod fault;
mod http;
mod input;
mod limits;
mod output;
mod parameters;
mod place;
mod recover;
mod resources;
mod roadmap;
mod schemas;
mod server;
mod sessions;
mod signal;
mod stdio;
mod steps;
mod story;
mod tasks;
mod token;
mod tools;
mod verdicts;

pub use http::{Http, serve as serve_http};
pub use server::{End, Options, ServeError};
pub use stdio::serve as serve_stdio;
pub use token::Token;
