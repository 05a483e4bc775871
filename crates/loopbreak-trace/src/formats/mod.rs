//! The formats, one file or folder each.

mod adventure_ai;
mod attempts;
mod chat;
mod claude_code;
mod codex;
mod command;
mod gemini_cli;
mod openhands;
mod otel;
mod ralph;
mod steps;
mod swe_agent;
mod zorkgpt;

pub(crate) use command::command;
pub(crate) use steps::Steps;

use crate::format::Kind;

/// All formats, in the order in which they are tried: the most particular first. Nearly any object could be a step.
pub(crate) static ALL: &[&dyn Kind] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini_cli::GeminiCli,
    &swe_agent::SweAgent,
    &openhands::OpenHands,
    &otel::Otel,
    &adventure_ai::AdventureAi,
    &zorkgpt::ZorkGpt,
    &ralph::Ralph,
    &attempts::Attempts,
    &chat::Chat,
    &Steps,
];
