//! Tests of whole configurations: texts, settings with their origins, problems with their locations.

mod alerts;
mod documents;
mod every_option;
mod layers;
mod problems;

use crate::{ConfigError, ConfigLayers, ConfigSource, LoadedConfig};

/// Loads a `loopbreak.toml`.
fn own(text: &str) -> Result<LoadedConfig, ConfigError> {
    ConfigLayers::default().file(ConfigSource::new("loopbreak.toml", text)).load()
}

/// Loads a `pyproject.toml`.
fn pyproject(text: &str) -> Result<LoadedConfig, ConfigError> {
    ConfigLayers::default().file(ConfigSource::new("pyproject.toml", text)).load()
}

/// Loads a table of legacy keys.
fn documents(keys: &str) -> Result<LoadedConfig, ConfigError> {
    pyproject(&format!("[tool.zorkgpt.loop_break]\n{keys}"))
}

/// Returns the problems, one per line.
fn problem_lines(result: Result<LoadedConfig, ConfigError>) -> String {
    result.map(|loaded| loaded.config.profile).unwrap_err().to_string()
}

#[track_caller]
fn ok(result: Result<LoadedConfig, ConfigError>) -> LoadedConfig {
    result.unwrap_or_else(|error| panic!("{error}"))
}
