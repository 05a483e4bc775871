//! Tests of the configuration as a whole: from texts to settings and their origins, or to problems and their places.

mod documents;
mod every_option;
mod layers;
mod problems;

use super::{ConfigError, Layers, Loaded, Source};

/// Loads a `loopbreak.toml`.
fn own(text: &str) -> Result<Loaded, ConfigError> {
    Layers::default().file(Source::new("loopbreak.toml", text)).load()
}

/// Loads a `pyproject.toml`.
fn pyproject(text: &str) -> Result<Loaded, ConfigError> {
    Layers::default().file(Source::new("pyproject.toml", text)).load()
}

/// Loads a documents' table.
fn documents(keys: &str) -> Result<Loaded, ConfigError> {
    pyproject(&format!("[tool.zorkgpt.loop_break]\n{keys}"))
}

/// What is wrong, a line each.
fn told(result: Result<Loaded, ConfigError>) -> String {
    result.map(|loaded| loaded.config.profile).unwrap_err().to_string()
}

#[track_caller]
fn ok(result: Result<Loaded, ConfigError>) -> Loaded {
    result.unwrap_or_else(|error| panic!("{error}"))
}
