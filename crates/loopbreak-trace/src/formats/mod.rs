//! The log formats, one file or folder each. To add a format, implement [`FormatDefinition`], add it to [`ALL`], and
//! describe it in `docs/formats/`.

mod adventure_ai;
mod ai_sdk;
mod attempts;
mod chat;
mod claude_code;
mod codex;
mod gemini_cli;
mod langchain;
mod ltf;
mod opencode;
mod openhands;
mod otel;
mod pi;
mod qwen_code;
mod ralph;
mod responses;
mod steps;
mod swe_agent;
mod zorkgpt;

pub(crate) use claude_code::ClaudeCodeFormat;
pub use claude_code::rejection_reason;
pub(crate) use codex::CodexFormat;
pub(crate) use gemini_cli::GeminiCliFormat;
pub use otel::{
    MAX_TELEMETRY_ITEMS, TelemetryBatch, TelemetryEncoding, TelemetryError, TelemetryReader, TelemetrySignal,
    TelemetryStep,
};
pub(crate) use qwen_code::QwenCodeFormat;
pub(crate) use steps::StepsFormat;

use crate::log_format::FormatDefinition;

/// All formats, in the order in which they are tried: the most specific first. Nearly any object could be a step.
pub(crate) static ALL: &[&dyn FormatDefinition] = &[
    &ClaudeCodeFormat,
    &CodexFormat,
    &GeminiCliFormat,
    &QwenCodeFormat,
    &opencode::OpencodeFormat,
    &pi::PiFormat,
    &ltf::LtfFormat,
    &swe_agent::SweAgentFormat,
    &openhands::OpenHandsFormat,
    &otel::OtelFormat,
    &adventure_ai::AdventureAiFormat,
    &zorkgpt::ZorkGptFormat,
    &ralph::RalphFormat,
    &attempts::AttemptsFormat,
    &langchain::LangChainFormat,
    &responses::ResponsesFormat,
    &ai_sdk::AiSdkFormat,
    &chat::ChatFormat,
    &StepsFormat,
];
