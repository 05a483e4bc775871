//! Cline CLI.

use std::process::Command;

use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// Cline CLI.
pub(crate) struct ClineCli;

/// The name of a provider for any server with the protocol of OpenAI.
const PROVIDER: &str = "openai-compatible";

impl AgentProgram for ClineCli {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "cline", version: "3.0.65", program: "cline" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        let settings = json!({
            "provider": PROVIDER, "apiKey": "scripted", "model": "scripted",
            "baseUrl": format!("{}/v1", setup.model_url),
        });
        let entry =
            json!({"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"});
        let providers = json!({"version": 1, "providers": {PROVIDER: entry}, "lastUsedProvider": PROVIDER});
        setup.write_home(".cline/data/settings/providers.json", &format!("{providers:#}\n"))?;
        setup.run_loopbreak(&["hook", "install", "cline"])?;
        if setup.variant.two_installations {
            setup.run_loopbreak(&["hook", "install", "cline", "--user"])?;
        }
        Ok(())
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.command(&setup.program);
        command
            .args(["--provider", PROVIDER, "--model", "scripted", "--json"])
            // It ends a run after three failed calls in a row.
            .args(["--retries", "30", prompt])
            // Otherwise a server stays that outlives the session.
            .env("CLINE_SESSION_BACKEND_MODE", "local")
            // It drops plugins that take longer than four seconds to load, which a busy machine does.
            .env("CLINE_PLUGIN_IMPORT_TIMEOUT_MS", "60000");
        command
    }
}
