//! Gemini CLI.

use std::path::PathBuf;

use serde_json::Value;

use super::folder_trust::is_trusted;
use crate::doctor::doctor_context::{read_json, variable};
use crate::doctor::{CheckFinding, DoctorContext, InstalledPlugin};

/// Checks the switches for hooks, and the trust in the folder.
pub(crate) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let files =
        context.user_file("settings.json").into_iter().chain([PathBuf::from(".gemini/settings.json")]);
    let settings: Vec<(PathBuf, Value)> =
        files.filter_map(|file| read_json(&file).map(|settings| (file, settings))).collect();
    for (file, settings) in &settings {
        let config = &settings["hooksConfig"];
        let lists_ours =
            config["disabled"].as_array().is_some_and(|names| names.iter().any(|name| name == "loopbreak"));
        if config["enabled"] == false || lists_ours {
            let key = if lists_ours { "disabled" } else { "enabled" };
            findings.push(CheckFinding::problem(
                format!("the hooks are switched off: hooksConfig.{key} in {}", file.display()),
                "remove the setting, or switch them on with /hooks in Gemini CLI",
            ));
        }
    }
    let is_needed =
        context.has_project_hooks() || context.tested().is_none() && !context.plugins().is_empty();
    if is_needed && let Some(reason) = distrust(context, &settings) {
        findings.push(CheckFinding::warning(
            format!("{reason}: Gemini CLI does not load hooks here"),
            "start `gemini` here and trust the folder, set GEMINI_CLI_TRUST_WORKSPACE=true, or install with --user",
        ));
    }
    findings
}

/// Returns why the folder is not trusted.
fn distrust(context: &DoctorContext<'_>, settings: &[(PathBuf, Value)]) -> Option<String> {
    let set_to = |name: &str, wanted: &str| variable(name).is_some_and(|value| value == wanted);
    if set_to("GEMINI_RESTRICTED_MODE", "true") || set_to("GEMINI_CLI_TRUST_WORKSPACE", "false") {
        return Some("the environment says that no folder is trusted".to_owned());
    }
    let is_off = settings.iter().any(|(_, settings)| settings["security"]["folderTrust"]["enabled"] == false);
    if set_to("GEMINI_CLI_TRUST_WORKSPACE", "true") || is_off {
        return None;
    }
    let file = variable("GEMINI_CLI_TRUSTED_FOLDERS_PATH").map(PathBuf::from);
    let rules = file.or_else(|| context.user_file("trustedFolders.json")).and_then(|file| read_json(&file));
    match is_trusted(&rules.unwrap_or_default(), &context.project) {
        Some(true) => None,
        Some(false) => Some("you have chosen not to trust this folder".to_owned()),
        None => Some("this folder is not trusted yet".to_owned()),
    }
}

/// Finds the extension.
pub(crate) fn plugins(context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
    let file = context.user_file("extensions/loopbreak/gemini-extension.json").filter(|file| file.is_file());
    file.map(|file| {
        let place = format!("extension in {}", file.parent().unwrap_or(&file).display());
        InstalledPlugin::new(place, "gemini extensions uninstall loopbreak")
    })
    .into_iter()
    .collect()
}
