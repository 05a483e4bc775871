//! Loads the settings from the file, the environment and flags.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use loopbreak::{Config, Settings};
use loopbreak_client::{SERVER_TIMEOUT_VARIABLE, SERVER_VARIABLE};
use loopbreak_config::{
    ConfigError, ConfigFileError, ConfigLoader, ConfigSource, GuardedConfig, LoadError, LoadedConfig,
    user_config_path,
};
use loopbreak_runner::PARENT_RUN_VARIABLE;
use loopbreak_watch::notification::COMMAND_VARIABLES;

use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::output::printable_lines;

/// Environment variable that may hold the token of the MCP server.
pub(crate) const TOKEN_VARIABLE: &str = "LOOPBREAK_TOKEN";
/// Environment variable with the time limit of hooks, in milliseconds. It is not a setting: if it were read as one, each hook
/// would load all layers of settings.
pub(crate) const HOOK_TIMEOUT_VARIABLE: &str = "LOOPBREAK_HOOK_TIMEOUT";
/// Environment variable that may hold the key of a model.
pub(crate) const API_KEY_VARIABLE: &str = "LOOPBREAK_API_KEY";

/// Loads the settings for the current folder. Prints all problems on stderr.
pub(crate) fn load(options: &ConfigOptions) -> Result<Config, UserError> {
    loader(options, Path::new(".")).load().map(|loaded| loaded.config).map_err(report)
}

/// Loads the settings for a folder without preparing them for a guard, so that the caller can change them.
pub(crate) fn settings_in(options: &ConfigOptions, folder: &Path) -> Result<Settings, UserError> {
    loader(options, folder).load_settings().map_err(report)
}

/// Loads the settings of a guard whose agent can write files: a file of the project counts only as far as it is trusted. Fast
/// if nothing is configured.
pub(crate) fn load_guarded(options: &ConfigOptions, folder: &Path) -> Result<GuardedConfig, UserError> {
    loader(options, folder).load_guarded().map_err(report)
}

/// Loads the settings of a guard for the current folder, and says on stderr what the user should know about them.
pub(crate) fn guarded_settings(options: &ConfigOptions) -> Result<Settings, UserError> {
    let guarded = load_guarded(options, Path::new("."))?;
    if let Some(notice) = guarded.notice() {
        anstream::eprintln!("{}", printable_lines(&notice));
    }
    Ok(guarded.settings)
}

/// The same, prepared for a guard.
pub(crate) fn guarded_config(options: &ConfigOptions) -> Result<Config, UserError> {
    let settings = guarded_settings(options)?;
    Config::new(settings).map_err(|problems| UserError::usage(problems.to_string()))
}

/// Returns the path of the user's own configuration file.
pub(crate) fn user_config() -> Option<PathBuf> {
    user_config_path(|name| std::env::var_os(name))
}

/// Loads the settings for a folder. Returns `None` if they are invalid.
pub(crate) fn try_load(options: &ConfigOptions, folder: &Path) -> Result<Option<LoadedConfig>, UserError> {
    match loader(options, folder).load() {
        Ok(loaded) => Ok(Some(loaded)),
        Err(LoadError::Invalid { .. }) => Ok(None),
        Err(error) => Err(report(error)),
    }
}

/// Creates the loader for a folder.
pub(crate) fn loader(options: &ConfigOptions, folder: &Path) -> ConfigLoader {
    let loader = ConfigLoader::new(folder).user_file(user_config());
    let mut loader = loader.process_environment(&reserved_variables());
    if let Some(path) = &options.config {
        loader = loader.file(path);
    }
    if let Some(profile) = &options.profile {
        loader = loader.profile(profile);
    }
    for assignment in &options.set {
        loader = loader.set(assignment);
    }
    loader
}

/// Converts an error for the user. Prints the problems of invalid settings on stderr.
pub(crate) fn report(error: LoadError) -> UserError {
    match error {
        LoadError::File(error) => error.into(),
        LoadError::Invalid { source_file, user_file, error } => {
            report_problems(source_file.iter().chain(user_file.as_deref()), &error)
        }
        error => UserError::usage(error.to_string()),
    }
}

/// Prints all problems of a configuration or a roadmap on stderr, with the lines that cause them.
pub(crate) fn print_problems<'s>(sources: impl IntoIterator<Item = &'s ConfigSource>, error: &ConfigError) {
    // If nobody reads them, the exit code still says it.
    let _ = write!(anstream::stderr(), "{}", error.render(sources));
}

fn report_problems<'s>(
    sources: impl IntoIterator<Item = &'s ConfigSource>,
    error: &ConfigError,
) -> UserError {
    print_problems(sources, error);
    let count = match error.problems.len() {
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    UserError::usage(format!("the configuration has {count}; nothing was done"))
        .hint("`loopbreak config explain KEY` describes an option")
}

/// Returns the variables that begin with `LOOPBREAK` but are not settings: those that Loopbreak sets for the commands
/// it runs, which may in turn run Loopbreak, and secrets, which must not appear in a message.
fn reserved_variables() -> Vec<&'static str> {
    let set_for_commands = COMMAND_VARIABLES.iter().chain(&loopbreak_runner::TASK_VARIABLES).copied();
    set_for_commands
        .chain([TOKEN_VARIABLE, API_KEY_VARIABLE, HOOK_TIMEOUT_VARIABLE, PARENT_RUN_VARIABLE])
        .chain([SERVER_VARIABLE, SERVER_TIMEOUT_VARIABLE])
        .collect()
}

impl From<ConfigFileError> for UserError {
    fn from(error: ConfigFileError) -> Self {
        let user_error = match &error {
            ConfigFileError::NoCurrentDirectory { .. } => UserError::failed(error.to_string()),
            _ => UserError::usage(error.to_string()),
        };
        match error.hint() {
            Some(hint) => user_error.hint(hint),
            None => user_error,
        }
    }
}
