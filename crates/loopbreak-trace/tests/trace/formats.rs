//! Every fixture gives the steps that it should, whatever its file is called.

use crate::support::{fixtures, read, shown};

/// Reads a folder of fixtures and compares with what is known to be right.
macro_rules! reads {
    ($($test:ident: $folder:literal;)*) => {$(
        #[test]
        fn $test() {
            insta::assert_snapshot!($folder, shown(&read(&fixtures().join($folder))));
        }
    )*};
}

reads! {
    claude_code_sessions_and_their_subagents: "claude-code";
    claude_code_of_old_and_as_a_stream: "claude-code-made";
    codex_rollouts: "codex";
    gemini_cli_sessions: "gemini-cli";
    swe_agent_trajectories: "swe-agent";
    openhands_events: "openhands";
    opentelemetry_spans: "otel";
    adventureai_games: "adventureai";
    zorkgpt_episodes: "zorkgpt";
    ralph_loops: "ralph";
    task_attempts: "attempts";
    chat_messages: "chat";
}
