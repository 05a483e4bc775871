//! The agents: one file each.

mod agent_program;
mod claude_code;
mod codex;
mod gemini_cli;
mod opencode;
mod openhands;
mod qwen_code;

pub(super) use agent_program::AgentProgram;

/// All agents, in the order in which they are run.
pub(super) const ALL: [&dyn AgentProgram; 7] = [
    &claude_code::ClaudeCode,
    &codex::DIRECT,
    &codex::CODE_MODE,
    &gemini_cli::GeminiCli,
    &opencode::OpencodeProgram,
    &qwen_code::QwenCode,
    &openhands::OpenhandsSdk,
];
