//! The process of an agent, as a hook or the runner saw it.

use serde::{Deserialize, Serialize};

/// The process of an agent. A number of a process is reused after its end, so the number alone says nothing: the time at which the
/// process started, and the machine, belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentProcess {
    /// Number of the process.
    pub pid: u32,
    /// Time at which it started, in the unit of the system.
    pub start: u64,
    /// Number of its process group.
    pub group: u32,
    /// Name of its program.
    pub name: String,
    /// The machine since its last start, and the part of it in which the number counts.
    pub machine: String,
}

/// A pause of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentPause {
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// The command that paused it, such as `watch`.
    pub by: String,
    /// Reason, if there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}
