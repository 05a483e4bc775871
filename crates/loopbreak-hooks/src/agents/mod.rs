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
    pi::PiAgent,
    copilot::CopilotAgent,
    cline::ClineAgent,
    openhands::OpenhandsAgent,
    cursor::CursorAgent,
}

/// Finds an agent by its name or by another name that people use for it.
pub fn find(name: &str) -> Option<&'static dyn HookAgent> {
    let name = name.to_ascii_lowercase();
    ALL.iter().copied().find(|agent| agent.name() == name || agent.aliases().contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_agents_share_a_name() {
        let names = ALL.iter().flat_map(|agent| agent.aliases().iter().copied().chain([agent.name()]));
        let mut names: Vec<&str> = names.collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(find("Claude").map(HookAgent::name), Some("claude-code"));
        assert!(find("claud").is_none());
    }
}
