//! What only one agent has: trust in hooks and folders, switches in its settings, plugins.

pub(crate) mod claude_code;
pub(crate) mod codex;
mod folder_trust;
pub(crate) mod gemini;
pub(crate) mod qwen;
