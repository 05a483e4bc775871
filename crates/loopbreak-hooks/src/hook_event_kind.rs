//! The kinds of events, whatever an agent calls them.

/// The kind of an event. Each kind has a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookEventKind {
    /// The agent is about to call a tool.
    BeforeTool,
    /// A tool call has finished.
    AfterTool,
    /// A tool call has failed. Some agents report failures as [`HookEventKind::AfterTool`].
    ToolFailure,
    /// All calls of a message have their results, also those that the agent rejected by itself.
    ToolBatch,
    /// The agent has compacted its conversation, or is about to.
    Compaction,
    /// The agent received a prompt.
    UserPrompt,
    /// The agent ends its turn.
    TurnEnd,
    /// A subagent has finished, or the session is over.
    SessionEnd,
}
