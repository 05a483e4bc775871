//! Finds, reads and loads a configuration in one call.

use std::env;
use std::path::PathBuf;

use loopbreak::Settings;

use crate::layers::{ConfigLayers, LoadedConfig};
use crate::problem::ConfigError;
use crate::source::{ConfigFileError, ConfigSource, ValueOrigin, find_config_file, read_config_file};
use crate::trust::{GuardedConfig, UnusedVariable, load_guarded};

/// Loads the configuration for a folder.
///
/// ```no_run
/// use loopbreak_config::{ConfigLoader, loopbreak_variables};
///
/// # fn main() -> Result<(), loopbreak_config::LoadError> {
/// let loaded = ConfigLoader::new(".").environment(loopbreak_variables(&[])?).load()?;
/// let guard = loopbreak::Guard::new(loaded.config);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ConfigLoader {
    folder: PathBuf,
    file: Option<PathBuf>,
    user_file: Option<PathBuf>,
    layers: ConfigLayers,
    is_customized: bool,
    /// Names of variables that are not Unicode.
    unreadable: Vec<String>,
}

/// An error while loading a configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The configuration file cannot be used.
    #[error(transparent)]
    File(#[from] ConfigFileError),
    /// An environment variable of Loopbreak is not Unicode.
    #[error("the environment variable {name} is not Unicode")]
    Variable {
        /// Name of the variable.
        name: String,
    },
    /// The settings are invalid.
    #[error("{error}")]
    Invalid {
        /// The configuration file, to show lines of it.
        source_file: Option<ConfigSource>,
        /// The user's own configuration file, to show lines of it.
        user_file: Option<Box<ConfigSource>>,
        /// The problems.
        error: ConfigError,
    },
}

impl ConfigLoader {
    /// Creates a loader that searches a folder and its parents for a configuration file.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        ConfigLoader {
            folder: folder.into(),
            file: None,
            user_file: None,
            layers: ConfigLayers::default(),
            is_customized: false,
            unreadable: Vec::new(),
        }
    }

    /// Reads this file instead of searching for one.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Reads the user's own configuration file as well, if it exists: see [`user_config_path`](crate::user_config_path). That of
    /// the folder overrides it.
    #[must_use]
    pub fn user_file(mut self, path: Option<PathBuf>) -> Self {
        self.user_file = path;
        self
    }

    /// Adds environment variables, such as those of [`loopbreak_variables`].
    #[must_use]
    pub fn environment(mut self, variables: Vec<(String, String)>) -> Self {
        self.is_customized |= !variables.is_empty();
        self.layers = self.layers.environment(variables);
        self
    }

    /// Adds the environment variables of this process that begin with `LOOPBREAK`, except the reserved ones, which are not
    /// settings.
    #[must_use]
    pub fn process_environment(mut self, reserved: &[&str]) -> Self {
        let (variables, unreadable) = process_variables(reserved);
        self.unreadable.extend(unreadable);
        self.environment(variables)
    }

    /// Selects a profile. Overrides the file and the environment.
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.is_customized = true;
        self.layers = self.layers.profile(name);
        self
    }

    /// Sets one option from `key=value`. The last assignment of an option wins.
    #[must_use]
    pub fn set(mut self, assignment: impl Into<String>) -> Self {
        self.is_customized = true;
        self.layers = self.layers.set(assignment);
        self
    }

    /// Loads the configuration.
    pub fn load(&self) -> Result<LoadedConfig, LoadError> {
        self.check_variables()?;
        let source = self.find_source()?;
        self.load_sources(source, self.read_user_file()?)
    }

    /// Loads the settings alone. Faster than [`ConfigLoader::load`] if nothing is configured, which matters to a hook
    /// that runs on every tool call.
    pub fn load_settings(&self) -> Result<Settings, LoadError> {
        self.check_variables()?;
        let (source, user) = (self.find_source()?, self.read_user_file()?);
        if source.is_none() && user.is_none() && !self.is_customized {
            return Ok(Settings::default());
        }
        self.load_sources(source, user).map(|loaded| (*loaded.config).clone())
    }

    /// Loads the configuration of a guard whose agent can write files. A file that was found in the folder or above it is not
    /// trusted like that of the user: unless the user has trusted it, it can tighten and tune the guard, and not loosen it. A
    /// file that was named with [`ConfigLoader::file`] is taken as it stands. An environment variable that is wrong is not used.
    pub fn load_guarded(&self) -> Result<GuardedConfig, LoadError> {
        let mut guarded = if self.file.is_some() {
            self.load_named()?
        } else {
            load_guarded(&self.layers, self.is_customized, &self.folder, self.user_file.as_deref())?
        };
        let unreadable = self.unreadable.iter().map(|name| UnusedVariable::new(name, "it is not Unicode"));
        guarded.unused_variables.extend(unreadable);
        Ok(guarded)
    }

    /// Loads the configuration of a guard from the named file.
    fn load_named(&self) -> Result<GuardedConfig, LoadError> {
        let (source, user) = (self.find_source()?, self.read_user_file()?);
        let mut layers = self.layers.clone();
        layers = source.iter().fold(layers, |layers, source| layers.file(source.clone()));
        layers = user.iter().fold(layers, |layers, user| layers.user_file(user.clone()));
        let mut unused_variables = Vec::new();
        let loaded = UnusedVariable::leave_out(&mut layers, &mut unused_variables).map_err(|error| {
            LoadError::Invalid { source_file: source, user_file: user.map(Box::new), error }
        })?;
        let mode_origin = Some(loaded.origin("mode")).filter(ValueOrigin::is_set);
        let settings = (*loaded.config).clone();
        Ok(GuardedConfig { settings, mode_origin, unused_variables, ..GuardedConfig::default() })
    }

    fn check_variables(&self) -> Result<(), LoadError> {
        match self.unreadable.first() {
            Some(name) => Err(LoadError::Variable { name: name.clone() }),
            None => Ok(()),
        }
    }

    fn find_source(&self) -> Result<Option<ConfigSource>, ConfigFileError> {
        let Some(path) = &self.file else {
            let source = find_config_file(&self.folder)?;
            // Below the folder of the user's configuration, the file is that of the user.
            let is_users = |source: &ConfigSource| {
                let path = std::fs::canonicalize(&source.name).ok();
                path.is_some()
                    && path == self.user_file.as_ref().and_then(|user| std::fs::canonicalize(user).ok())
            };
            return Ok(source.filter(|source| !is_users(source)));
        };
        read_config_file(path).map(Some)
    }

    fn read_user_file(&self) -> Result<Option<ConfigSource>, ConfigFileError> {
        let Some(path) = self.user_file.as_ref().filter(|path| path.is_file()) else { return Ok(None) };
        read_config_file(path).map(Some)
    }

    fn load_sources(
        &self,
        source: Option<ConfigSource>,
        user: Option<ConfigSource>,
    ) -> Result<LoadedConfig, LoadError> {
        let mut layers = self.layers.clone();
        if let Some(source) = &source {
            layers = layers.file(source.clone());
        }
        if let Some(user) = &user {
            layers = layers.user_file(user.clone());
        }
        layers.load().map_err(|error| LoadError::Invalid {
            source_file: source,
            user_file: user.map(Box::new),
            error,
        })
    }
}

