//! Adds a rule for allowed calls to a configuration file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use loopbreak::settings::AllowRule;

use crate::layers::ConfigLayers;
use crate::source::{ConfigFileError, ConfigFileLayout, ConfigSource, find_config_file};

/// A configuration file with an added rule. Nothing is written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllowRuleEdit {
    /// The file.
    pub path: PathBuf,
    /// New content of the file.
    pub text: String,
    /// The added lines.
    pub added: String,
    /// False if the file would not be valid with the rule. It must not be written then.
    pub is_valid: bool,
}

impl AllowRuleEdit {
    /// Adds a rule to the configuration that applies in a folder, or to a new `loopbreak.toml` there.
    pub fn new(rule: &AllowRule, folder: &Path) -> Result<Self, ConfigFileError> {
        let source = find_config_file(folder)?;
        let path = match &source {
            Some(source) => PathBuf::from(&source.name),
            None => folder.join("loopbreak.toml"),
        };
        let before = source.as_ref().map_or("", |source| source.text.as_str());
        let added = render_rule(rule, source.as_ref().map(|source| source.layout));
        let gap = match before {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        let text = format!("{before}{gap}{added}");
        let changed = ConfigSource::new(path.display().to_string(), text.clone());
        let loaded = ConfigLayers::default().file(changed).load();
        let is_valid = loaded.is_ok_and(|loaded| loaded.config.allow.contains(rule));
        Ok(AllowRuleEdit { path, text, added, is_valid })
    }
}

fn render_rule(rule: &AllowRule, layout: Option<ConfigFileLayout>) -> String {
    let table = match layout {
        Some(ConfigFileLayout::Pyproject) => "[[tool.loopbreak.allow]]",
        _ => "[[allow]]",
    };
    let mut text = format!("{table}\n");
    for (key, value) in [("tool", &rule.tool), ("args", &rule.args)] {
        if let Some(value) = value {
            _ = writeln!(text, "{key} = {}", toml::Value::from(value.as_str()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(file: &str, text: &str) -> AllowRuleEdit {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), text).unwrap();
        let rule = AllowRule { tool: Some("bash".into()), args: Some("*\"job\"*".into()) };
        AllowRuleEdit::new(&rule, folder.path()).unwrap()
    }

    #[test]
    fn a_rule_is_appended_after_an_empty_line() {
        let edit = edit("loopbreak.toml", "mode = \"observe\"");
        assert!(edit.is_valid);
        assert_eq!(edit.text, format!("mode = \"observe\"\n\n{}", edit.added));
        assert!(edit.added.starts_with("[[allow]]\ntool = \"bash\"\nargs = "), "{}", edit.added);
    }

    #[test]
    fn a_pyproject_file_gets_the_table_of_the_tool() {
        let edit = edit("pyproject.toml", "[tool.loopbreak]\nmode = \"observe\"\n");
        assert!(edit.is_valid && edit.added.starts_with("[[tool.loopbreak.allow]]\n"), "{edit:?}");
    }

    #[test]
    fn an_edit_that_breaks_the_file_is_not_valid() {
        assert!(!edit("loopbreak.toml", "allow = []\n").is_valid);
    }
}
