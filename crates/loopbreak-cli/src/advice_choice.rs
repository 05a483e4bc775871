//! Sets of texts that are compared, shared by `arena` and `eval`.

use std::path::Path;

use loopbreak::settings::{AdviceSettings, TemplateSet};
use loopbreak::{Config, Settings};

use crate::args::ConfigOptions;
use crate::config_loading;
use crate::error::UserError;

/// Returns the settings with the texts of this choice: the name of a set, or a configuration file with a section
/// `advice`.
pub(crate) fn with_advice(config: &Config, choice: &str) -> Result<Config, UserError> {
    let advice = advice_settings(choice)?;
    Config::new(Settings { advice, ..Settings::clone(config) })
        .map_err(|problems| UserError::usage(format!("{choice}: {problems}")))
}

fn advice_settings(choice: &str) -> Result<AdviceSettings, UserError> {
    if let Ok(templates) = choice.parse::<TemplateSet>() {
        return Ok(AdviceSettings { templates, ..AdviceSettings::default() });
    }
    let path = Path::new(choice);
    if !path.is_file() {
        let sets: Vec<&str> = TemplateSet::ALL.iter().map(|set| set.as_str()).collect();
        return Err(UserError::usage(format!("{choice:?} is neither a set of texts nor a file")).hint(
            format!("the sets are {}; a file is a configuration with a section [advice]", sets.join(", ")),
        ));
    }
    let options = ConfigOptions { config: Some(path.to_owned()), ..ConfigOptions::default() };
    Ok(config_loading::settings_in(&options, Path::new("."))?.advice)
}
