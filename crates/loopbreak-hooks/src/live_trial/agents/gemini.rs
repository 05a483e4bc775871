//! Gemini CLI.

use std::process::Command;

use serde_json::json;

use crate::live_trial::{LiveAgent, LiveFile, LiveSession};

/// Gemini CLI. Its own guard against loops is switched off: it would end the session before a refusal.
pub struct LiveGemini;

impl LiveAgent for LiveGemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn files(&self, _session: &LiveSession) -> Vec<LiveFile> {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "model": {"disableLoopDetection": true},
        });
        vec![LiveFile::json(".gemini/settings.json", &settings)]
    }

    fn configure(&self, session: &LiveSession, prompt: &str, command: &mut Command) {
        command
            .args(["--prompt", prompt, "--yolo", "--model", "gemini-2.5-pro", "--output-format", "json"])
            .env("GEMINI_API_KEY", "scripted")
            .env("GOOGLE_GEMINI_BASE_URL", &session.model_url)
            // Hooks of a project are loaded only in a trusted folder.
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    }
}
