//! The agents, one file each. To add an agent, implement [`HookAgent`] and add a line to the list.

use crate::hook_agent::HookAgent;

/// Declares the module of each agent, and the list of all agents.
macro_rules! declare_agents {
    ($($module:ident::$agent:ident,)*) => {
        $(mod $module;)*

        /// All agents, in the order in which help lists them.
        pub static ALL: &[&dyn HookAgent] = &[$(&$module::$agent),*];
    };
}

declare_agents! {
    claude_code::ClaudeCodeAgent,
    codex::CodexAgent,
    gemini::GeminiAgent,
    qwen::QwenAgent,
    opencode::OpencodeAgent,
    openhands::OpenhandsAgent,
    cursor::CursorAgent,
}
