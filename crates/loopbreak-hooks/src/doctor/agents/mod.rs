//! Knowledge about single agents: trust in hooks and folders, switches in their settings, plugins.

pub(crate) mod claude_code;
pub(crate) mod codex;
mod folder_trust;
pub(crate) mod gemini;
pub(crate) mod qwen;
