//! Qwen Code.

use std::fs;
use std::process::Command;

use loopbreak_hooks::live_trial::agents::LiveQwen;
use serde_json::{Value, json};

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// Qwen Code.
pub(crate) struct QwenCode;

impl AgentProgram for QwenCode {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "@qwen-code/qwen-code", version: "0.24.4", program: "qwen" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        setup.write_settings(&LiveQwen, |settings| {
            settings["model"]["skipLoopDetection"] = (!setup.variant.own_guard).into();
            if setup.variant.compaction {
                settings["model"]["generationConfig"] = json!({"contextWindowSize": 160_000});
            }
            if setup.variant.other_hook {
                let block = json!({"decision": "block", "reason": "The job is not done yet. Go on."});
                let hook = json!({"type": "command", "command": format!("echo '{block}'")});
                settings["hooks"] = json!({"Stop": [{"hooks": [hook]}]});
            }
        })?;
        setup.install_hooks("qwen", ".qwen/settings.json").or_else(|_| install_as_claude_code(setup))
    }

    fn log_folder(&self) -> Option<&'static str> {
        Some(".qwen/projects")
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        setup.agent_command(&LiveQwen, prompt)
    }
}

/// Installs the hooks of Claude Code, which Qwen Code takes with times in milliseconds. For versions of `loopbreak` that
/// do not know Qwen Code.
fn install_as_claude_code(setup: &SessionSetup) -> Result<(), ChoreFailure> {
    let (theirs, ours) = (".claude/settings.json", ".qwen/settings.json");
    setup.install_hooks("claude-code", theirs)?;
    for folder in [&setup.project, &setup.home] {
        let Ok(text) = fs::read_to_string(folder.join(theirs)) else { continue };
        let hooks: Value = serde_json::from_str(&text)
            .map_err(|error| ChoreFailure::Failed(format!("cannot read {theirs}: {error}")))?;
        let own = fs::read_to_string(folder.join(ours)).unwrap_or_default();
        let mut settings: Value = serde_json::from_str(&own).unwrap_or_else(|_| json!({}));
        for (event, groups) in hooks["hooks"].as_object().into_iter().flatten() {
            let mut groups = groups.clone();
            let lists = groups.as_array_mut().into_iter().flatten();
            for hook in lists.filter_map(|group| group["hooks"].as_array_mut()).flatten() {
                hook["timeout"] = 10_000.into();
            }
            match settings["hooks"][event].as_array_mut() {
                Some(others) => others.extend(groups.as_array().cloned().unwrap_or_default()),
                None => settings["hooks"][event] = groups,
            }
        }
        crate::agents::project_files::write(&folder.join(ours), &format!("{settings:#}\n"))?;
    }
    Ok(())
}
