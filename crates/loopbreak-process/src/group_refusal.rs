//! Reasons why a process group gets no signal.

/// The reason why a process group gets no signal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupRefusal {
    /// The system has no `/proc`.
    #[error("pausing, resuming and stopping agents needs /proc, which this system does not have")]
    Unsupported,
    /// The process was seen on another machine, in another container, or before a restart.
    #[error("the agent runs on another machine or in another container, or this machine was restarted since")]
    OtherMachine,
    /// The process has ended.
    #[error("the agent (process {pid}) has ended")]
    Ended {
        /// Number of the process.
        pid: u32,
    },
    /// Another process has the number now.
    #[error("the agent has ended, and process {pid} is another one now ({name})")]
    Reused {
        /// Number of the process.
        pid: u32,
        /// Name of the program that it runs now.
        name: String,
    },
    /// A process of the group belongs to another user.
    #[error("process {pid} ({name}) belongs to another user")]
    OtherUser {
        /// Number of the process.
        pid: u32,
        /// Name of its program.
        name: String,
    },
    /// The group is that of this program, or holds a process that started it or that it started.
    #[error("its process group holds this program, or what started it or was started by it ({name})")]
    OwnFamily {
        /// Name of the program.
        name: String,
    },
    /// The process that the group is named after has ended or does not belong to the agent.
    #[error("its process group is led by another program ({name})")]
    OtherLeader {
        /// Name of the leader.
        name: String,
    },
    /// A process of the group is not the agent's.
    #[error("its process group also holds process {pid} ({name}), which is not the agent's")]
    ForeignMember {
        /// Number of the process.
        pid: u32,
        /// Name of its program.
        name: String,
    },
    /// The agent is held by a debugger.
    #[error("the agent (process {pid}) is being debugged")]
    Debugged {
        /// Number of the process.
        pid: u32,
    },
    /// The agent is stopped already.
    #[error("the agent (process {pid}) is stopped already, and not by Loopbreak")]
    AlreadyStopped {
        /// Number of the process.
        pid: u32,
    },
    /// The system refused the signal.
    #[error("the signal was refused: {reason}")]
    SignalFailed {
        /// The message of the system.
        reason: String,
    },
}
