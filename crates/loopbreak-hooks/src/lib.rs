//! Hooks of coding agents: a guard that is asked before and after each tool call.
//!
//! A hook never harms the agent: [`answer`] does not fail. If something goes wrong it returns no response, so the agent
//! continues, and the reason goes to the caller's `warn` and to the error log.

mod answer_event;
pub mod doctor;
pub mod error_log;
mod guard_config;
mod handlers;
mod hook_agent;
mod hook_event;
mod hook_response;
mod hook_transaction;
pub mod install;
mod tool_outcome;
mod transcript;

pub use answer_event::{HookEnvironment, answer};
pub use hook_agent::HookAgent;
