//! Qwen Code.

use std::process::Command;

use serde_json::json;

use crate::live_trial::{LiveAgent, LiveFile, LiveSession};

/// Qwen Code. One of its own guards against loops is switched off; the one against identical calls cannot be.
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

    fn ends_identical_calls(&self) -> bool {
        true
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
