//! opencode.

use std::process::Command;

use serde_json::json;

use crate::live_trial::{LiveAgent, LiveFile, LiveSession};

/// opencode.
pub struct LiveOpencode;

impl LiveAgent for LiveOpencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn files(&self, session: &LiveSession) -> Vec<LiveFile> {
        let limit = json!({"context": 1_000_000, "output": 32_000});
        let config = json!({
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted",
                "options": {"baseURL": format!("{}/v1", session.model_url), "apiKey": "scripted"},
                "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": limit}},
            }},
            "model": "scripted/scripted", "small_model": "scripted/scripted",
            "autoupdate": false, "share": "disabled", "permission": "allow",
        });
        // It fetches the types for plugins from npm into each of its folders, and waits for them. It does not if they
        // seem to be there, and a plugin in plain JavaScript does not need them.
        let lock = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}});
        vec![
            LiveFile::json(".config/opencode/opencode.json", &config),
            LiveFile::json(".config/opencode/package-lock.json", &lock),
            LiveFile { path: ".config/opencode/node_modules/.gitkeep", text: String::new() },
        ]
    }

    fn configure(&self, _session: &LiveSession, prompt: &str, command: &mut Command) {
        command
            .args(["run", prompt, "--format", "json", "--auto", "--model", "scripted/scripted"])
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
    }
}
