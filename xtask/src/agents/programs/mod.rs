//! The agents: one file each.

mod agent_program;
mod claude_code;

pub(super) use agent_program::AgentProgram;

/// All agents, in the order in which they are run.
pub(super) const ALL: [&dyn AgentProgram; 1] = [&claude_code::ClaudeCode];
