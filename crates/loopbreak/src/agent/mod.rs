//! Agents whose calls pass the guard: what is needed around a [`Guard`](crate::Guard) to stand between an agent and its tools.
//!
//! [`AgentRun`] is asked before each call, and gets its outcome after it. It refuses the calls that would only continue a
//! loop, and ends the run if the agent insists. Like the guard, it reads no clock, no file and no network.
//!
//! ```
//! use loopbreak::agent::{AgentCall, AgentConfig, AgentRun, CallAnswer};
//! use loopbreak::{Action, Outcome, Settings};
//!
//! let mut run = AgentRun::new(AgentConfig::from(&Settings::default()), "session-1");
//! let call = AgentCall::from(Action::new("make test"));
//! for _ in 0..7 {
//!     assert_eq!(run.before(&call).answer, CallAnswer::Allow);
//!     run.after(&call, Some(Outcome::new("1 failed").with_error(true)), None);
//! }
//! // The eighth identical call after seven identical outcomes.
//! assert_eq!(run.before(&call).answer, CallAnswer::Refuse);
//! ```
//!
//! Hooks of coding agents, use the same parts: [`AgentConfig`], [`CallObjection`] and
//! [`RefusalText`].

mod agent_call;
mod agent_config;
mod agent_memory;
mod agent_run;
mod agent_snapshot;
mod agent_stop;
mod call_objection;
mod call_ruling;
mod refusal_text;
#[cfg(test)]
mod tests;

pub use agent_call::AgentCall;
pub use agent_config::AgentConfig;
pub use agent_memory::AgentMemory;
pub use agent_run::AgentRun;
pub use agent_snapshot::{AgentSnapshot, AgentSnapshotError};
pub use agent_stop::AgentStop;
pub use call_objection::CallObjection;
pub use call_ruling::{CallAnswer, CallRuling};
pub use refusal_text::{RefusalText, describe_measures};
