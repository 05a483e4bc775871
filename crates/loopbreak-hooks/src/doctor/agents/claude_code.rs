//! Claude Code.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::doctor::doctor_context::{read_json, variable};
use crate::doctor::{CheckFinding, DoctorContext, InstalledPlugin};

/// Returns the settings files that exist, the ones that win last.
fn settings(context: &DoctorContext<'_>) -> Vec<(PathBuf, Value)> {
    let project = [".claude/settings.json", ".claude/settings.local.json"].map(PathBuf::from);
    let files = context.user_file("settings.json").into_iter().chain(project);
    files.filter_map(|file| read_json(&file).map(|settings| (file, settings))).collect()
}

/// Checks the switch for all hooks, and the trust in the folder.
pub(crate) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let settings = settings(context);
    let switch = settings.iter().rev().find(|(_, settings)| settings["disableAllHooks"].is_boolean());
    if let Some((file, _)) = switch.filter(|(_, settings)| settings["disableAllHooks"] == true) {
        findings.push(CheckFinding::problem(
            format!("Claude Code runs no hooks: disableAllHooks is true in {}", file.display()),
            "remove the setting",
        ));
    }
    // Without the file, Claude Code has never been started.
    if let Some(state) = state_file(context).and_then(|file| read_json(&file))
        && !is_trusted(&state, context)
    {
        findings.push(CheckFinding::warning(
            "this folder is not trusted yet: in the terminal, Claude Code runs no hooks before that",
            "start `claude` here and accept; `claude -p` does not ask",
        ));
    }
    findings
}

/// Returns the file in which Claude Code keeps its state.
fn state_file(context: &DoctorContext<'_>) -> Option<PathBuf> {
    let folder = context.agent.settings_location().user_folder()?;
    let is_moved = variable("CLAUDE_CONFIG_DIR").is_some();
    Some(if is_moved { folder.as_path() } else { folder.parent()? }.join(".claude.json"))
}

/// The trust in a folder covers the folders below it.
fn is_trusted(state: &Value, context: &DoctorContext<'_>) -> bool {
    let accepted = |folder: &Path| {
        state["projects"][folder.to_string_lossy().as_ref()]["hasTrustDialogAccepted"] == true
    };
    context.project_folders().any(accepted)
}

/// Lists the enabled plugins of Loopbreak.
pub(crate) fn plugins(context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
    let mut found = Vec::new();
    for (file, settings) in settings(context) {
        for (plugin, is_enabled) in settings["enabledPlugins"].as_object().into_iter().flatten() {
            if plugin.starts_with("loopbreak@") && is_enabled == true {
                let place = format!("plugin {plugin} in {}", file.display());
                found.push(InstalledPlugin::new(place, format!("claude plugin uninstall {plugin}")));
            }
        }
    }
    found
}
