//! The agents: one file each.

mod agent_program;
mod claude_code;
mod cline_cli;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod opencode;
mod openhands;
mod pi;
mod qwen_code;

pub(super) use agent_program::AgentProgram;

/// All agents, in the order in which they are run.
pub(super) const ALL: [&dyn AgentProgram; 10] = [
    &claude_code::ClaudeCode,
    &cline_cli::ClineCli,
    &codex::DIRECT,
    &codex::CODE_MODE,
    &copilot_cli::CopilotCli,
    &gemini_cli::GeminiCli,
    &opencode::OpencodeProgram,
    &pi::PiProgram,
    &qwen_code::QwenCode,
    &openhands::OpenhandsSdk,
];
