//! Qwen Code.

use std::path::PathBuf;

use super::folder_trust::is_trusted;
use crate::doctor::doctor_context::read_json;
use crate::doctor::{CheckFinding, DoctorContext};

/// Checks the switch for all hooks, and the trust in the folder. Unlike Gemini CLI, it asks for trust only on demand.
pub(crate) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let files = context.user_file("settings.json").into_iter().chain([PathBuf::from(".qwen/settings.json")]);
    let mut asks_for_trust = false;
    for file in files {
        let Some(settings) = read_json(&file) else { continue };
        if settings["disableAllHooks"] == true {
            findings.push(CheckFinding::problem(
                format!("Qwen Code runs no hooks: disableAllHooks is true in {}", file.display()),
                "remove the setting",
            ));
        }
        asks_for_trust |= settings["security"]["folderTrust"]["enabled"] == true;
    }
    if asks_for_trust && context.has_project_hooks() {
        let rules = context.user_file("trustedFolders.json").and_then(|file| read_json(&file));
        if is_trusted(&rules.unwrap_or_default(), &context.project) != Some(true) {
            findings.push(CheckFinding::warning(
                "this folder is not trusted: Qwen Code does not load its hooks",
                "start `qwen` here and trust the folder, or install with --user",
            ));
        }
    }
    findings
}
