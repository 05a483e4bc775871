//! Qwen Code.

use std::process::Command;

use serde_json::json;

use crate::live_trial::{LiveAgent, LiveFile, LiveSession};

/// Qwen Code. Its own guard against loops is switched off: it would end the session before a refusal.
pub struct LiveQwen;

impl LiveAgent for LiveQwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn files(&self, _session: &LiveSession) -> Vec<LiveFile> {
        let settings = json!({
            "security": {"auth": {"selectedType": "openai"}},
            "general": {"enableAutoUpdate": false},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "model": {"skipLoopDetection": true},
        });
        vec![LiveFile::json(".qwen/settings.json", &settings)]
    }

    fn configure(&self, session: &LiveSession, prompt: &str, command: &mut Command) {
        command
            .args([
                prompt,
                "--yolo",
                "--auth-type",
                "openai",
                "--model",
                "scripted",
                "--output-format",
                "json",
            ])
            .env("OPENAI_API_KEY", "scripted")
            .env("OPENAI_BASE_URL", format!("{}/v1", session.model_url));
    }
}
