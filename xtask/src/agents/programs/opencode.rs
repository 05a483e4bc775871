//! opencode.

use std::fs;
use std::path::Path;
use std::process::Command;

use loopbreak_hooks::live_trial::agents::LiveOpencode;
use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::project_files::write;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;
use crate::process::root;

/// opencode.
pub(crate) struct OpencodeProgram;

/// The plugin in the workspace.
const PLUGIN: &str = "integrations/opencode/loopbreak.js";

impl AgentProgram for OpencodeProgram {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "opencode-ai", version: "1.18.33", program: "opencode" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        setup.write_settings(&LiveOpencode, |settings| {
            if setup.variant.compaction {
                let model = &mut settings["provider"]["scripted"]["models"]["scripted"];
                model["limit"]["context"] = 160_000.into();
            }
        })?;
        let plugin = fs::read_to_string(root().join(PLUGIN))
            .map_err(|error| ChoreFailure::io(format_args!("read {PLUGIN}"), &error))?;
        write(&setup.project.join(".opencode/plugin/loopbreak.js"), &plugin)?;
        // The folder in the home folder has them already.
        pretend_dependencies(&setup.project.join(".opencode"))?;
        if setup.variant.two_installations {
            setup.write_home(".config/opencode/plugin/loopbreak.js", &plugin)?;
        }
        Ok(())
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        setup.agent_command(&LiveOpencode, prompt)
    }
}

/// opencode fetches the types for plugins from npm into each of its folders, and waits for them. It does not if they seem
/// to be there, and a plugin in plain JavaScript does not need them.
fn pretend_dependencies(folder: &Path) -> Result<(), ChoreFailure> {
    write(&folder.join("node_modules/.gitkeep"), "")?;
    let lock = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}});
    write(&folder.join("package-lock.json"), &format!("{lock}\n"))
}