/// Returns the environment variables of this process that begin with `LOOPBREAK`, except the reserved ones, which are
/// not settings.
pub fn loopbreak_variables(reserved: &[&str]) -> Result<Vec<(String, String)>, LoadError> {
    let (variables, unreadable) = process_variables(reserved);
    match unreadable.into_iter().next() {
        Some(name) => Err(LoadError::Variable { name }),
        None => Ok(variables),
    }
}

/// Returns the variables with their values, and the names of those that are not Unicode.
fn process_variables(reserved: &[&str]) -> (Vec<(String, String)>, Vec<String>) {
    let (mut variables, mut unreadable) = (Vec::new(), Vec::new());
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("LOOPBREAK")) else { continue };
        if reserved.contains(&name) {
            continue;
        }
        match value.to_str() {
            Some(value) => variables.push((name.to_owned(), value.to_owned())),
            None => unreadable.push(name.to_owned()),
        }
    }
    (variables, unreadable)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use loopbreak::Mode;

    use super::*;

    #[test]
    fn the_file_in_a_parent_folder_is_loaded_under_the_other_layers() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(folder.path().join("loopbreak.toml"), "mode = \"observe\"\n").unwrap();
        let loader = ConfigLoader::new(&inner);
        assert_eq!(loader.load().unwrap().config.mode, Mode::Observe);
        assert_eq!(loader.load_settings().unwrap().mode, Mode::Observe);
        assert_eq!(loader.clone().set("mode=off").load().unwrap().config.mode, Mode::Off);

        let missing = loader.file(inner.join("none.toml")).load().unwrap_err();
        let LoadError::File(error) = missing else { panic!("{missing}") };
        assert_eq!(error.hint(), Some("`loopbreak config init` writes a new file"));
    }

    #[test]
    fn without_any_layer_the_settings_are_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ConfigLoader::new(folder.path()).load_settings().unwrap(), Settings::default());
        let wrong = ConfigLoader::new(folder.path()).set("mode=sometimes").load_settings().unwrap_err();
        assert!(matches!(wrong, LoadError::Invalid { source_file: None, .. }));
    }
}
