//! Codex CLI.

use std::process::Command;

use toml::{Table, Value};

use crate::live_trial::{LiveAgent, LiveFile, LiveSession};

/// Codex CLI, with one of the models of its catalogue.
pub struct LiveCodex {
    model: &'static str,
    dialect: &'static str,
}

impl LiveCodex {
    /// With a model that calls tools directly.
    pub const DIRECT: LiveCodex = LiveCodex { model: "gpt-5.5-codex", dialect: "codex" };
    /// With a model that writes programs which call the tools.
    pub const CODE_MODE: LiveCodex = LiveCodex { model: "gpt-6.1-sol", dialect: "codex-code" };
}

impl LiveAgent for LiveCodex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn dialect(&self) -> &'static str {
        self.dialect
    }

    fn files(&self, session: &LiveSession) -> Vec<LiveFile> {
        let trust = Value::from(Table::from_iter([("trust_level".to_owned(), "trusted".into())]));
        let projects = Table::from_iter([(session.project.display().to_string(), trust)]);
        let projects = Table::from_iter([("projects".to_owned(), Value::from(projects))]);
        let text = format!(
            "model = \"{}\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\n\
             {projects}\n[features]\nmulti_agent_v2 = true\n",
            self.model, session.model_url,
        );
        vec![LiveFile { path: ".codex/config.toml", text }]
    }

    fn configure(&self, _session: &LiveSession, prompt: &str, command: &mut Command) {
        command
            .args(["exec", "--json", "--skip-git-repo-check"])
            .arg("--dangerously-bypass-approvals-and-sandbox")
            // A person would review the hooks once; their hashes are stored after that.
            .arg("--dangerously-bypass-hook-trust")
            .arg(prompt);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_settings_are_valid_whatever_the_name_of_the_folder() {
        let session = LiveSession::new(Path::new("/a \"b\" \\c"), "http://127.0.0.1:1");
        let files = LiveCodex::DIRECT.files(&session);
        let config: Table = files[0].text.parse().unwrap();
        let project = session.project.display().to_string();
        assert_eq!(config["projects"][project.as_str()]["trust_level"].as_str(), Some("trusted"));
        assert_eq!(config["features"]["multi_agent_v2"].as_bool(), Some(true));
    }
}
