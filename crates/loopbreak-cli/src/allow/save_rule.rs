//! Adds a rule to the configuration of a project.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::settings::AllowRule;
use loopbreak_config::{ConfigFileLayout, ConfigLayers, ConfigSource, find_config_file};

use crate::error::UserError;
use crate::output;

/// Adds a rule to the configuration that applies in a folder, or creates one. Returns its path. A configuration that
/// would not be valid is not written.
pub(super) fn save_rule(rule: &AllowRule, folder: &Path) -> Result<PathBuf, UserError> {
    let here = if folder.is_dir() { folder } else { Path::new(".") };
    let source = find_config_file(here)?;
    let file =
        source.as_ref().map_or_else(|| here.join("loopbreak.toml"), |source| PathBuf::from(&source.name));
    let before = source.as_ref().map_or("", |source| source.text.as_str());
    let table = match source.as_ref().map(|source| source.layout) {
        Some(ConfigFileLayout::Pyproject) => "[[tool.loopbreak.allow]]",
        _ => "[[allow]]",
    };
    let mut added = format!("{table}\n");
    for (key, value) in [("tool", &rule.tool), ("args", &rule.args)] {
        if let Some(value) = value {
            let _ = writeln!(added, "{key} = {}", toml::Value::from(value.as_str()));
        }
    }
    let gap = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = format!("{before}{gap}{added}");
    let valid =
        ConfigLayers::default().file(ConfigSource::new(file.display().to_string(), text.clone())).load();
    if !valid.is_ok_and(|loaded| loaded.config.allow.contains(rule)) {
        return Err(UserError::failed(format!("cannot add the rule to {}", file.display())).hint(format!(
            "the call is allowed in this session; to allow it in all, add by hand:\n{added}"
        )));
    }
    let real = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    output::save(&real, text.as_bytes())?;
    Ok(file)
}
