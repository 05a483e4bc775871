//! Processes of agents: which process an agent is, and how it is paused, resumed and ended.
//!
//! A hook is started by its agent, so [`find_agent`] finds the agent among the parents of the hook. [`AgentGroup::verify`] checks
//! later, before any signal, that the process is still the same and that its process group holds nothing but the agent. What is
//! not certain gets no signal: a [`GroupRefusal`] says why. [`RunSignal`] does this for a stored run and records it.
//!
//! All of it reads `/proc`, so it works on Linux. Elsewhere no agent is found, and nothing gets a signal.

mod agent_group;
mod find_agent;
mod group_refusal;
mod paused_runs;
mod process_stat;
mod process_table;
mod program_kind;
mod run_signal;
mod signal_error;

pub use agent_group::{AgentGroup, GroupMember, ResumeResult};
pub use find_agent::{AgentSearch, agent_from_pid, find_agent, is_stopped};
pub use group_refusal::GroupRefusal;
pub use paused_runs::{paused_runs, refresh_pauses};
pub use run_signal::{RunSignal, SignalSender};
pub use signal_error::SignalError;
