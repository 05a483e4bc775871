//! The agents that can be started with a scripted model, one file each.

mod claude_code;
mod codex;
mod gemini;
mod opencode;
mod qwen;

use super::LiveAgent;

pub use claude_code::LiveClaudeCode;
pub use codex::LiveCodex;
pub use gemini::LiveGemini;
pub use opencode::LiveOpencode;
pub use qwen::LiveQwen;

/// All agents that can be started.
pub static ALL: &[&dyn LiveAgent] =
    &[&LiveClaudeCode, &LiveCodex::DIRECT, &LiveGemini, &LiveOpencode, &LiveQwen];

/// Finds an agent by the name that [`HookAgent`](crate::HookAgent) has for it.
pub fn find(name: &str) -> Option<&'static dyn LiveAgent> {
    ALL.iter().copied().find(|agent| agent.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HookAgent;
    use crate::scripted_model::ToolDialect;

    #[test]
    fn every_agent_that_can_be_started_has_hooks_and_tools() {
        for agent in ALL {
            assert!(agent.name().parse::<&dyn HookAgent>().is_ok(), "{}", agent.name());
            assert!(agent.dialect().parse::<ToolDialect>().is_ok(), "{}", agent.dialect());
        }
        assert!(find("nobody").is_none());
    }
}
