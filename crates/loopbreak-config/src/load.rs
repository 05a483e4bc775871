//! Finds, reads and loads a configuration in one call.

use std::env;
use std::path::PathBuf;

use loopbreak::Settings;

use crate::layers::{ConfigLayers, LoadedConfig};
use crate::problem::ConfigError;
use crate::source::{ConfigFileError, ConfigSource, find_config_file, read_config_file};

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
    layers: ConfigLayers,
    is_customized: bool,
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
            layers: ConfigLayers::default(),
            is_customized: false,
        }
    }

    /// Reads this file instead of searching for one.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Adds environment variables, such as those of [`loopbreak_variables`].
    #[must_use]
    pub fn environment(mut self, variables: Vec<(String, String)>) -> Self {
        self.is_customized |= !variables.is_empty();
        self.layers = self.layers.environment(variables);
        self
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
        self.load_source(self.find_source()?)
    }

    /// Loads the settings alone. Faster than [`ConfigLoader::load`] if nothing is configured, which matters to a hook
    /// that runs on every tool call.
    pub fn load_settings(&self) -> Result<Settings, LoadError> {
        let source = self.find_source()?;
        if source.is_none() && !self.is_customized {
            return Ok(Settings::default());
        }
        self.load_source(source).map(|loaded| (*loaded.config).clone())
    }

    fn find_source(&self) -> Result<Option<ConfigSource>, ConfigFileError> {
        match &self.file {
            Some(path) => read_config_file(path).map(Some),
            None => find_config_file(&self.folder),
        }
    }

    fn load_source(&self, source: Option<ConfigSource>) -> Result<LoadedConfig, LoadError> {
        let mut layers = self.layers.clone();
        if let Some(source) = &source {
            layers = layers.file(source.clone());
        }
        layers.load().map_err(|error| LoadError::Invalid { source_file: source, error })
    }
}

/// Returns the environment variables of this process that begin with `LOOPBREAK`, except the reserved ones, which are
/// not settings.
pub fn loopbreak_variables(reserved: &[&str]) -> Result<Vec<(String, String)>, LoadError> {
    let mut variables = Vec::new();
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("LOOPBREAK")) else { continue };
        if reserved.contains(&name) {
            continue;
        }
        let Some(value) = value.to_str() else {
            return Err(LoadError::Variable { name: name.to_owned() });
        };
        variables.push((name.to_owned(), value.to_owned()));
    }
    Ok(variables)
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
