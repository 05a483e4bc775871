//! From files, environment and flags to settings.

use std::env;
use std::path::Path;

use loopbreak::config::{ConfigError, Layers, Loaded, Source};
use loopbreak::{Config, Settings};

use super::{find, render};
use crate::args::ConfigOptions;
use crate::error::UserError;

/// The settings that hold here. Whatever is wrong with them is told on stderr, to the letter.
pub(crate) fn load(options: &ConfigOptions) -> Result<Config, UserError> {
    load_in(options, Path::new("."))
}

/// The settings that hold in a folder.
fn load_in(options: &ConfigOptions, folder: &Path) -> Result<Config, UserError> {
    let (source, result) = attempt(options, folder)?;
    result.map(|loaded| loaded.config).map_err(|error| refuse(source.as_ref(), &error))
}

/// The same before they are made ready for a guard, for whoever changes them first. Nothing is set most of the time, and
/// then nothing has to be laid over the defaults: a hook is in a hurry.
pub(crate) fn settings_in(options: &ConfigOptions, folder: &Path) -> Result<Settings, UserError> {
    let set = options.config.is_some() || options.profile.is_some() || !options.set.is_empty();
    if !set && variables()?.is_empty() && find::upwards(folder)?.is_none() {
        return Ok(Settings::default());
    }
    load_in(options, folder).map(|config| (*config).clone())
}

/// Loads the settings as they would hold in a folder, with the file they came from.
pub(crate) fn attempt(
    options: &ConfigOptions,
    folder: &Path,
) -> Result<(Option<Source>, Result<Loaded, ConfigError>), UserError> {
    let source = match &options.config {
        Some(path) => Some(find::named(path)?),
        None => find::upwards(folder)?,
    };
    let mut layers = Layers::default().environment(variables()?);
    if let Some(source) = &source {
        layers = layers.file(source.clone());
    }
    if let Some(profile) = &options.profile {
        layers = layers.profile(profile);
    }
    for assignment in &options.set {
        layers = layers.set(assignment);
    }
    Ok((source, layers.load()))
}

/// Shows the problems, and says that nothing was done.
pub(crate) fn refuse(source: Option<&Source>, error: &ConfigError) -> UserError {
    render::show(source, error);
    let count = match error.problems.len() {
        1 => "a problem".to_owned(),
        count => format!("{count} problems"),
    };
    UserError::usage(format!("the configuration has {count}; nothing was done"))
        .hint("`loopbreak config explain KEY` tells what an option is")
}

/// The variables that can be meant for us.
fn variables() -> Result<Vec<(String, String)>, UserError> {
    let mut variables = Vec::new();
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("LOOPBREAK")) else { continue };
        // What a command that we started is told is no setting of ours, should it call us; and a secret is never shown.
        let told = loopbreak_watch::notification::COMMAND_VARIABLES.contains(&name)
            || crate::run::VARIABLES.contains(&name);
        if told || name == crate::mcp::TOKEN || name == crate::play::KEY {
            continue;
        }
        let Some(value) = value.to_str() else {
            return Err(UserError::usage(format!("the variable {name} is not Unicode")));
        };
        variables.push((name.to_owned(), value.to_owned()));
    }
    Ok(variables)
}
