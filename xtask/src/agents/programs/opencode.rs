//! opencode.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use loopbreak_hooks::live_trial::agents::LiveOpencode;
use serde_json::{Value, json};

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::project_files::write;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, stdout_of};

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

    /// It keeps its sessions in a database, and exports them.
    fn logs(&self, setup: &SessionSetup) -> Result<Vec<PathBuf>, ChoreFailure> {
        let list = stdout_of(setup.command(&setup.program).args(["session", "list", "--format", "json"]))?;
        let list: Value = serde_json::from_slice(&list).map_err(|error| {
            ChoreFailure::Failed(format!("cannot read the sessions of opencode: {error}"))
        })?;
        let ids = list.as_array().into_iter().flatten().filter_map(|session| session["id"].as_str());
        let mut ids: VecDeque<String> = ids.map(str::to_owned).collect();
        let mut paths = Vec::new();
        let path = |id: &str| setup.folder.join(format!("{id}.json"));
        while let Some(id) = ids.pop_front() {
            let export = stdout_of(setup.command(&setup.program).args(["export", &id]))?;
            let export = String::from_utf8_lossy(&export);
            // The list has no sessions of subagents. The calls that started them name them.
            let subagents = export.split("\"sessionId\":").skip(1).filter_map(|rest| rest.split('"').nth(1));
            write(&path(&id), &export)?;
            paths.push(path(&id));
            for subagent in subagents {
                if !paths.contains(&path(subagent)) && !ids.iter().any(|known| known == subagent) {
                    ids.push_back(subagent.to_owned());
                }
            }
        }
        Ok(paths)
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
