//! Every fixture yields the expected steps, whatever its file name is.

use crate::support::{fixtures, read, render};

/// Reads a folder of fixtures and compares the result with a snapshot.
macro_rules! reads {
    ($($test:ident: $folder:literal;)*) => {$(
        #[test]
        fn $test() {
            insta::assert_snapshot!($folder, render(&read(&fixtures().join($folder))));
        }
    )*};
}

reads! {
    claude_code_sessions_and_their_subagents: "claude-code";
    claude_code_old_transcripts_and_streams: "claude-code-made";
    codex_rollouts: "codex";
    gemini_cli_sessions: "gemini-cli";
    qwen_code_sessions: "qwen-code";
    opencode_exports_and_runs: "opencode";
    pi_sessions: "pi";
    loop_traces: "ltf";
    langchain_messages: "langchain";
    ai_sdk_messages: "ai-sdk";
    openai_responses_items: "responses";
    swe_agent_trajectories: "swe-agent";
    openhands_events: "openhands";
    opentelemetry_spans: "otel";
    adventureai_games: "adventureai";
    zorkgpt_episodes: "zorkgpt";
    ralph_loops: "ralph";
    task_attempts: "attempts";
    chat_messages: "chat";
}
